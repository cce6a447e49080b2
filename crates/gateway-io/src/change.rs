//! Changes of lists, for the subscriptions of clients.

use linkspan_gateway::{Alias, ListKind};
use linkspan_ports::Principal;

use crate::asked::Asked;

/// A list has changed.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// The server; `None` if all lists may have changed.
    alias: Option<Alias>,
    /// The principal whose list it is; `None` for a server that all clients share.
    principal: Option<Principal>,
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

    /// A list of one server has changed, for one principal or for all.
    pub(crate) fn of(alias: &Alias, principal: Option<&Principal>, kind: ListKind) -> Self {
        Self {
            alias: Some(alias.clone()),
            principal: principal.cloned(),
            kind,
        }
    }

    /// Whether the lists of a client may have changed.
    pub(crate) fn concerns(&self, asked: &Asked) -> bool {
        let principal = self.principal.as_ref();
        let alias = self.alias.as_ref();
        alias.is_none_or(|alias| asked.find(alias).is_some())
            && principal.is_none_or(|principal| *principal == asked.caller.principal)
    }
}
