//! An input by its path, where `-` is the stdin of the caller.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use linkspan_bcp::Source;

use super::{DASH, Stream, buffered, open_source};
use crate::error::{Result, path_name};

/// The name of stdin in messages.
const STDIN: &str = "stdin";

/// The path of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputPath(PathBuf);

/// The stdin of the caller.
pub struct Stdin {
    /// Its file, where the system has one.
    pub file: Option<File>,
    /// The stream.
    pub stream: Box<dyn Read>,
}

impl InputPath {
    /// The input at this path.
    pub fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether it is stdin.
    pub fn is_stdin(&self) -> bool {
        self.0 == Path::new(DASH)
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        if self.is_stdin() {
            return STDIN.to_owned();
        }
        path_name(&self.0)
    }

    /// Opens it to be read several times.
    pub fn source(&self, stdin: impl FnOnce() -> Stdin) -> Result<Source> {
        if !self.is_stdin() {
            return open_source(&self.0);
        }
        let stdin = stdin();
        match stdin.file.and_then(at_its_start) {
            Some((file, _)) => Ok(file.into()),
            None => buffered(STDIN, stdin.stream),
        }
    }

    /// Opens it to be read once.
    pub fn stream(&self, stdin: impl FnOnce() -> Stdin) -> Result<Stream> {
        if !self.is_stdin() {
            return Stream::open(&self.0);
        }
        let stdin = stdin();
        Ok(Stream {
            name: STDIN.to_owned(),
            length: stdin
                .file
                .and_then(at_its_start)
                .map_or(0, |(_, length)| length),
            from: stdin.stream,
        })
    }
}

/// A regular file (`< ctx.bcp`) at offset 0, with its length: then its content is not kept in memory.
fn at_its_start(mut file: File) -> Option<(File, u64)> {
    let meta = file.metadata().ok()?;
    let fresh = meta.is_file() && file.stream_position().ok()? == 0;
    fresh.then_some((file, meta.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_dash_is_the_file_or_the_stream_of_the_caller() {
        let scratch = Scratch::new();
        let path = scratch.file("ctx.bcp", "all of it");
        let stdin = |file: Option<File>| Stdin {
            file,
            stream: Box::new(&b"piped"[..]),
        };
        let dash = InputPath::new(Path::new("-"));
        assert_eq!((dash.name().as_str(), dash.is_stdin()), ("stdin", true));
        let file = File::open(&path).unwrap();
        let source = dash.source(|| stdin(Some(file))).unwrap();
        assert!(matches!(source, Source::File(_)));
        let source = dash.source(|| stdin(None)).unwrap();
        assert!(matches!(source, Source::Memory(bytes) if *bytes == *b"piped"));
        // A part of the file was read already.
        let mut file = File::open(&path).unwrap();
        file.read_exact(&mut [0]).unwrap();
        let stream = dash.stream(|| stdin(Some(file))).unwrap();
        assert_eq!((stream.name.as_str(), stream.length), ("stdin", 0));
        let named = InputPath::new(&path);
        let never = || -> Stdin { panic!("stdin is not the input") };
        assert_eq!(named.stream(never).unwrap().length, 9);
    }
}
