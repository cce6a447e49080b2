//! From which address a server answered.

use std::net::IpAddr;
use std::sync::Arc;

use http::Extensions;
use hyper_util::client::legacy::connect::HttpInfo;
use parking_lot::Mutex;

/// The address of the connection that a server answered on. Clones of a server's options share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Reached(Arc<Mutex<Option<IpAddr>>>);

impl Reached {
    pub(super) fn get(&self) -> Option<IpAddr> {
        *self.0.lock()
    }

    pub(super) fn set(&self, ip: IpAddr) {
        *self.0.lock() = Some(ip);
    }

    /// Notes the peer of the connection that a response came over.
    pub(super) fn note(&self, response: &Extensions) {
        if let Some(info) = response.get::<HttpInfo>() {
            self.set(info.remote_addr().ip());
        }
    }
}
