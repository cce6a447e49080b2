//! One `subscriptions/listen` for all notifications that a legacy session gets unasked.
//!
//! A subscription cannot be changed, only replaced. The old one is kept until the new one is acknowledged, so that no
//! notification is missed in between.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use linkspan_wire::{Id, Json, Kind, Message, RpcError, quote};

use super::LegacyToModern;
use crate::era::results::code;
use crate::era::{Step, ids};
use crate::meta::SUBSCRIPTION_ID;
use crate::method::names;
use linkspan_wire::Object;

/// Resources that one client may subscribe to.
const MAX_URIS: usize = 1024;

const LISTS: [(&[&str], &str); 3] = [
    (&["tools", "listChanged"], "toolsListChanged"),
    (&["prompts", "listChanged"], "promptsListChanged"),
    (&["resources", "listChanged"], "resourcesListChanged"),
];

/// How long a server may take to acknowledge a subscription.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long we wait before we open a subscription again that has ended; doubles each time.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

#[derive(Default)]
pub(super) struct Listening {
    uris: BTreeSet<String>,
    /// The URIs that the server has acknowledged.
    agreed: BTreeSet<String>,
    /// The active subscription, and since when it is active.
    current: Option<(u64, Instant)>,
    opening: Option<Opening>,
    /// When to open a subscription again after the last one has ended.
    again_at: Option<Instant>,
    wait: Duration,
}

/// A subscription that is not acknowledged yet.
struct Opening {
    number: u64,
    /// The requests that wait for it, and their resources.
    waiting: Vec<(Id, String)>,
    until: Instant,
    /// It replaces a subscription that was lost, so notifications may have been missed.
    after_gap: bool,
}

impl Listening {
    pub(super) fn next_wake(&self) -> Option<Instant> {
        let opening = self.opening.as_ref().map(|opening| opening.until);
        opening.into_iter().chain(self.again_at).min()
    }
}

impl LegacyToModern {
    /// The client subscribes to a resource.
    pub(super) fn subscribe(&mut self, id: Id, msg: &Message, now: Instant) -> Vec<Step> {
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
        if !self.listening.uris.insert(uri.clone()) && self.listening.agreed.contains(&uri) {
            return vec![Step::answer(&id, "{}")];
        }
        let steps = self.listen_anew(now);
        if let Some(opening) = &mut self.listening.opening {
            opening.waiting.push((id, uri));
        }
        steps
    }

    pub(super) fn unsubscribe(&mut self, id: &Id, msg: &Message, now: Instant) -> Vec<Step> {
        let uri = msg.params().and_then(|p| p.get("uri")?.as_str());
        let uri = uri.unwrap_or_default();
        let known = self.listening.uris.remove(&*uri);
        self.listening.agreed.remove(&*uri);
        let mut steps = vec![Step::answer(id, "{}")];
        if let Some(opening) = &mut self.listening.opening {
            // The resource was subscribed to and unsubscribed from.
            let over = opening.waiting.extract_if(.., |(_, waits)| *waits == uri);
            steps.extend(over.map(|(id, _)| Step::answer(&id, "{}")));
        }
        if known {
            steps.extend(self.listen_anew(now));
        }
        steps
    }

