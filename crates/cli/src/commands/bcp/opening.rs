//! The file that a command reads: a path, or stdin.

use std::fs::File;
use std::io;
#[cfg(unix)]
use std::io::Seek;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::Args;
use linkspan_bcp::{Document, FolderStore, Limits, Source};
use linkspan_bcp_tools::files::{DASH, Stream, buffered, open_source};

use crate::exit::Failure;
use crate::show;
use crate::waiting;

/// What stdin is called in messages.
const STDIN: &str = "stdin";

// A BCP file.
#[derive(Debug, Args)]
pub(super) struct FileArg {
    /// The BCP file; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl FileArg {
    pub(super) fn new(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
        }
    }

    /// The name of the file in messages.
    pub(super) fn name(&self) -> String {
        if self.is_stdin() {
            STDIN.to_owned()
        } else {
            show::path(&self.file)
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.file
    }

    pub(super) fn is_stdin(&self) -> bool {
        self.file == Path::new(DASH)
    }

    fn source(&self) -> Result<Source, Failure> {
        if !self.is_stdin() {
            return Ok(open_source(&self.file)?);
        }
        if let Some((file, _)) = seekable_stdin() {
            return Ok(file.into());
        }
        let stdin = waiting::stdin("a BCP file", "linkspan bcp decode FILE");
        Ok(buffered(STDIN, stdin)?)
    }
}

// The folder of contents that a file refers to.
#[derive(Debug, Args)]
pub(super) struct StoreArg {
    /// Folder with contents that the file refers to but does not contain
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

impl StoreArg {
    /// Opens a file without reading it.
    pub(super) fn document(&self, file: &FileArg) -> Result<Document, Failure> {
        let document = Document::new(file.source()?, Limits::default());
        Ok(match &self.store {
            Some(folder) => document.with_store(Rc::new(FolderStore::new(folder))),
            None => document,
        })
    }
}

/// Opens a manifest, which is read once.
pub(super) fn manifest(path: &Path) -> Result<Stream, Failure> {
    if path != Path::new(DASH) {
        return Ok(Stream::open(path)?);
    }
    waiting::for_input("a manifest", "linkspan bcp encode FILE -o ctx.bcp");
    Ok(Stream {
        name: STDIN.to_owned(),
        length: seekable_stdin().map_or(0, |(_, length)| length),
        from: Box::new(io::stdin()),
    })
}

/// stdin, if it is a regular file (`< ctx.bcp`) at offset 0: then its content is not kept in memory.
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
