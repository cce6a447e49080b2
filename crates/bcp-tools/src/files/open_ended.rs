//! A stream whose reader may leave before its end.

use std::io::{self, Write};

/// A stream for a reader that may close it (`| head`): what follows is dropped, which is not an error.
#[derive(Debug)]
pub(super) struct OpenEnded<W> {
    out: W,
    closed: bool,
}

impl<W> OpenEnded<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, closed: false }
    }

    fn forgive<T>(&mut self, result: io::Result<T>, instead: T) -> io::Result<T> {
        match result {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(instead)
            }
            other => other,
        }
    }
}

impl<W: Write> Write for OpenEnded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let written = self.out.write(bytes);
        self.forgive(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.forgive(flushed, ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that fails with this error.
    struct Failing(io::ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn only_a_reader_that_left_is_no_error() {
        let mut out = OpenEnded::new(Failing(io::ErrorKind::BrokenPipe));
        out.write_all(b"text").unwrap();
        out.flush().unwrap();
        let mut out = OpenEnded::new(Failing(io::ErrorKind::StorageFull));
        assert_eq!(
            out.write_all(b"text").unwrap_err().kind(),
            io::ErrorKind::StorageFull
        );
    }
}