    /// Opens a subscription for the current lists and resources.
    pub(super) fn listen_anew(&mut self, now: Instant) -> Vec<Step> {
        let after_gap =
            self.listening.again_at.take().is_some() && self.listening.current.is_none();
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
        let before = self.listening.opening.take();
        steps.extend(before.as_ref().map(|o| Self::drop_errand(o.number)));
        if wanted.is_empty() {
            let current = self.listening.current.take();
            steps.extend(current.map(|(number, _)| Self::drop_errand(number)));
            return steps;
        }
        let params = format!(r#"{{"notifications":{}}}"#, wanted.text());
        let (number, step) = self.own_request(names::LISTEN, &params);
        let after_gap = after_gap || before.as_ref().is_some_and(|o| o.after_gap);
        self.listening.opening = Some(Opening {
            number,
            waiting: before.map_or_else(Vec::new, |o| o.waiting),
            until: now + PATIENCE,
            after_gap,
        });
        steps.push(step);
        steps
    }

    /// Handles a notification of a subscription; `None` for other messages.
    pub(super) fn news(&mut self, msg: &Message, now: Instant) -> Option<Vec<Step>> {
        let params = msg.params();
        let meta = params.and_then(|p| p.get("_meta"));
        let id = meta.and_then(|meta| Id::parse(meta.get(SUBSCRIPTION_ID)?))?;
        let Some(number) = ids::request_number(&id) else {
            // It belongs to a subscription that has ended.
            return Some(Vec::new());
        };
        if msg.method() == names::ACKNOWLEDGED {
            return Some(self.acknowledged(number, params?, now));
        }
        if self.listening.current.map(|(number, _)| number) != Some(number) {
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

    fn acknowledged(&mut self, number: u64, params: Json<'_>, now: Instant) -> Vec<Step> {
        let is_new = |opening: &mut Opening| opening.number == number;
        let Some(opening) = self.listening.opening.take_if(is_new) else {
            return Vec::new();
        };
        let honoured = params.get("notifications");
        let uris: BTreeSet<String> = honoured
            .and_then(|h| h.get("resourceSubscriptions"))
            .into_iter()
            .flat_map(Json::elements)
            .filter_map(|uri| Some(uri.as_str()?.into_owned()))
            .collect();
        let old = self.listening.current.replace((number, now));
        let old = old.map(|(number, _)| Self::drop_errand(number));
        let mut steps: Vec<Step> = old.into_iter().collect();
        for (id, uri) in opening.waiting {
            steps.push(if uris.contains(&uri) {
                Step::answer(&id, "{}")
            } else {
                self.listening.uris.remove(&uri);
                let error = RpcError::server(format!("the server does not report on {uri}"));
                Step::refuse(&id, &error)
            });
        }
        self.listening.agreed = uris;
        if opening.after_gap {
            steps.extend(self.missed());
        }
        steps
    }

    /// The notifications for a gap without a subscription, in which anything may have changed.
    fn missed(&self) -> Vec<Step> {
        let lists = LISTS.iter().filter(|(can, _)| self.server.can(can));
        let lists = lists.map(|(can, _)| {
            let method = format!("notifications/{}/list_changed", can[0]);
            Message::notification(&method, None)
        });
        let resources = self.listening.uris.iter().map(|uri| {
            let params = format!(r#"{{"uri":{}}}"#, quote(uri));
            Message::notification(names::RESOURCE_UPDATED, Some(&params))
        });
        lists
            .chain(resources)
            .map(|msg| Step::Front { msg, about: None })
            .collect()
    }

    /// Handles the end or refusal of a subscription; `None` for other answers.
    pub(super) fn listening_ended(
        &mut self,
        number: u64,
        answer: &Message,
        now: Instant,
    ) -> Option<Vec<Step>> {
        let was_current = self.listening.current.take_if(|(n, _)| *n == number);
        let is_it = |opening: &mut Opening| opening.number == number;
        let opening = self.listening.opening.take_if(is_it);
        if was_current.is_none() && opening.is_none() {
            return None;
        }
        if was_current.is_some_and(|(_, since)| now - since > LONGEST_WAIT) {
            self.listening.wait = Duration::ZERO;
        }
        if was_current.is_some()
            && let Some(opening) = &mut self.listening.opening
        {
            opening.after_gap = true;
        }
        // The next subscription may differ from the refused one.
        let others = opening.as_ref().is_some_and(|o| !o.waiting.is_empty());
        let again = may_come_back(answer) || (others && self.listening.current.is_none());
        if again && self.listening.opening.is_none() {
            let wait = self.listening.wait.max(FIRST_WAIT);
            self.listening.again_at = Some(now + wait);
            self.listening.wait = wait.saturating_mul(2).min(LONGEST_WAIT);
        }
        Some(self.give_up_waiting(opening, answer))
    }

    fn give_up_waiting(&mut self, opening: Option<Opening>, answer: &Message) -> Vec<Step> {
        let waiting = opening.map_or_else(Vec::new, |opening| opening.waiting);
        let mut steps = Vec::new();
        for (id, uri) in waiting {
            self.listening.uris.remove(&uri);
            steps.push(match answer.kind() {
                Kind::Error => Step::to_front(answer.clone().with_id(id.clone()), &id),
                _ => Step::refuse(
                    &id,
                    &RpcError::server("the server has ended the subscription"),
                ),
            });
        }
        steps
    }

    /// Opens a lost subscription again, and drops one that was not acknowledged in time.
    pub(super) fn listening_due(&mut self, now: Instant) -> Vec<Step> {
        let is_late = |opening: &mut Opening| opening.until <= now;
        if let Some(late) = self.listening.opening.take_if(is_late) {
            let number = late.number;
            let error = RpcError::server("the server has not acknowledged the subscription")
                .with_data(r#"{"kind":"timeout"}"#);
            let mut steps = self.give_up_waiting(Some(late), &error.answer(&Id::null()));
            steps.push(Self::drop_errand(number));
            self.listening.again_at = Some(now + LONGEST_WAIT);
            return steps;
        }
        if self.listening.again_at.is_some_and(|at| at <= now) {
            return self.listen_anew(now);
        }
        Vec::new()
    }
}

/// Whether to subscribe again after this answer.
fn may_come_back(end: &Message) -> bool {
    if end.kind() == Kind::Result {
        return true;
    }
    !matches!(code(end), Some(-32602..=-32600))
}
