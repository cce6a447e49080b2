//! Opens files for reading, and buffers streams in memory.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use linkspan_bcp::Source;

use super::read_bounded;
use crate::error::{BcpError, Result, path_name};

/// The maximum size of a stream, which is kept in memory because a command may read it twice.
const BUFFERED: u64 = 256 << 20;

/// Opens a file that may be read several times. Other kinds of files are read into memory.
pub fn open_source(path: &Path) -> Result<Source> {
    let name = path_name(path);
    match open(path) {
        Ok((file, Some(_))) => Ok(file.into()),
        Ok((file, None)) => buffered(&name, file),
        Err(error) => Err(BcpError::Read { name, error }),
    }
}

/// Reads a stream into memory.
pub fn buffered(name: &str, from: impl Read) -> Result<Source> {
    buffered_to(name, from, BUFFERED)
}

fn buffered_to(name: &str, from: impl Read, limit: u64) -> Result<Source> {
    let name = name.to_owned();
    match read_bounded(from, 0, limit) {
        Ok(Some(bytes)) => Ok(bytes.into()),
        Ok(None) => Err(BcpError::StreamTooLong { name, limit }),
        Err(error) => Err(BcpError::Read { name, error }),
    }
}

/// An input that is read once, and so may have any length.
pub struct Stream {
    /// Its name in messages.
    pub name: String,
    /// Its length in bytes; 0 if unknown.
    pub length: u64,
    /// The reader.
    pub from: Box<dyn Read>,
}

impl Stream {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path_name(path);
        match open(path) {
            Ok((file, length)) => Ok(Self {
                name,
                length: length.unwrap_or(0),
                from: Box::new(file),
            }),
            Err(error) => Err(BcpError::Read { name, error }),
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("name", &self.name)
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

/// Opens a file; returns its length if it is a regular file.
fn open(path: &Path) -> io::Result<(File, Option<u64>)> {
    // Checked before opening: on some systems a folder cannot be opened, with another error.
    if fs::metadata(path)?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let file = File::open(path)?;
    let meta = file.metadata()?;
    let length = meta.is_file().then_some(meta.len());
    Ok((file, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_regular_file_is_not_read_into_memory() {
        let scratch = Scratch::new();
        let path = scratch.file("ctx.bcp", "all of it");
        let source = open_source(&path).unwrap();
        assert!(matches!(source, Source::File(_)));
        assert_eq!(source.length().unwrap(), 9);
        let mut stream = Stream::open(&path).unwrap();
        assert_eq!(stream.length, 9);
        assert!(stream.name.ends_with("ctx.bcp"));
        let mut text = String::new();
        stream.from.read_to_string(&mut text).unwrap();
        assert_eq!(text, "all of it");
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_kept_in_memory_and_can_be_read_twice() {
        let scratch = Scratch::new();
        let fifo = scratch.fifo("fifo");
        let writer = std::thread::spawn({
            let fifo = fifo.clone();
            move || fs::write(fifo, "piped").unwrap()
        });
        let source = open_source(&fifo).unwrap();
        writer.join().unwrap();
        match source {
            Source::Memory(bytes) => assert_eq!(*bytes, b"piped"),
            Source::File(_) => panic!("a pipe cannot be read twice"),
        }
    }

    #[test]
    fn an_endless_stream_is_read_up_to_the_limit() {
        let error = buffered_to("stdin", io::repeat(0), 1 << 20).unwrap_err();
        assert_eq!(error.problem(), "stdin has more than 1 MiB");
    }

    #[test]
    fn a_folder_and_a_missing_file_are_named() {
        let scratch = Scratch::new();
        let error = open_source(scratch.path()).unwrap_err();
        assert!(error.problem().ends_with(": it is a folder"));
        let error = open_source(&scratch.path().join("none")).unwrap_err();
        assert!(error.problem().ends_with("none: there is no such file"));
    }
}
