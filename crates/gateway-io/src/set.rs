//! The servers of the gateway at one moment, and who may use them.

use std::sync::Arc;

use linkspan_auth::resource::API_KEYS;
use linkspan_gateway::config::ToolLevel;
use linkspan_gateway::{Naming, NoView, Policy, Sender, View};
use linkspan_ports::Principal;
use linkspan_wire::{RpcError, quote};

use crate::upstream::Upstream;

/// Where the clients of a gateway are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clients {
    /// One client, of the user of this machine.
    #[default]
    Local,
    /// Any number, over HTTP.
    Network,
}

/// The servers and their rules. It is replaced as a whole.
#[derive(Default)]
pub struct ServerSet {
    pub(crate) upstreams: Arc<[Arc<Upstream>]>,
    pub(crate) naming: Naming,
    pub(crate) policy: Policy,
    pub(crate) clients: Clients,
    /// The view of requests that name none.
    pub(crate) default_view: Option<String>,
    pub(crate) tools: ToolLevel,
    pub(crate) tools_budget: Option<usize>,
}

impl ServerSet {
    pub(crate) fn upstreams(&self) -> &[Arc<Upstream>] {
        &self.upstreams
    }

    pub(crate) fn has_view(&self, name: &str) -> bool {
        self.policy.views.iter().any(|view| view.name == name)
    }

    /// How much of the definitions of tools a client gets, and their budget in tokens.
    pub(crate) fn tools_of(&self, principal: &Principal) -> (ToolLevel, Option<usize>) {
        let view = self
            .view_of(principal, &self.sender(principal))
            .ok()
            .flatten();
        let level = view.as_ref().and_then(|view| view.tools);
        let budget = view.as_ref().and_then(|view| view.budget);
        (level.unwrap_or(self.tools), budget.or(self.tools_budget))
    }

    /// The sender of requests of this principal.
    pub(crate) fn sender(&self, principal: &Principal) -> Sender {
        if self.clients == Clients::Local {
            return Sender::Local;
        }
        let Some(identity) = principal.identity() else {
            return Sender::Anonymous;
        };
        let claim = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut claims = vec![
            claim("sub", &identity.subject),
            claim("iss", &identity.issuer),
        ];
        claims.extend(identity.client_id.iter().map(|id| claim("client_id", id)));
        claims.extend(identity.scopes.iter().map(|scope| claim("scope", scope)));
        Sender::Verified {
            id: identity.key(),
            key: (identity.issuer == API_KEYS).then(|| identity.subject.clone()),
            claims,
            views: identity.views.clone(),
        }
    }

    /// The view that a request is for.
    pub(crate) fn view_of(
        &self,
        principal: &Principal,
        sender: &Sender,
    ) -> Result<Option<View>, RpcError> {
        let name = principal.view().or(self.default_view.as_deref());
        let view = self.policy.select(name, sender);
        view.map(|view| view.cloned()).map_err(|why| refusal(&why))
    }

    /// The servers of a view.
    pub(crate) fn upstreams_of(&self, view: Option<&View>) -> Arc<[Arc<Upstream>]> {
        let Some(view) = view else {
            return self.upstreams.clone();
        };
        let has = |one: &&Arc<Upstream>| view.has_server(one.alias());
        self.upstreams.iter().filter(has).cloned().collect()
    }
}

fn refusal(why: &NoView) -> RpcError {
    let data = format!(r#"{{"kind":"no_view","hint":{}}}"#, quote(why.hint()));
    RpcError::server(why.to_string()).with_data(data)
}
