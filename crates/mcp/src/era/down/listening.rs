//! One `subscriptions/listen` for everything that a legacy session hears of by itself.
//!
//! A subscription cannot be changed, only replaced. The old one stays until the new one is
//! acknowledged, so that nothing is missed in between.

use std::collections::BTreeSet;

use linkspan_wire::{Id, Json, Message, RpcError, quote};

use super::Down;
use crate::era::splice::Object;
use crate::era::{Step, ids};
use crate::meta::SUBSCRIPTION_ID;
use crate::method::names;

/// Resources that one client may subscribe to.
const MAX_URIS: usize = 1024;

const LISTS: [(&[&str], &str); 3] = [
    (&["tools", "listChanged"], "toolsListChanged"),
    (&["prompts", "listChanged"], "promptsListChanged"),
    (&["resources", "listChanged"], "resourcesListChanged"),
];

#[derive(Default)]
pub(super) struct Listening {
    uris: BTreeSet<String>,
    current: Option<u64>,
    /// A subscription that has not been acknowledged, and who waits for it.
    opening: Option<(u64, Vec<(Id, String)>)>,
}

impl Down {
    /// The client wants to hear of a resource.
    pub(super) fn subscribe(&mut self, id: Id, msg: &Message) -> Vec<Step> {
        let uri = msg.params().and_then(|p| p.get("uri")?.as_str());
        let Some(uri) = uri.map(|uri| uri.into_owned()) else {
            let error = RpcError::invalid_params("`uri` is missing");
            return vec![Step::refuse(&id, &error)];
        };
        if !self.server.can(&["resources", "subscribe"]) {
            let error = RpcError::method_not_found(names::SUBSCRIBE);
            return vec![Step::refuse(&id, &error)];
        }
        if self.listening.uris.len() >= MAX_URIS {
            let error = RpcError::server(format!("more than {MAX_URIS} subscriptions"));
            return vec![Step::refuse(&id, &error)];
        }
        self.listening.uris.insert(uri.clone());
        let steps = self.listen_anew();
        match &mut self.listening.opening {
            Some((_, waiting)) => waiting.push((id, uri)),
            None => return vec![Step::answer(&id, "{}")],
        }
        steps
    }

    pub(super) fn unsubscribe(&mut self, id: &Id, msg: &Message) -> Vec<Step> {
        let uri = msg.params().and_then(|p| p.get("uri")?.as_str());
        let known = uri.is_some_and(|uri| self.listening.uris.remove(&*uri));
        let mut steps = vec![Step::answer(id, "{}")];
        if known {
            steps.extend(self.listen_anew());
        }
        steps
    }

    /// Opens a subscription to what is wanted now.
    pub(super) fn listen_anew(&mut self) -> Vec<Step> {
        let mut wanted = Object::empty();
        for (capability, member) in LISTS {
            if self.server.can(capability) {
                wanted = wanted.with(member, "true");
            }
        }
        if !self.listening.uris.is_empty() {
            let uris: Vec<_> = self.listening.uris.iter().map(|uri| quote(uri)).collect();
            wanted = wanted.with("resourceSubscriptions", &format!("[{}]", uris.join(",")));
        }
        let mut steps = Vec::new();
        let mut waiting = Vec::new();
        if let Some((number, before)) = self.listening.opening.take() {
            waiting = before;
            steps.push(Self::drop_errand(number));
        }
        if wanted.is_empty() {
            steps.extend(self.listening.current.take().map(Self::drop_errand));
            return steps;
        }
        let params = format!(r#"{{"notifications":{}}}"#, wanted.text());
        let (number, step) = self.errand(names::LISTEN, &params);
        self.listening.opening = Some((number, waiting));
        steps.push(step);
        steps
    }

    /// A message of a subscription; `None` if it is none.
    pub(super) fn news(&mut self, msg: &Message) -> Option<Vec<Step>> {
        let params = msg.params();
        let meta = params.and_then(|p| p.get("_meta"));
        let id = meta.and_then(|meta| Id::parse(meta.get(SUBSCRIPTION_ID)?));
        let number = id.as_ref().and_then(ids::request_number)?;
        if msg.method() == names::ACKNOWLEDGED {
            return Some(self.acknowledged(number, params?));
        }
        if self.listening.current != Some(number) {
            return Some(Vec::new());
        }
        let meta = Object::of(meta).without(&[SUBSCRIPTION_ID]);
        let params = Object::of(params);
        let params = if meta.is_empty() {
            params.without(&["_meta"])
        } else {
            params.with("_meta", &meta.text())
        };
        let params = Some(params.text()).filter(|text| text != "{}");
        let msg = Message::notification(&msg.method(), params.as_deref());
        Some(vec![Step::Front { msg, about: None }])
    }

    fn acknowledged(&mut self, number: u64, params: Json<'_>) -> Vec<Step> {
        let is_new = |(opening, _): &mut (u64, Vec<_>)| *opening == number;
        let Some((_, waiting)) = self.listening.opening.take_if(is_new) else {
            return Vec::new();
        };
        let honoured: BTreeSet<String> = params
            .path(&["notifications", "resourceSubscriptions"])
            .into_iter()
            .flat_map(Json::elements)
            .filter_map(|uri| Some(uri.as_str()?.into_owned()))
            .collect();
        let old = self.listening.current.replace(number);
        let mut steps: Vec<Step> = old.map(Self::drop_errand).into_iter().collect();
        for (id, uri) in waiting {
            steps.push(if honoured.contains(&uri) {
                Step::answer(&id, "{}")
            } else {
                self.listening.uris.remove(&uri);
                let error = RpcError::server(format!("the server does not report on {uri}"));
                Step::refuse(&id, &error)
            });
        }
        steps
    }

    /// A subscription has ended, or was refused; `None` if this is none.
    pub(super) fn listening_ended(&mut self, number: u64, answer: &Message) -> Option<Vec<Step>> {
        if self.listening.current.take_if(|n| *n == number).is_some() {
            return Some(Vec::new());
        }
        let is_it = |(opening, _): &mut (u64, Vec<_>)| *opening == number;
        let (_, waiting) = self.listening.opening.take_if(is_it)?;
        let steps = waiting.into_iter().map(|(id, uri)| {
            self.listening.uris.remove(&uri);
            match answer.kind() {
                linkspan_wire::Kind::Error => {
                    Step::to_front(answer.clone().with_id(id.clone()), &id)
                }
                _ => Step::refuse(
                    &id,
                    &RpcError::server("the server has ended the subscription"),
                ),
            }
        });
        Some(steps.collect())
    }
}
