//! Why a chain could not start, or why it ended.

use std::io;
use std::path::PathBuf;

use linkspan_acp::{BreakReason, ChainBroken};
use linkspan_bridge::BridgeError;
use linkspan_session::Fault;

/// Why a chain could not start, or ended before its editor closed.
#[derive(Debug, thiserror::Error)]
pub enum ConductError {
    /// The folder for debug logs cannot be created.
    #[error("cannot create {}: {source}", path.display())]
    DebugFolder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A trace or debug log cannot be written.
    #[error(transparent)]
    Output(#[from] BridgeError),
    /// A component has failed.
    #[error("{}", .0.error.message())]
    Broken(Box<ChainBroken>),
}

impl ConductError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        let broken = match self {
            Self::DebugFolder { .. } => return None,
            Self::Output(error) => return error.hint(),
            Self::Broken(broken) => broken,
        };
        match &broken.why {
            BreakReason::NotStarted(_) => Some("install it, or give its full path".to_owned()),
            BreakReason::Silent(_) => Some("raise --start-timeout if it needs longer".to_owned()),
            BreakReason::Ended(Fault::Ended { last_words, .. }) if !last_words.is_empty() => {
                Some(format!("last lines of its stderr:\n{last_words}"))
            }
            BreakReason::Ended(_) | BreakReason::InvalidLines | BreakReason::Stuck => None,
        }
    }
}
