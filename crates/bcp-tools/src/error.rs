//! Errors as data, with hints for the user.

mod text;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use linkspan_bcp::manifest::ManifestError;
use linkspan_bcp::{Error, Failed};
use linkspan_wire::escape_line;

use crate::files::Denied;

/// The result of most functions of this crate.
pub type Result<T, E = BcpError> = std::result::Result<T, E>;

/// Why a command or a tool failed. `Display` is the problem and the hint in one sentence;
/// [`BcpError::problem`] and [`BcpError::hint`] are its two parts.
#[derive(Debug)]
pub enum BcpError {
    /// A file cannot be opened or read.
    Read {
        /// The file.
        name: String,
        /// The system's error.
        error: io::Error,
    },
    /// A stream that has to be kept in memory exceeds the limit.
    StreamTooLong {
        /// The stream.
        name: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// An input of `encode` does not exist or cannot be examined.
    Input {
        /// The input.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// An input is also the output.
    SameFile(PathBuf),
    /// A file cannot be created.
    Create {
        /// The file.
        name: String,
        /// The system's error.
        error: io::Error,
    },
    /// An output could not be written completely.
    Write {
        /// The output.
        name: String,
        /// Whether no part of it is visible.
        atomic: bool,
        /// The system's error.
        error: io::Error,
    },
    /// The text about a file could not be written.
    Print(io::Error),
    /// A file is damaged, or is not a BCP file.
    File {
        /// The file.
        name: String,
        /// The error, with its position.
        error: Box<Error>,
    },
    /// `decode` has no text to write.
    NothingDecoded {
        /// The file.
        name: String,
        /// The requested blocks.
        blocks: Option<Vec<u64>>,
        /// The reason.
        failed: Box<Failed>,
    },
    /// A tool has no text to return.
    NothingRead {
        /// The file.
        name: String,
        /// The reason.
        failed: Box<Failed>,
    },
    /// `inspect` was asked for a block that does not exist.
    NoBlock {
        /// The file.
        name: String,
        /// The requested index.
        block: u64,
        /// The number of blocks.
        blocks: u64,
    },
    /// No block fits into the budget.
    Budget {
        /// The file.
        name: String,
        /// The number of left-out blocks.
        left_out: u64,
    },
    /// A block cannot be written.
    Encode(Box<Error>),
    /// The folder of `--store` cannot be used.
    Store(io::Error),
    /// A manifest is invalid.
    Manifest {
        /// The manifest.
        name: String,
        /// The error.
        error: Box<ManifestError>,
    },
    /// JSON that is not a manifest, most likely a file to be packed.
    NotAManifest {
        /// The file.
        name: String,
        /// The error.
        error: Box<ManifestError>,
    },
    /// A file that a manifest names may not be read, or cannot be.
    NamedFile {
        /// The file, as the manifest names it.
        name: String,
        /// The reason.
        denied: Denied,
    },
    /// A file that a manifest names is larger than the limit.
    NamedFileTooLarge {
        /// The file, as the manifest names it.
        name: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// A folder of `--root` cannot be used.
    Root {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The server may not use a file, or cannot.
    Denied {
        /// The file, as the client names it.
        path: PathBuf,
        /// Whether it was to be written.
        write: bool,
        /// The reason.
        denied: Denied,
        /// The folders that may be used.
        folders: Vec<PathBuf>,
    },
    /// A manifest names a file outside of the folders that may be used.
    NamesOutside(Box<BcpError>),
    /// There is no tool with this name.
    UnknownTool(String),
    /// An argument of a tool does not match its schema.
    Argument(String),
    /// A tool exceeded its time limit.
    Late(Duration),
    /// The text of a tool has this many bytes, which exceeds the limit of a message.
    TextTooLong(usize),
    /// A file was replaced between writing it and reading it.
    Replaced,
    /// The work was stopped by the caller.
    Stopped,
    /// A tool panicked.
    Panicked,
}

impl BcpError {
    /// The error of an invalid file.
    pub fn file(name: &str, error: Error) -> Self {
        Self::File {
            name: name.to_owned(),
            error: Box::new(error),
        }
    }

    pub(crate) fn encode(error: Error) -> Self {
        Self::Encode(Box::new(error))
    }

    /// Whether access to another folder might allow the operation.
    pub fn is_outside(&self) -> bool {
        matches!(
            self,
            Self::NamesOutside(_)
                | Self::Denied {
                    denied: Denied::Outside,
                    ..
                }
        )
    }
}

impl fmt::Display for BcpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.hint()) {
            (Self::Budget { .. }, Some(hint)) => write!(f, "{}: {hint}", self.problem()),
            (_, Some(hint)) => write!(f, "{}; {hint}", self.problem()),
            (_, None) => f.write_str(&self.problem()),
        }
    }
}

impl std::error::Error for BcpError {}

/// A path in a message: on one line, without control characters.
pub fn path_name(path: &Path) -> String {
    escape_line(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_the_problem_and_the_hint() {
        let error = BcpError::Read {
            name: "src".to_owned(),
            error: io::ErrorKind::IsADirectory.into(),
        };
        let hint = "`linkspan bcp encode src -o ctx.bcp` packs a folder into a file";
        assert_eq!(error.problem(), "cannot read src: it is a folder");
        assert_eq!(error.hint().as_deref(), Some(hint));
        let text = format!("cannot read src: it is a folder; {hint}");
        assert_eq!(error.to_string(), text);
        // `NamesOutside` keeps the text of its error.
        let outside = BcpError::NamesOutside(Box::new(error));
        assert!(outside.is_outside());
        assert_eq!(outside.to_string(), text);
    }
}
