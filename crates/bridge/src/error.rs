//! Errors of bridges.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use linkspan_ports::{OptionsError, SpawnError, UnixSocketError};
use linkspan_session::Fault;

/// Why a bridge could not start, or ended before its client did.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// The options of a URL cannot work.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The command did not start.
    #[error("{0}: {source}", source = std::error::Error::source(.0).map(ToString::to_string).unwrap_or_default())]
    Spawn(#[from] SpawnError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// The Unix socket cannot be listened on.
    #[error(transparent)]
    BindUnix(#[from] UnixSocketError),
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
        /// The error of the system.
        source: io::Error,
    },
    /// The server closed the connection.
    #[error(transparent)]
    ServerClosed(#[from] Fault),
}

impl BridgeError {
    /// A hint for the user.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Options(error) => return Some(error.hint()),
            Self::Spawn(error) => return Some(error.hint()),
            Self::ServerClosed(fault) => fault.hint(),
            Self::BindUnix(error) => error.hint(),
            Self::Bind { source, .. } => match source.kind() {
                io::ErrorKind::AddrInUse => {
                    "another program listens there; --port 0 takes a free port"
                }
                io::ErrorKind::PermissionDenied => {
                    "ports below 1024 belong to the system; take a higher one"
                }
                _ => "--host must be an address of this machine",
            },
            Self::Output {
                unread_fifo: true, ..
            } => "no program reads from this pipe; start the reader first",
            Self::Listen(_) | Self::Output { .. } => return None,
        };
        Some(hint.to_owned())
    }
}
