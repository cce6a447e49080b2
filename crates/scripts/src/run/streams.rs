//! Reads the output of a running program.

use std::time::Duration;

use tokio::io::AsyncReadExt;

use super::capture::{Capture, Printed, Tail};
use crate::os::pipe;

/// How long output is still read after the end of a program. The output is in the pipe already; the wait is
/// only for descendants that keep the pipe open.
pub(super) const LAST_READ: Duration = Duration::from_millis(200);

pub(super) struct Streams {
    stdout: Stream,
    stderr: Stream,
    capture: Capture,
    tail: Tail,
    said: u64,
}

struct Stream {
    pipe: pipe::Receiver,
    buf: Vec<u8>,
    open: bool,
}

/// Bytes that were read and not yet taken.
pub(super) enum Chunk {
    Out(usize),
    Err(usize),
}

impl Stream {
    fn new(pipe: pipe::Receiver, room: usize) -> Self {
        Self {
            pipe,
            buf: vec![0; room],
            open: true,
        }
    }

    /// Reads bytes; 0 at the end.
    async fn read(&mut self) -> usize {
        if !self.open {
            return std::future::pending().await;
        }
        let read = self.pipe.read(&mut self.buf).await.unwrap_or(0);
        self.open = read > 0;
        read
    }
}

impl Streams {
    pub(super) fn new(stdout: pipe::Receiver, stderr: pipe::Receiver, capture: Capture) -> Self {
        Self {
            stdout: Stream::new(stdout, 64 << 10),
            stderr: Stream::new(stderr, 8 << 10),
            capture,
            tail: Tail::default(),
            said: 0,
        }
    }

    pub(super) fn are_open(&self) -> bool {
        self.stdout.open || self.stderr.open
    }

    /// Waits for output. Cancel-safe: no output is lost if the future is dropped.
    pub(super) async fn read(&mut self) -> Chunk {
        tokio::select! {
            n = self.stdout.read() => Chunk::Out(n),
            n = self.stderr.read() => Chunk::Err(n),
        }
    }

    /// Takes what was read. `false` if the output limit is exceeded.
    pub(super) async fn take(&mut self, chunk: Chunk) -> bool {
        match chunk {
            Chunk::Out(n) => self.capture.take(&self.stdout.buf[..n]).await,
            Chunk::Err(n) => {
                self.said += n as u64;
                self.tail.take(&self.stderr.buf[..n]);
                true
            }
        }
    }

    /// Stops reading stdout.
    pub(super) fn close_stdout(&mut self) {
        self.stdout.open = false;
    }

    /// The number of bytes read from stderr.
    pub(super) fn stderr_size(&self) -> u64 {
        self.said
    }

    pub(super) async fn finish(self, flooded: bool) -> (Printed, String) {
        let stderr = self.tail.text();
        (self.capture.finish(flooded).await, stderr)
    }
}
