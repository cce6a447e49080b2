//! Files for transcripts and traces.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::error::BridgeError;

/// A file that only its owner can read, open for appending.
pub struct OutputFile(File);

impl OutputFile {
    /// Opens or creates the file. A FIFO without a reader is an error; it does not wait for one.
    pub fn open(path: &Path) -> Result<Self, BridgeError> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        private(&mut options);
        let opened = options.open(path).and_then(wait_in_writes);
        opened.map(Self).map_err(|source| BridgeError::Output {
            path: path.to_owned(),
            unread_fifo: is_unread_fifo(&source),
            source,
        })
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    // To open a FIFO without NONBLOCK waits for its reader.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    options.mode(0o600).custom_flags(flags);
}

#[cfg(not(unix))]
fn private(_: &mut OpenOptions) {}

#[cfg(unix)]
fn wait_in_writes(file: File) -> io::Result<File> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    let flags = fcntl_getfl(&file)?;
    fcntl_setfl(&file, flags & !OFlags::NONBLOCK)?;
    Ok(file)
}

#[cfg(not(unix))]
fn wait_in_writes(file: File) -> io::Result<File> {
    Ok(file)
}

#[cfg(unix)]
fn is_unread_fifo(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::NXIO)
}

#[cfg(not(unix))]
fn is_unread_fifo(_: &io::Error) -> bool {
    false
}
