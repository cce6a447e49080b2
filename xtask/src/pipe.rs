//! Reads a child's pipe to its end, with a time limit.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a pipe may stay open after the child has exited: a grandchild may hold it.
const GRACE: Duration = Duration::from_secs(2);

/// A pipe that is being read.
pub struct Pipe {
    seen: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Pipe {
    pub fn read(mut from: impl Read + Send + 'static) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let reader = thread::spawn(move || {
            let mut chunk = [0; 8192];
            while let Ok(length @ 1..) = from.read(&mut chunk) {
                let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
                sink.extend_from_slice(&chunk[..length]);
            }
        });
        Self { seen, reader }
    }

    /// The output, once the child has exited.
    pub fn text(self) -> String {
        let end = Instant::now() + GRACE;
        while !self.reader.is_finished() && Instant::now() < end {
            thread::sleep(Duration::from_millis(5));
        }
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&seen).into_owned()
    }
}
