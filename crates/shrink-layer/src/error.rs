//! Why the layer cannot be set up.

use std::io;
use std::path::PathBuf;

use linkspan_bcp_tools::BcpError;
use linkspan_wire::escape_line;

/// Why the layer cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum ShrinkError {
    /// The folder for originals cannot be used.
    #[error("--store {}: {source}", escape_line(&folder.to_string_lossy()))]
    Store {
        /// The folder.
        folder: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The folder for originals cannot be closed to the BCP tools.
    #[error("--store {}: {source}", folder.display())]
    StoreInRoots {
        /// The folder.
        folder: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A folder of the BCP tools cannot be used.
    #[error(transparent)]
    Roots(#[from] BcpError),
}

impl ShrinkError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store { .. } => Some(
                "it must be a folder that you own and that holds only originals, or a path where one can be created"
                    .to_owned(),
            ),
            Self::StoreInRoots { .. } => None,
            Self::Roots(error) => error.hint(),
        }
    }
}
