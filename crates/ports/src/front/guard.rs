//! Asking who sends a request, where that is more than one fixed token.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderName;
use http::header::AUTHORIZATION;
use http::request::Parts;
use linkspan_auth::resource::{Denied, Identity, Presented, Scheme};

/// Decides which requests are served. It sees every request but those for `/healthz`, its own documents, and the
/// preflights of browsers.
pub trait Guard: fmt::Debug + Send + Sync + 'static {
    /// Verifies the credentials of a request.
    fn admit<'a>(&'a self, request: GuardedRequest<'a>) -> Admitting<'a>;

    /// Whether calls of some tools need more than other requests.
    fn limits_tools(&self) -> bool;

    /// Whether a sender may call these tools.
    fn permit(&self, identity: &Identity, scheme: Scheme, tools: &[String]) -> Result<(), Denied>;

    /// A JSON document that is public at this path.
    fn document(&self, path: &str) -> Option<Bytes>;

    /// The URL of the endpoint as clients know it.
    fn resource(&self) -> &str;
}

/// A verdict that may take a while: keys of an issuer may have to be fetched.
pub type Admitting<'a> = Pin<Box<dyn Future<Output = Result<AdmittedCaller, Denied>> + Send + 'a>>;

/// The sender of a request that is served.
#[derive(Debug, Clone)]
pub struct AdmittedCaller {
    /// Who it is.
    pub identity: Arc<Identity>,
    /// For how long its credentials count from now on; `None` if they do not expire.
    pub lasts: Option<Duration>,
}

/// What a guard sees of a request.
#[derive(Debug, Clone, Copy)]
pub struct GuardedRequest<'a> {
    /// The HTTP method.
    pub method: &'a str,
    /// The path, without the query.
    pub path: &'a str,
    /// The credentials.
    pub presented: Presented<'a>,
}

const DPOP: HeaderName = HeaderName::from_static("dpop");

impl<'a> GuardedRequest<'a> {
    pub(super) fn of(head: &'a Parts) -> Self {
        let values = |name: HeaderName| {
            let values = head.headers.get_all(name).into_iter();
            values.map(|value| value.as_bytes())
        };
        Self {
            method: head.method.as_str(),
            path: head.uri.path(),
            presented: Presented::read(values(AUTHORIZATION), values(DPOP)),
        }
    }
}
