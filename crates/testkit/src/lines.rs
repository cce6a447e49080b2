//! Lines that one thread reads and another waits for.

use std::collections::VecDeque;
use std::io::{BufRead, Read};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

/// The output of a process, read in the background line by line.
#[derive(Clone, Default)]
pub(crate) struct Lines {
    inner: Arc<(Mutex<Inner>, Condvar)>,
}

#[derive(Default)]
struct Inner {
    waiting: VecDeque<String>,
    paused: bool,
    ended: bool,
}

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nothing {
    Ended,
    Timeout,
}

impl Lines {
    pub fn read(from: impl Read + Send + 'static) -> Self {
        let lines = Self::default();
        let mine = lines.clone();
        thread::spawn(move || mine.run(from));
        lines
    }

    /// Pauses the reading: at most one more line is taken from the pipe.
    pub fn pause(&self, paused: bool) {
        self.lock().paused = paused;
        self.inner.1.notify_all();
    }

    /// Takes the first line that `is` accepts; the others stay queued.
    pub fn take(&self, limit: Duration, is: impl Fn(&str) -> bool) -> Result<String, Nothing> {
        let end = Instant::now() + limit;
        let mut inner = self.lock();
        let mut looked = 0;
        loop {
            if let Some(at) = inner.waiting.iter().skip(looked).position(|line| is(line)) {
                return inner.waiting.remove(looked + at).ok_or(Nothing::Ended);
            }
            looked = inner.waiting.len();
            if inner.ended {
                return Err(Nothing::Ended);
            }
            let left = end
                .checked_duration_since(Instant::now())
                .ok_or(Nothing::Timeout)?;
            self.inner.1.wait_for(&mut inner, left);
        }
    }

    /// Everything that was read and not taken.
    pub fn all(&self) -> Vec<String> {
        self.lock().waiting.iter().cloned().collect()
    }

    fn run(&self, from: impl Read) {
        let mut from = std::io::BufReader::new(from);
        loop {
            let mut inner = self.lock();
            self.inner.1.wait_while(&mut inner, |inner| inner.paused);
            drop(inner);
            let mut line = Vec::new();
            let count = from.read_until(b'\n', &mut line).unwrap_or_default();
            let mut inner = self.lock();
            if count == 0 {
                inner.ended = true;
            } else {
                let text = String::from_utf8_lossy(&line);
                inner
                    .waiting
                    .push_back(text.strip_suffix('\n').unwrap_or(&text).to_owned());
            }
            self.inner.1.notify_all();
            if count == 0 {
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.0.lock()
    }
}
