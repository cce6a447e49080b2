//! Addresses of a host name, checked where a rule forbids some.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::vec;

use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use tower_service::Service;

/// Says why an address is forbidden; `None` if it is allowed.
pub type AddressRule = fn(IpAddr) -> Option<&'static str>;

/// The system's resolver. The connection goes to an address that was checked, so that a name that changes between
/// check and use (DNS rebinding) gains nothing.
#[derive(Clone)]
pub(super) struct Resolver {
    pub(super) inner: GaiResolver,
    pub(super) rule: Option<AddressRule>,
    pub(super) ipv4_only: bool,
}

impl Service<Name> for Resolver {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let (looking, rule) = (self.inner.call(name), self.rule);
        let ipv4_only = self.ipv4_only;
        Box::pin(async move {
            let usable = |address: &SocketAddr| address.is_ipv4() || !ipv4_only;
            let found: Vec<SocketAddr> = looking.await?.filter(usable).collect();
            let forbidden = |address: &SocketAddr| rule.and_then(|rule| rule(address.ip()));
            match found.iter().find_map(forbidden) {
                Some(what) => Err(io::Error::other(format!("{FORBIDDEN}{what}"))),
                None => Ok(found.into_iter()),
            }
        })
    }
}

/// The prefix of the error of a forbidden address.
pub(super) const FORBIDDEN: &str = "the address is not allowed: it is ";
