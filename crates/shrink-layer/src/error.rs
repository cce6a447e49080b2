//! Why the layer cannot be set up.

use std::io;
use std::path::PathBuf;

use linkspan_bcp_tools::BcpError;

/// Why the layer cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum ShrinkError {
    /// The folder for originals cannot be used.
    #[error("{}: {source}", folder.display())]
    Store {
        /// The folder.
        folder: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The folder for originals cannot be closed to the BCP tools.
    #[error("{}: {source}", folder.display())]
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
