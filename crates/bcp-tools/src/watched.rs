//! A writer that stores its error.

use std::io::{self, Write};

/// Stores the last error of a writer. Code that makes a text from a file returns both kinds of errors as one
/// type, so that a failed write could not be distinguished from a failed read.
pub(crate) struct Watched<W> {
    out: W,
    pub(crate) failed: Option<io::Error>,
}

impl<W: Write> Watched<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, failed: None }
    }

    fn remember<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|e| {
            let kind = e.kind();
            if kind != io::ErrorKind::Interrupted {
                self.failed = Some(e);
            }
            kind.into()
        })
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.remember(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.remember(flushed)
    }
}
