//! What sends the requests of the machines.

use std::pin::Pin;

use linkspan_auth::{HttpRequest, HttpResponse};

/// A response that will be there later.
pub type Sending<'a> =
    Pin<Box<dyn Future<Output = Result<HttpResponse, TransportError>> + Send + 'a>>;

/// Sends requests to authorization servers. Bodies, redirects, addresses and time are bounded by the implementation.
pub trait Transport: Send + Sync + 'static {
    /// Sends one request.
    fn send(&self, request: HttpRequest) -> Sending<'_>;
}

/// Reaches no one: for resources whose keys are all in files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offline;

impl Transport for Offline {
    fn send(&self, request: HttpRequest) -> Sending<'_> {
        let host = request.url.host_str().unwrap_or_default().to_owned();
        let why = "nothing is fetched here".to_owned();
        Box::pin(async { Err(TransportError::Unreachable { host, why }) })
    }
}

/// Why there is no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// The host could not be reached, or the connection broke.
    #[error("{host} cannot be reached: {why}")]
    Unreachable {
        /// Of the URL.
        host: String,
        /// In a few words.
        why: String,
    },
    /// The address is one that must not be asked.
    #[error("{host} is {what}, and the server that names it is not on this network")]
    Address {
        /// Of the URL.
        host: String,
        /// What it turned out to be.
        what: String,
    },
    /// Neither https nor http on this machine.
    #[error("{0} is neither https nor on this machine")]
    Plain(String),
    /// The body is larger than the limit.
    #[error("the answer of {host} has more than {limit} bytes")]
    TooLarge {
        /// Of the URL.
        host: String,
        /// The limit.
        limit: usize,
    },
    /// No complete answer in time.
    #[error("{0} took too long to answer")]
    TooSlow(String),
}
