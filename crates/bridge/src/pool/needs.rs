//! The requirements of a call for its connection.

use linkspan_mcp::era::Claims;
use linkspan_ports::Principal;
use linkspan_wire::Message;

use super::lease::Key;

/// The requirements of a call for its connection.
pub(super) struct Needs {
    pub(super) key: Key,
    /// Whether the server may ask the client during the call.
    pub(super) asks: bool,
    /// For a call that resumes a parked one: the connection that has parked it.
    pub(super) home: Option<String>,
    /// Whether all clients share one connection.
    pub(super) share: bool,
    /// Whether all calls of one client have to use the same connection.
    pub(super) sticky: bool,
}

/// The key of the connections that a call may use. Roots belong to one principal, even if all clients share a
/// connection.
pub(super) fn key_of(
    call: &Message,
    principal: &Principal,
    share: bool,
    roots: Option<String>,
) -> Key {
    if share {
        let principal = match roots {
            Some(_) => principal.without_identity(),
            None => Principal::anonymous(),
        };
        return Key {
            principal,
            scope: None,
            capabilities: None,
            roots,
        };
    }
    let claims = Claims::read(call).ok();
    Key {
        principal: principal.clone(),
        scope: principal.identity().map(|identity| identity.scope()),
        capabilities: claims.map(|claims| claims.capability_key()),
        roots,
    }
}
