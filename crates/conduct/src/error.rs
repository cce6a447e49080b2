//! Why a chain could not begin, or ended.

use std::io;
use std::path::PathBuf;

use linkspan_acp::ChainBroken;
use linkspan_bridge::BridgeError;

/// Why a chain could not begin, or ended before its editor did.
#[derive(Debug, thiserror::Error)]
pub enum ConductError {
    /// The folder for debug logs cannot be created.
    #[error("cannot make {}: {source}", path.display())]
    DebugFolder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A trace or debug log cannot be written.
    #[error(transparent)]
    Output(#[from] BridgeError),
    /// A component has failed.
    #[error("{}", .0.error.message())]
    Broken(Box<ChainBroken>),
}
