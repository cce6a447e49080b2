//! Files that a command reads, by what a person calls them.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::Args;
use linkspan_bcp::{Document, FolderStore, Limits};

use crate::bcp::files::{DASH, Identity, Input, Output};
use crate::exit::Failure;
use crate::show;

// A BCP file.
#[derive(Debug, Args)]
pub(crate) struct FileArg {
    /// The BCP file; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl FileArg {
    pub(crate) fn new(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
        }
    }

    /// What a message calls it.
    pub(crate) fn name(&self) -> String {
        match self.is_stdin() {
            true => "stdin".to_owned(),
            false => show::path(&self.file),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.file
    }

    pub(crate) fn is_stdin(&self) -> bool {
        self.file == Path::new(DASH)
    }
}

// Where bodies may lie that a file refers to.
#[derive(Debug, Args)]
pub(crate) struct StoreArg {
    /// Folder with contents that the file refers to but does not contain
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

impl StoreArg {
    /// Opens a file; nothing of it is read yet.
    pub(crate) fn document(&self, file: &FileArg) -> Result<Document, Failure> {
        let input = Input::open(&file.file)?;
        let document = Document::new(input.into_source(), Limits::default());
        Ok(match &self.store {
            Some(folder) => document.with_store(Rc::new(FolderStore::new(folder))),
            None => document,
        })
    }
}

/// A file that a person names as input is not to be replaced: that is hardly what was meant.
pub(crate) fn refuse_same(input: &Path, output: &Output) -> Result<(), Failure> {
    let is_output = |input| output.identities().contains(&input);
    if input == Path::new(DASH) || !Identity::of(input).is_some_and(is_output) {
        return Ok(());
    }
    let what = format!("{} is an input, and --output as well", show::path(input));
    Err(Failure::usage(what).hint("write to another file; nothing was changed"))
}
