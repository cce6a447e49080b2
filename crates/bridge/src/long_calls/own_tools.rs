//! Calls of the layer's own tools.

use std::time::Instant;

use linkspan_mcp::era_of;
use linkspan_session::{Envelope, Verdict, Way};
use linkspan_wire::{Id, Json, Message};
use tokio::sync::oneshot;

use super::call::Owner;
use super::layer::LongCallLayer;
use super::open::{Open, What};
use super::progress::Progress;
use super::results;
use super::tools::WAIT_FOR;
use super::waiting::{self, Wait, Wanted};

/// Calls of `wait_for` of one session that wait at once. The next one is told at once what is known.
const MOST_WAITS: usize = 64;

impl LongCallLayer {
    /// A call of `wait_for`.
    pub(super) fn wait_for(&mut self, envelope: Envelope, id: &Id, now: Instant) -> Verdict {
        let era = era_of(&envelope.msg);
        let params = envelope.msg.params();
        let argument = |name: &str| params.and_then(|it| it.path(&["arguments", name]));
        let refuse = |text: &str| {
            let answer = results::text(id, era, text, true);
            Verdict::Back(Envelope::new(answer))
        };
        let Some(handle) = argument("call").and_then(Json::as_str) else {
            return refuse(results::NO_HANDLE);
        };
        if argument("cancel").and_then(Json::as_bool) == Some(true) {
            if !self.shared.kept.lock().cancel(&handle, &self.owner) {
                return refuse(results::NOT_RUNNING);
            }
            let mut several = self.end_cancelled(now);
            let answer = results::text(id, era, results::CANCELLED, false);
            several.push((Way::ToFront, Envelope::new(answer)));
            return Verdict::Many(several);
        }
        let is_retry = params.is_some_and(|it| {
            it.get("inputResponses").is_some() || it.get("requestState").is_some()
        });
        if is_retry && let Some(resumed) = self.resume(&handle, &envelope.msg, now) {
            return Verdict::Pass(Envelope {
                msg: resumed,
                ..envelope
            });
        }
        self.wait(handle.into_owned(), &envelope.msg, id, now)
    }

    fn wait(&mut self, handle: String, call: &Message, id: &Id, now: Instant) -> Verdict {
        self.waits.retain(|wait| !wait.is_over());
        let patience = self.shared.options.patience.unwrap_or_default();
        let may_wait = self.waits.len() < MOST_WAITS;
        let wanted = Wanted {
            handle: handle.clone(),
            owner: self.owner.clone(),
            id: id.clone(),
            era: era_of(call),
            wait_for: self.shared.names.lock().of(WAIT_FOR),
            until: if may_wait { now + patience } else { now },
        };
        let (goes_on, ends) = oneshot::channel();
        if may_wait {
            let progress = Progress::of(call, now);
            let next = progress.as_ref().map(Progress::next);
            self.next = next.into_iter().chain(self.next).min();
            self.waits.push(Wait {
                handle,
                id: id.clone(),
                progress,
                goes_on,
            });
        }
        Verdict::BackLater(waiting::answer(self.shared.clone(), wanted, ends))
    }

    /// The client answers the questions of a kept call: the request to send. `None` if the server asks nothing.
    fn resume(&mut self, handle: &str, retry: &Message, now: Instant) -> Option<Message> {
        let shared = self.shared.clone();
        let mut kept = shared.kept.lock();
        let resumed = results::resumed(kept.request(handle, &self.owner)?, retry)?;
        let id = resumed.id()?;
        let is_open = self.note(Open {
            id: id.clone(),
            what: What::Call {
                request: resumed.clone(),
                began: now,
            },
            progress: Progress::of(&resumed, now),
            due: self.due(now),
            handle: Some(handle.to_owned()),
            kept: None,
        });
        if !is_open {
            return None;
        }
        kept.goes_on(handle, self.number, id);
        Some(resumed)
    }

    /// A call of `running`.
    pub(super) fn running(&self, msg: &Message, id: &Id, now: Instant) -> Envelope {
        let calls = self.shared.kept.lock().list(&self.owner, now);
        let calls = (self.owner != Owner::Unknown).then_some(&*calls);
        let text = results::listed(calls, now);
        Envelope::new(results::text(id, era_of(msg), &text, false))
    }
}
