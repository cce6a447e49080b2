//! Why a configuration file was not changed.

use std::io;
use std::path::{Path, PathBuf};

use crate::edit::EditError;
use crate::file::ReadError;
use crate::format::Format;
use crate::server::shown;

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The location of this client's configuration is unknown.
    #[error("the location of the configuration of {0} is unknown")]
    NoFile(&'static str),
    /// The client has no configuration of this kind.
    #[error("{0} has no configuration in projects")]
    NoProjectFile(&'static str),
    /// No client was found on this machine.
    #[error("no client was found on this machine")]
    NoClient,
    /// One file cannot be that of several clients.
    #[error("--file is for one client")]
    OneFile,
    /// A symbolic link to a file that does not exist.
    #[error("{} is a link to a file that does not exist", shown(.0))]
    DanglingLink(PathBuf),
    /// A symbolic link leads out of the project.
    #[error("{} is a link to {}, outside of the project", shown(file), shown(real))]
    LeavesProject {
        /// The file.
        file: PathBuf,
        /// The file or folder that the link leads to.
        real: PathBuf,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {source}", shown(file))]
    Read {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: ReadError,
    },
    /// The text of the file cannot be edited.
    #[error("{}", not_edited(file, *format, source))]
    Edit {
        /// The file.
        file: PathBuf,
        /// Its format.
        format: Format,
        /// The reason.
        source: EditError,
    },
    /// The file has another entry of that name.
    #[error("{} has another server `{name}`", shown(file))]
    Taken {
        /// The file.
        file: PathBuf,
        /// The name.
        name: String,
        /// Whether the entry starts linkspan.
        is_ours: bool,
    },
    /// The entry does not start linkspan.
    #[error("the server `{name}` in {} does not run linkspan", shown(file))]
    Foreign {
        /// The file.
        file: PathBuf,
        /// The name.
        name: String,
    },
    /// There is no copy of the file.
    #[error("{}", no_backup(file, *number))]
    NoBackup {
        /// The file.
        file: PathBuf,
        /// The number of the copy.
        number: Option<u64>,
    },
    /// The file was changed by another program after it was read.
    #[error("{} has just been changed by another program", shown(.0))]
    Meanwhile(PathBuf),
    /// The file cannot be written.
    #[error("cannot write {}: {source}", shown(file))]
    Write {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl ChangeError {
    /// Whether the command line is the reason.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NoFile(_) | Self::NoProjectFile(_) | Self::NoClient | Self::OneFile
        )
    }

    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoFile(_) => "name the file with --file FILE",
            Self::NoProjectFile(_) => "leave out --scope project, or name the file with --file",
            Self::NoClient => "name one with --client; linkspan config --help lists them",
            Self::OneFile => "give one --client",
            Self::DanglingLink(_) => "nothing was changed; make the file, or remove the link",
            Self::LeavesProject { .. } => {
                "nothing was changed; --file FILE names the file that is meant"
            }
            Self::Read { .. } => "nothing was changed; leave out --write to print the entry",
            Self::Edit { .. } => {
                "nothing was changed; fix the file, or leave out --write and add the printed entry by hand"
            }
            Self::Taken { is_ours: true, .. } => {
                "nothing was changed; --force replaces it, --name NAME adds another one"
            }
            Self::Taken { .. } => {
                "nothing was changed; --name NAME adds another one, --force replaces it"
            }
            Self::Foreign { .. } => "nothing was changed; --force removes it",
            Self::NoBackup { .. } => "linkspan config --list --client CLIENT lists the copies",
            Self::Meanwhile(_) => "nothing was changed; try again",
            Self::Write { .. } => {
                "nothing was changed; leave out --write and add the printed entry by hand"
            }
        }
    }
}

fn not_edited(file: &Path, format: Format, why: &EditError) -> String {
    let file = shown(file);
    match why {
        EditError::Syntax(why) => format!("{file} is not {}: {why}", format.name()),
        EditError::NoObject(what) => format!("{what} in {file} is not an object"),
        EditError::NoList(what) => format!("{what} in {file} is not a list"),
        EditError::Duplicate(name) => format!("`{name}` occurs more than once in {file}"),
        EditError::Unsafe => format!("{file} has a form that linkspan cannot edit"),
    }
}

fn no_backup(file: &Path, number: Option<u64>) -> String {
    let file = shown(file);
    match number {
        Some(number) => format!("there is no copy {number} of {file}"),
        None => format!("there is no copy of {file}"),
    }
}
