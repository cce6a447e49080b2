//! Why a bridge could not begin, or ended.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use linkspan_ports::{OptionsError, SpawnError};
use linkspan_session::Fault;

/// Why a bridge could not begin, or ended before its client did.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// The options of a URL cannot work.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The command does not start.
    #[error("{0}: {source}", source = std::error::Error::source(.0).map(ToString::to_string).unwrap_or_default())]
    Spawn(#[from] SpawnError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The HTTP front cannot serve its listener.
    #[error("cannot listen: {0}")]
    Listen(#[source] io::Error),
    /// A transcript or trace cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// Whether it is a FIFO without a reader.
        unread_fifo: bool,
        /// What the system says.
        source: io::Error,
    },
    /// The server closed the connection.
    #[error(transparent)]
    ServerClosed(#[from] Fault),
}
