//! What a front listens on.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpListener;

#[cfg(unix)]
use super::unix_socket::UnixSocket;
use crate::byte_stream::ByteStream;

/// A bound socket that accepts clients.
#[derive(Debug)]
#[non_exhaustive]
pub enum FrontListener {
    /// An address.
    Tcp(TcpListener),
    /// A path.
    #[cfg(unix)]
    Unix(UnixSocket),
}

impl FrontListener {
    /// How clients name the endpoint at this path.
    pub fn url(&self, endpoint: &str) -> io::Result<String> {
        Ok(match self {
            Self::Tcp(listener) => format!("http://{}{endpoint}", listener.local_addr()?),
            #[cfg(unix)]
            Self::Unix(socket) => format!("unix:{}:{endpoint}", socket.path().display()),
        })
    }

    /// The URL that requests to this endpoint have.
    pub fn request_url(&self, endpoint: &str) -> io::Result<String> {
        match self {
            Self::Tcp(_) => self.url(endpoint),
            #[cfg(unix)]
            Self::Unix(_) => Ok(format!("http://localhost{endpoint}")),
        }
    }

    /// The address, if there is one.
    pub(super) fn address(&self) -> io::Result<Option<SocketAddr>> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(Some),
            #[cfg(unix)]
            Self::Unix(_) => Ok(None),
        }
    }

    pub(super) async fn accept(&self) -> io::Result<ByteStream> {
        Ok(match self {
            Self::Tcp(listener) => ByteStream::Tcp(listener.accept().await?.0),
            #[cfg(unix)]
            Self::Unix(socket) => ByteStream::Unix(socket.listener.accept().await?.0),
        })
    }
}

impl From<TcpListener> for FrontListener {
    fn from(listener: TcpListener) -> Self {
        Self::Tcp(listener)
    }
}

#[cfg(unix)]
impl From<UnixSocket> for FrontListener {
    fn from(socket: UnixSocket) -> Self {
        Self::Unix(socket)
    }
}
