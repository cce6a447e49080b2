//! Where a command reads from: a file, or what was piped in.

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek};
use std::path::Path;

use super::{DASH, read_bounded};
use crate::exit::{Exit, Failure};
use crate::show;
use crate::waiting;

/// What is piped in has to be kept, because a command may read it twice.
const PIPED: u64 = 256 << 20;
/// How one gives a file instead of typing it.
const USUAL: &str = "linkspan bcp decode FILE";

/// Something to read from, as often as one likes.
#[derive(Debug)]
pub(crate) struct Input {
    name: String,
    len: u64,
    source: Source,
}

#[derive(Debug)]
enum Source {
    File(File),
    Memory(Cursor<Vec<u8>>),
    Stdin(io::Stdin),
}

impl Input {
    /// `-` is stdin. What is no regular file is read to its end at once.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        if path == Path::new(DASH) {
            return match seekable_stdin() {
                Some((file, len)) => Ok(Self {
                    name: "stdin".to_owned(),
                    len,
                    source: Source::File(file),
                }),
                None => Self::piped(
                    "stdin".to_owned(),
                    waiting::stdin("a BCP file", USUAL),
                    PIPED,
                ),
            };
        }
        let name = show::path(path);
        let (file, len) = open(path).map_err(|e| cannot_read(&name, &e))?;
        match len {
            Some(len) => Ok(Self {
                name,
                len,
                source: Source::File(file),
            }),
            None => Self::piped(name, file, PIPED),
        }
    }

    /// The same for what is read only once: nothing is kept, and so it may be as long as it likes.
    pub(crate) fn once(path: &Path) -> Result<Self, Failure> {
        if path == Path::new(DASH) {
            waiting::for_input("a manifest", "linkspan bcp encode FILE -o ctx.bcp");
            return Ok(Self {
                name: "stdin".to_owned(),
                len: seekable_stdin().map_or(0, |(_, len)| len),
                source: Source::Stdin(io::stdin()),
            });
        }
        let name = show::path(path);
        let (file, len) = open(path).map_err(|e| cannot_read(&name, &e))?;
        Ok(Self {
            name,
            len: len.unwrap_or(0),
            source: Source::File(file),
        })
    }

    fn piped(name: String, from: impl Read, limit: u64) -> Result<Self, Failure> {
        match read_bounded(from, 0, limit).map_err(|e| cannot_read(&name, &e))? {
            Some(bytes) => Ok(Self {
                name,
                len: bytes.len() as u64,
                source: Source::Memory(Cursor::new(bytes)),
            }),
            None => Err(Failure::new(
                Exit::Invalid,
                format!("{name} has more than {} MiB", limit >> 20),
            )
            .hint("write it into a file first; a file may be larger than what is piped in")),
        }
    }

    /// For what has to be read more than once.
    pub(crate) fn into_source(self) -> linkspan_bcp::Source {
        match self.source {
            Source::File(file) => file.into(),
            Source::Memory(bytes) => bytes.into_inner().into(),
            // Only [`Input::once`] makes these.
            Source::Stdin(_) => Vec::new().into(),
        }
    }

    /// What the user called it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its size in bytes, if that is known: 0 for a pipe that is read once.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.source {
            Source::File(file) => file.read(buffer),
            Source::Memory(bytes) => bytes.read(buffer),
            Source::Stdin(stdin) => stdin.read(buffer),
        }
    }
}

/// A file, and its length if it is a regular one.
fn open(path: &Path) -> io::Result<(File, Option<u64>)> {
    // Before it is opened: a folder cannot be, on some systems, and says something else then.
    if fs::metadata(path)?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let file = File::open(path)?;
    let meta = file.metadata()?;
    let len = meta.is_file().then_some(meta.len());
    Ok((file, len))
}

/// stdin, if it is a file (`< ctx.bcp`) of which nothing was read yet: then it need not be kept.
#[cfg(unix)]
fn seekable_stdin() -> Option<(File, u64)> {
    use std::os::fd::AsFd;
    let mut file = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    let meta = file.metadata().ok()?;
    let fresh = meta.is_file() && file.stream_position().ok()? == 0;
    fresh.then_some((file, meta.len()))
}

#[cfg(not(unix))]
fn seekable_stdin() -> Option<(File, u64)> {
    None
}

fn cannot_read(name: &str, e: &io::Error) -> Failure {
    let failure = |why: &str| Failure::new(Exit::Invalid, format!("cannot read {name}: {why}"));
    match e.kind() {
        io::ErrorKind::NotFound => {
            failure("there is no such file").hint("check the path; `-` reads from stdin")
        }
        io::ErrorKind::IsADirectory => failure("it is a folder").hint(format!(
            "`linkspan bcp encode {name} -o ctx.bcp` packs a folder into a file"
        )),
        io::ErrorKind::PermissionDenied => {
            failure("permission denied").hint("check who may read the file")
        }
        _ => failure(&e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bcp::scratch::Scratch;

    fn twice(input: Input) -> (String, String) {
        fn both(mut from: impl Read + Seek) -> (String, String) {
            let (mut first, mut second) = (String::new(), String::new());
            from.read_to_string(&mut first).unwrap();
            from.rewind().unwrap();
            from.read_to_string(&mut second).unwrap();
            (first, second)
        }
        match input.source {
            Source::File(file) => both(file),
            Source::Memory(bytes) => both(bytes),
            Source::Stdin(_) => panic!("it can be read once only"),
        }
    }

    #[test]
    fn a_file_can_be_read_twice() {
        let scratch = Scratch::new();
        let input = Input::open(&scratch.file("ctx.bcp", "all of it")).unwrap();
        assert_eq!(input.len(), 9);
        assert!(input.name().ends_with("ctx.bcp"));
        let (first, second) = twice(input);
        assert_eq!(
            (first.as_str(), second.as_str()),
            ("all of it", "all of it")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_can_be_read_twice() {
        let scratch = Scratch::new();
        let fifo = scratch.fifo("fifo");
        let writer = std::thread::spawn({
            let fifo = fifo.clone();
            move || fs::write(fifo, "piped").unwrap()
        });
        let input = Input::open(&fifo).unwrap();
        writer.join().unwrap();
        assert_eq!(input.len(), 5);
        assert_eq!(twice(input).1, "piped");
    }

    #[test]
    fn a_pipe_without_an_end_is_not_read_for_ever() {
        let failure = Input::piped("stdin".to_owned(), io::repeat(0), 1 << 20).unwrap_err();
        assert_eq!(failure.what(), "stdin has more than 1 MiB");
        assert_eq!(failure.exit, Exit::Invalid);
    }

    #[test]
    fn a_folder_and_a_file_that_is_not_there_are_named() {
        let scratch = Scratch::new();
        let failure = Input::open(scratch.path()).unwrap_err();
        assert!(failure.what().ends_with(": it is a folder"));
        let failure = Input::open(&scratch.path().join("none")).unwrap_err();
        assert!(failure.what().ends_with("none: there is no such file"));
        assert_eq!(failure.exit.code(), 1);
    }
}
