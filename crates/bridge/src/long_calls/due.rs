//! What is due at a time: handles, signs of life, and cancellations that came in other sessions.

use std::time::{Duration, Instant};

use linkspan_session::{Envelope, Way};

use super::call::Dropped;
use super::layer::LongCallLayer;
use super::open::{Open, What};
use super::progress::Progress;
use super::results;
use super::tools::WAIT_FOR;
use crate::secret::secret;

/// How often a session with kept calls looks whether one was cancelled in another session.
const LOOK: Duration = Duration::from_secs(1);

impl LongCallLayer {
    /// Ends the calls of this session that were cancelled with `wait_for`.
    pub(super) fn end_cancelled(&mut self, now: Instant) -> Vec<(Way, Envelope)> {
        let mut kept = self.shared.kept.lock();
        let cancelled = kept.cancelled(self.number);
        let mut due = Vec::new();
        for (handle, id) in cancelled {
            kept.drop_call(&handle, Dropped::Cancelled, now);
            let open = self.open.remove(&id);
            // Its client still waits, because it has answered the server's questions.
            if let Some(open) = open.filter(|open| open.kept.is_none()) {
                let gone = results::text(&id, open.era(), results::CANCELLED, true);
                due.push((Way::ToFront, Envelope::new(gone)));
            }
            due.push((Way::ToBack, Envelope::new(results::cancellation(&id))));
        }
        drop(kept);
        if !due.is_empty() {
            self.shared.changed.notify_waiters();
        }
        due
    }

    /// Answers the calls that have run for too long.
    pub(super) fn hand_over(&mut self, now: Instant) -> Vec<(Way, Envelope)> {
        let wait_for = self.shared.names.lock().of(WAIT_FOR);
        let mut answers = Vec::new();
        let late = |open: &&mut Open| open.due.is_some_and(|due| due <= now) && open.kept.is_none();
        for open in self.open.iter_mut().filter(late) {
            open.due = None;
            let What::Call { request, began } = &open.what else {
                continue;
            };
            let tool = results::tool_of(request);
            let handle = open.handle.clone().unwrap_or_else(secret);
            if open.handle.is_none() {
                let running = (self.number, request);
                let mut kept = self.shared.kept.lock();
                if !kept.keep(&handle, &self.owner, running, (&tool, *began), now) {
                    tracing::warn!("the call of {tool} is not kept: too many are");
                    continue;
                }
            }
            let took = now.saturating_duration_since(*began);
            let text = results::still_running(&tool, took, &handle, &wait_for);
            let answer = results::text(&open.id, open.era(), &text, false);
            open.handle = Some(handle);
            open.kept = Some(self.holds.hold());
            answers.push((Way::ToFront, Envelope::new(answer)));
        }
        answers
    }

    /// Signs of life for the requests and waits of silent servers.
    pub(super) fn beats(&mut self, now: Instant) -> Vec<(Way, Envelope)> {
        self.waits.retain(|wait| !wait.is_over());
        let open = self.open.iter_mut().filter(|open| open.kept.is_none());
        let open = open.map(|open| (&open.id, &mut open.progress));
        let waits = self.waits.iter_mut();
        let waits = waits.map(|wait| (&wait.id, &mut wait.progress));
        let beats = open.chain(waits).filter_map(|(id, progress)| {
            let envelope = Envelope {
                about: Some(id.clone()),
                ..Envelope::new(progress.as_mut()?.beat(now)?)
            };
            Some((Way::ToFront, envelope))
        });
        beats.collect()
    }

    /// When something is due next.
    pub(super) fn next_due(&self, now: Instant) -> Option<Instant> {
        let open = self.open.iter().flat_map(|open| match open.kept {
            Some(_) => [Some(now + LOOK), None],
            None => [open.progress.as_ref().map(Progress::next), open.due],
        });
        let waits = self.waits.iter();
        let waits = waits.filter_map(|wait| Some(wait.progress.as_ref()?.next()));
        open.flatten().chain(waits).min()
    }
}
