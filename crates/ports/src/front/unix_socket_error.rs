//! Why a Unix socket cannot be listened on.

use std::io;
use std::path::PathBuf;

/// Why a Unix socket cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnixSocketError {
    /// A process listens there.
    #[error("another program listens on {}", .0.display())]
    InUse(PathBuf),
    /// The path names a file of another kind.
    #[error("{} is there, and is not a socket", .0.display())]
    OtherFile(PathBuf),
    /// The socket belongs to another user.
    #[error("the socket {} belongs to another user", .0.display())]
    OtherUser(PathBuf),
    /// The system has refused it.
    #[error("cannot listen on {}: {source}", path.display())]
    Io {
        /// The path of the socket.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The system has no Unix sockets, or they are not supported there.
    #[error("Unix sockets are not supported on this system")]
    Unsupported,
}

impl UnixSocketError {
    /// A hint for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::InUse(_) => "stop that program, or choose another path",
            Self::OtherFile(_) | Self::OtherUser(_) => "choose another path; it is not replaced",
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => "make its folder first",
                io::ErrorKind::InvalidInput => {
                    "the path of a socket has at most about 90 bytes: choose a shorter one"
                }
                _ => "it must be in a folder that you can write to",
            },
            Self::Unsupported => "listen on an address with --host and --port",
        }
    }
}
