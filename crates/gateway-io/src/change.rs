//! Changes of the lists of servers, as subscriptions hear of them.

use linkspan_gateway::{Alias, ListKind};
use linkspan_ports::Principal;

use crate::asked::Asked;
use crate::set::ServerSet;

/// A list has changed.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// The server; `None` if all lists may have changed.
    pub(crate) alias: Option<Alias>,
    /// The principal whose list it is; `None` for a server that all clients share.
    pub(crate) principal: Option<Principal>,
    pub(crate) kind: ListKind,
}

impl Change {
    /// The lists of all servers may have changed.
    pub(crate) fn of_all(kind: ListKind) -> Self {
        Self {
            alias: None,
            principal: None,
            kind,
        }
    }

    /// Whether the lists of a client may have changed.
    pub(crate) fn concerns(&self, now: &ServerSet, asked: &Asked) -> bool {
        let alias = self.alias.as_ref();
        let principal = self.principal.as_ref();
        // The servers of the moment count, not those when the client subscribed.
        let upstreams = now.upstreams_of(asked.view.as_ref());
        let has = |alias: &Alias| upstreams.iter().any(|one| one.alias() == alias);
        alias.is_none_or(has)
            && principal.is_none_or(|principal| *principal == asked.caller.principal)
    }
}
