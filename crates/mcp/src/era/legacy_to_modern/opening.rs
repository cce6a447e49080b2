//! The client's handshake.

use linkspan_wire::{Id, Kind, Message, RpcError};

use super::LegacyToModern;
use crate::era::claims::{Sender, wrap};
use crate::era::discovery::{Server, may_go_again, probe};
use crate::era::results::text_of;
use crate::era::{Step, ids};
use crate::method::names;
use crate::revision::{Era, Revision};

pub(super) enum Phase {
    Fresh,
    /// The client's `initialize` waits for the answer to the request of this number.
    Discovering {
        id: Id,
        number: u64,
    },
    Ready,
}

impl Phase {
    pub(super) fn is_discovery(&self, answered: u64) -> bool {
        matches!(self, Self::Discovering { number, .. } if *number == answered)
    }
}

impl LegacyToModern {
    /// Handles the client's handshake: it is answered after `server/discover`.
    pub(super) fn initialize(&mut self, id: &Id, msg: &Message) -> Vec<Step> {
        if matches!(self.phase, Phase::Discovering { .. }) {
            let error = RpcError::invalid_request("the handshake is under way already");
            return vec![Step::refuse(id, &error)];
        }
        self.introduce(msg);
        let number = self.next();
        self.phase = Phase::Discovering {
            id: id.clone(),
            number,
        };
        let id = ids::request(number);
        let Sender {
            capabilities, info, ..
        } = &self.sender;
        vec![Step::Back(probe(&id, capabilities, info))]
    }

    /// Takes the client's capabilities and info from its `initialize`.
    fn introduce(&mut self, initialize: &Message) {
        let params = initialize.params();
        if let Some(capabilities) = text_of(params, "capabilities") {
            self.sender.capabilities = capabilities;
        }
        if let Some(info) = text_of(params, "clientInfo") {
            self.sender.info = info;
        }
        let asked = params.and_then(|p| p.get("protocolVersion")?.as_str());
        self.revision = asked
            .and_then(|version| Revision::parse(&version))
            .filter(|revision| revision.era() == Era::Legacy)
            .unwrap_or(Revision::LAST_LEGACY);
    }

    /// Continues a handshake that began while the server's era was not known: takes the client's `initialize` and the
    /// result of `server/discover`.
    pub(crate) fn adopt(&mut self, initialize: &Message, discovered: &Message) -> Vec<Step> {
        let Some(id) = initialize.id() else {
            return Vec::new();
        };
        if discovered.kind() != Kind::Result {
            return self.initialize(&id, initialize);
        }
        self.introduce(initialize);
        self.phase = Phase::Discovering { id, number: 0 };
        self.discovered(discovered)
    }

    pub(super) fn discovered(&mut self, answer: &Message) -> Vec<Step> {
        let Phase::Discovering { id, .. } = std::mem::replace(&mut self.phase, Phase::Fresh) else {
            return Vec::new();
        };
        match answer.body() {
            Some(result) if answer.kind() == Kind::Result => {
                self.server = Server::discovered(result);
                self.phase = Phase::Ready;
                let result = self.server.initialize_result(self.revision);
                vec![Step::answer(&id, &result)]
            }
            _ if may_go_again(answer) && !self.tried_again => {
                self.tried_again = true;
                let number = self.next();
                let probe = probe(
                    &ids::request(number),
                    &self.sender.capabilities,
                    &self.sender.info,
                );
                self.phase = Phase::Discovering { id, number };
                vec![Step::Back(probe)]
            }
            _ => vec![Step::to_front(answer.clone().with_id(id.clone()), &id)],
        }
    }

    /// A request of our own.
    pub(super) fn own_request(&mut self, method: &str, params: &str) -> (u64, Step) {
        let number = self.next();
        let params = linkspan_wire::Json::parse(params).ok();
        let params = wrap(params, &self.sender, None);
        let msg = Message::request(&ids::request(number), method, Some(&params));
        (number, Step::Back(msg))
    }

    /// Takes back a request of our own.
    pub(super) fn drop_errand(number: u64) -> Step {
        let params = format!(r#"{{"requestId":{}}}"#, ids::request(number));
        Step::Back(Message::notification(names::CANCELLED, Some(&params)))
    }
}
