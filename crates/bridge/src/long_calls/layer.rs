//! The layer of one session.

use std::sync::Arc;
use std::time::Instant;

use linkspan_mcp::names;
use linkspan_session::{Envelope, Layer, Verdict, Way, now};
use linkspan_wire::Kind;

use super::Shared;
use super::call::{Dropped, Owner};
use super::open::{Open, OpenRequests, What};
use super::progress::Progress;
use super::results;
use super::tools::WAIT_FOR;
use super::waiting::Wait;
use crate::layers::Holds;

pub(super) struct LongCallLayer {
    pub(super) shared: Arc<Shared>,
    /// Of the session.
    pub(super) number: u64,
    pub(super) owner: Owner,
    pub(super) holds: Holds,
    pub(super) open: OpenRequests,
    pub(super) waits: Vec<Wait>,
    /// Nothing is due before.
    pub(super) next: Option<Instant>,
}

impl LongCallLayer {
    pub(super) fn new(shared: Arc<Shared>, number: u64, owner: Owner, holds: Holds) -> Self {
        Self {
            shared,
            number,
            owner,
            holds,
            open: OpenRequests::default(),
            waits: Vec::new(),
            next: None,
        }
    }

    fn request(&mut self, envelope: Envelope, now: Instant) -> Verdict {
        let msg = &envelope.msg;
        let Some(id) = msg.id() else {
            return Verdict::Pass(envelope);
        };
        let does_keep = self.shared.options.patience.is_some();
        let (mut what, mut due) = (What::Other, None);
        match &*msg.method() {
            names::TOOLS_CALL => {
                match self.own_tool(&results::tool_of(msg)) {
                    Some(WAIT_FOR) => return self.wait_for(envelope, &id, now),
                    Some(_) => return Verdict::Back(self.running(msg, &id, now)),
                    None => {}
                }
                due = self.due(now);
                what = What::Call {
                    request: msg.clone(),
                    began: now,
                };
            }
            names::TOOLS_LIST if does_keep => what = What::List,
            // A subscription is silent while nothing changes.
            names::LISTEN => return Verdict::Pass(envelope),
            _ => {}
        }
        let progress = Progress::of(msg, now);
        if !matches!(what, What::Other) || progress.is_some() {
            self.note(Open {
                id,
                what,
                progress,
                due,
                handle: None,
                kept: None,
            });
        }
        Verdict::Pass(envelope)
    }

    /// Which tool of the layer a call means.
    fn own_tool(&self, name: &str) -> Option<&'static str> {
        self.shared.options.patience?;
        let has_handles = !self.shared.kept.lock().is_empty();
        self.shared.names.lock().own(name, has_handles)
    }

    /// When a call of now gets a handle.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        now.checked_add(self.shared.options.patience?)
    }

    /// Looks after a request; `false` if there is no room.
    pub(super) fn note(&mut self, open: Open) -> bool {
        let next = open.progress.as_ref().map(Progress::next);
        let next = next.into_iter().chain(open.due).chain(self.next).min();
        let is_noted = self.open.insert(open);
        if is_noted {
            self.next = next;
        }
        is_noted
    }

    fn cancelled(&mut self, envelope: Envelope) -> Verdict {
        let Some(id) = results::cancelled_id(&envelope.msg) else {
            return Verdict::Pass(envelope);
        };
        if let Some(at) = self.waits.iter().position(|wait| wait.id == id) {
            // The call goes on.
            self.waits.swap_remove(at);
            return Verdict::Drop;
        }
        match self.open.get_mut(&id) {
            // The client has an answer already, or waits for a call that goes on without it.
            Some(open) if open.handle.is_some() => {
                open.kept.get_or_insert_with(|| self.holds.hold());
                Verdict::Drop
            }
            Some(_) => {
                self.open.remove(&id);
                Verdict::Pass(envelope)
            }
            None => Verdict::Pass(envelope),
        }
    }

    fn answered(&mut self, mut envelope: Envelope, now: Instant) -> Verdict {
        let id = envelope.msg.id();
        let Some(open) = id.and_then(|id| self.open.remove(&id)) else {
            return Verdict::Pass(envelope);
        };
        if matches!(open.what, What::List) {
            let list = self.shared.names.lock().add_to(&envelope.msg);
            envelope.msg = list.unwrap_or(envelope.msg);
            return Verdict::Pass(envelope);
        }
        if let Some(handle) = &open.handle {
            let mut kept = self.shared.kept.lock();
            if results::is_closing(&envelope.msg) {
                kept.drop_call(handle, Dropped::Lost, now);
            } else {
                kept.finish(handle, &envelope.msg, now);
            }
            drop(kept);
            self.shared.changed.notify_waiters();
        }
        match open.kept {
            Some(_) => Verdict::Drop,
            None => Verdict::Pass(envelope),
        }
    }
}

impl Layer for LongCallLayer {
    fn on(&mut self, way: Way, envelope: Envelope, now: Instant) -> Verdict {
        match (way, envelope.msg.kind()) {
            (Way::ToBack, Kind::Request) => self.request(envelope, now),
            (Way::ToBack, Kind::Notification) if envelope.msg.method() == names::CANCELLED => {
                self.cancelled(envelope)
            }
            (Way::ToFront, Kind::Result | Kind::Error) => self.answered(envelope, now),
            (Way::ToFront, Kind::Request | Kind::Notification) => self.in_course(envelope, now),
            _ => Verdict::Pass(envelope),
        }
    }

    fn next_wake(&self) -> Option<Instant> {
        self.next
    }

    fn on_time(&mut self, now: Instant) -> Vec<(Way, Envelope)> {
        let mut due = self.end_cancelled(now);
        due.extend(self.hand_over(now));
        due.extend(self.beats(now));
        self.next = self.next_due(now);
        due
    }
}

/// The session ends, and the calls that run in it do.
impl Drop for LongCallLayer {
    fn drop(&mut self) {
        self.shared.kept.lock().lose(self.number, now());
        self.shared.changed.notify_waiters();
    }
}
