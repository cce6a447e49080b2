//! The file that a command reads: a path, or stdin.

use std::fs::File;
use std::path::PathBuf;
use std::rc::Rc;

use clap::Args;
use linkspan_bcp::{Document, FolderStore, Limits};
use linkspan_bcp_tools::files::{InputPath, Stdin};

use crate::exit::Failure;
use crate::waiting;

// A BCP file.
#[derive(Debug, Args)]
pub(super) struct FileArg {
    /// The BCP file; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl FileArg {
    pub(super) fn input(&self) -> InputPath {
        InputPath::new(&self.file)
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
    pub(super) fn document(&self, file: &InputPath) -> Result<Document, Failure> {
        let source = file.source(|| stdin("a BCP file", "linkspan bcp decode FILE"))?;
        let document = Document::new(source, Limits::default());
        Ok(match &self.store {
            Some(folder) => document.with_store(Rc::new(FolderStore::new(folder))),
            None => document,
        })
    }
}

/// Our stdin; the first read of the stream prints a notice, as [`waiting::for_input`] does.
pub(super) fn stdin(what: &'static str, usual: &'static str) -> Stdin {
    Stdin {
        file: stdin_file(),
        stream: Box::new(waiting::stdin(what, usual)),
    }
}

#[cfg(unix)]
fn stdin_file() -> Option<File> {
    use std::os::fd::AsFd;
    Some(std::io::stdin().as_fd().try_clone_to_owned().ok()?.into())
}

#[cfg(not(unix))]
fn stdin_file() -> Option<File> {
    None
}
