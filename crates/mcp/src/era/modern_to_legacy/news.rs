//! Notifications of the server: progress, logs, and changes for subscriptions.

use std::collections::BTreeSet;

use linkspan_wire::{Id, Json, Message, quote};

use super::opening::OwnRequest;
use super::{ModernToLegacy, ids};
use crate::era::{Provenance, Step};
use crate::level::Level;
use crate::meta::SUBSCRIPTION_ID;
use crate::method::names;
use linkspan_wire::Object;

/// A list that may change: its capability, its member of a subscription, its notification.
struct List {
    capability: [&'static str; 2],
    member: &'static str,
    notification: &'static str,
}

const LISTS: [List; 3] = [
    List {
        capability: ["tools", "listChanged"],
        member: "toolsListChanged",
        notification: "notifications/tools/list_changed",
    },
    List {
        capability: ["prompts", "listChanged"],
        member: "promptsListChanged",
        notification: "notifications/prompts/list_changed",
    },
    List {
        capability: ["resources", "listChanged"],
        member: "resourcesListChanged",
        notification: "notifications/resources/list_changed",
    },
];

/// Limit of resource subscriptions of one listener.
const MAX_URIS: usize = 1024;

/// A `subscriptions/listen` of the client.
pub(super) struct Listener {
    pub(super) id: Id,
    lists: Vec<&'static List>,
    uris: BTreeSet<String>,
    /// Resources that the server has not confirmed. Until then no notification is forwarded.
    waits_for: BTreeSet<String>,
}

/// A resource that clients have subscribed to.
#[derive(Default)]
pub(super) struct Wanted {
    by: usize,
    /// The number of the request to the server.
    own_request: u64,
    /// The server has agreed.
    agreed: bool,
}

impl ModernToLegacy {
    pub(super) fn listen(&mut self, id: Id, msg: &Message) -> Vec<Step> {
        let wanted = msg.params().and_then(|p| p.get("notifications"));
        let wants = |member: &str| {
            let value = wanted.and_then(|w| w.get(member));
            value.and_then(Json::as_bool) == Some(true)
        };
        let lists = LISTS
            .iter()
            .filter(|list| wants(list.member) && self.server.can(&list.capability))
            .collect();
        let uris: BTreeSet<String> = wanted
            .and_then(|w| w.get("resourceSubscriptions"))
            .filter(|_| self.server.can(&["resources", "subscribe"]))
            .into_iter()
            .flat_map(Json::elements)
            .filter_map(|uri| Some(uri.as_str()?.into_owned()))
            .filter(|uri| !uri.is_empty())
            .take(MAX_URIS)
            .collect();
        let mut steps = Vec::new();
        let mut waits_for = BTreeSet::new();
        for uri in &uris {
            let wanted = self.subscribed.entry(uri.clone()).or_default();
            wanted.by += 1;
            if !wanted.agreed {
                waits_for.insert(uri.clone());
            }
            if wanted.by == 1 {
                wanted.own_request = self.last + 1;
                let own_request = OwnRequest::Subscribe { uri: uri.clone() };
                let params = format!(r#"{{"uri":{}}}"#, quote(uri));
                steps.push(self.own_request(own_request, names::SUBSCRIBE, &params));
            }
        }
        let listener = Listener {
            id,
            lists,
            uris,
            waits_for,
        };
        if listener.waits_for.is_empty() {
            steps.push(listener.acknowledge());
        }
        self.listeners.push(listener);
        steps
    }

    pub(super) fn subscription_answered(
        &mut self,
        number: Option<u64>,
        uri: &str,
        worked: bool,
    ) -> Vec<Step> {
        if self.subscribed.get(uri).map(|wanted| wanted.own_request) != number {
            // The listener has ended since.
            return Vec::new();
        }
        if worked {
            if let Some(wanted) = self.subscribed.get_mut(uri) {
                wanted.agreed = true;
            }
        } else {
            self.subscribed.remove(uri);
        }
        let mut steps = Vec::new();
        for listener in &mut self.listeners {
            if !listener.waits_for.remove(uri) {
                continue;
            }
            if !worked {
                listener.uris.remove(uri);
            }
            if listener.waits_for.is_empty() {
                steps.push(listener.acknowledge());
            }
        }
        steps
    }

    /// Ends a subscription; `None` if the id does not belong to one.
    pub(super) fn stop_listening(&mut self, id: &Id) -> Option<Vec<Step>> {
        let key = id.key();
        let at = self.listeners.iter().position(|l| l.id.key() == key)?;
        let listener = self.listeners.remove(at);
        let mut steps = Vec::new();
        for uri in listener.uris {
            let Some(wanted) = self.subscribed.get_mut(&uri) else {
                continue;
            };
            wanted.by -= 1;
            if wanted.by == 0 {
                self.subscribed.remove(&uri);
                let params = format!(r#"{{"uri":{}}}"#, quote(&uri));
                steps.push(self.own_request(OwnRequest::Nothing, names::UNSUBSCRIBE, &params));
            }
        }
        Some(steps)
    }

    /// Handles a notification of the server.
    pub(super) fn notified(&mut self, msg: Message, provenance: &Provenance) -> Vec<Step> {
        let method = msg.method();
        match &*method {
            names::PROGRESS => self.progress(msg.clone()).into_iter().collect(),
            names::MESSAGE => self.log(&msg, provenance).into_iter().collect(),
            names::CANCELLED => {
                self.withdrawn(&msg);
                Vec::new()
            }
            names::RESOURCE_UPDATED => {
                let uri = msg.params().and_then(|p| p.get("uri")?.as_str());
                self.tell(&msg, |listener| {
                    uri.as_deref().is_some_and(|uri| listener.follows(uri))
                })
            }
            method => match LISTS.iter().find(|list| list.notification == method) {
                Some(list) => self.tell(&msg, |listener| {
                    listener.lists.iter().any(|l| l.member == list.member)
                }),
                // Other notifications do not exist in the modern era.
                None => Vec::new(),
            },
        }
    }

    fn tell(&self, msg: &Message, wants: impl Fn(&Listener) -> bool) -> Vec<Step> {
        self.listeners
            .iter()
            .filter(|listener| listener.waits_for.is_empty() && wants(listener))
            .map(|listener| listener.tell(msg))
            .collect()
    }

    /// Forwards progress to the open request, under its token.
    fn progress(&mut self, msg: Message) -> Option<Step> {
        // A server may spell the token differently.
        let token = Id::parse(msg.params()?.get("progressToken")?)?.key();
        let call = self
            .calls
            .values_mut()
            .find(|call| call.sent_token.as_ref() == Some(&token))?;
        if call.parked.is_some() {
            // Progress only increases, so the newest is enough.
            call.progress = Some(msg);
            return None;
        }
        call.report(&msg)
    }

    /// Forwards a log message to the call that it arrived with, if its level is wanted. While calls of several
    /// principals are open, a message without a call is dropped.
    fn log(&self, msg: &Message, provenance: &Provenance) -> Option<Step> {
        let level = msg.params()?.get("level").and_then(Level::parse)?;
        let wants = |call: &super::call::Call| {
            call.front.is_some() && call.level.is_some_and(|from| level >= from)
        };
        let named = provenance.about.as_ref().and_then(ids::request_number);
        let call = match named {
            Some(number) => self.calls.get(&number).filter(|call| wants(call)),
            None if provenance.late || !self.has_one_principal() => None,
            // Over stdio it names no call; of the calls of one principal the newest is the best guess.
            None => self.calls.values().rev().find(|call| wants(call)),
        }?;
        Some(Step::to_front(msg.clone(), call.front.as_ref()?))
    }
}

impl Listener {
    fn follows(&self, uri: &str) -> bool {
        // A server may notify about resources below the subscribed one, but not beside it.
        self.uris.iter().any(|known| {
            uri.strip_prefix(known.as_str()).is_some_and(|below| {
                below.is_empty() || known.ends_with('/') || below.starts_with(['/', '?', '#'])
            })
        })
    }

    fn acknowledge(&self) -> Step {
        let mut honoured = Object::empty();
        for list in &self.lists {
            honoured = honoured.with(list.member, "true");
        }
        if !self.uris.is_empty() {
            let uris: Vec<String> = self.uris.iter().map(|uri| quote(uri)).collect();
            honoured = honoured.with("resourceSubscriptions", &format!("[{}]", uris.join(",")));
        }
        let params = format!(r#"{{"notifications":{}}}"#, honoured.text());
        self.tell(&Message::notification(names::ACKNOWLEDGED, Some(&params)))
    }

    fn tell(&self, msg: &Message) -> Step {
        let params = msg.params();
        let meta =
            Object::of(params.and_then(|p| p.get("_meta"))).with(SUBSCRIPTION_ID, self.id.text());
        let params = Object::of(params).with("_meta", &meta.text());
        let msg = Message::notification(&msg.method(), Some(&params.text()));
        Step::to_front(msg, &self.id)
    }
}
