//! Where a command writes to: a path, or stdout.

use std::io::{self, Write};
use std::path::Path;

use linkspan_bcp_tools::files::{DASH, Output, PartialFiles};

use crate::exit::Failure;

/// `-` and `/dev/stdout` are stdout.
pub(super) fn output(path: &Path, partial: &PartialFiles) -> Result<Output, Failure> {
    if path == Path::new(DASH) || path == Path::new("/dev/stdout") {
        let out = Box::new(Stdout::default());
        return Ok(Output::stream("stdout", out, partial));
    }
    Ok(Output::create(path, partial)?)
}

/// stdout; a reader that has closed it (`| head`) is not an error.
#[derive(Debug, Default)]
struct Stdout {
    closed: bool,
}

impl Stdout {
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

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let written = io::stdout().write(bytes);
        self.forgive(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = io::stdout().flush();
        self.forgive(flushed, ())
    }
}
