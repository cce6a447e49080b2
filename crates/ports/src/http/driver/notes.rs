//! Notifications: in order, and cancellations among them.

use std::sync::atomic::Ordering;

use linkspan_mcp::{Era, names};
use linkspan_session::Envelope;
use linkspan_wire::{Hop, Kind, Message};
use tokio::time::{Duration, sleep};

use super::{Barrier, Driver, MAX_WAITING, Mode};
use crate::http::job::Delivery;

/// How long the answer to a cancelled call may still arrive.
const AFTER_CANCEL: Duration = Duration::from_secs(30);

impl Driver {
    /// Cancels a call. Modern: closing the stream is the cancellation. Legacy: the server is notified, and may answer.
    pub(super) fn cancel(&mut self, hop: Hop, delivery: Delivery) {
        let Some(call) = self.calls.get(&hop) else {
            // Over HTTP+SSE the POST is long done, and the server still has to be notified.
            if matches!(self.mode, Mode::Sse(_)) {
                self.queue_note(delivery);
            }
            return;
        };
        if call.era == Era::Modern && !matches!(self.mode, Mode::Sse(_)) {
            return call.abort.abort();
        }
        if !call.sent.load(Ordering::Relaxed) {
            // The request has not reached the server.
            return call.abort.abort();
        }
        let abort = call.abort.clone();
        tokio::spawn(async move {
            sleep(AFTER_CANCEL).await;
            abort.abort();
        });
        self.queue_note(delivery);
    }

    /// Notifications are sent one after the other. If the server takes too long over one, the next ones are sent
    /// anyway: then their order is lost, not the messages.
    pub(super) fn queue_note(&mut self, delivery: Delivery) {
        if self.notes_out > 0 && self.notes.len() < MAX_WAITING {
            self.notes.push_back(delivery);
        } else {
            self.notes_out += 1;
            self.start(delivery);
        }
    }

    /// A notification has been accepted: sends the next one.
    pub(super) fn next_note(&mut self) {
        self.notes_out = self.notes_out.saturating_sub(1);
        if let Some(delivery) = self.notes.pop_front() {
            self.notes_out += 1;
            self.start(delivery);
        }
    }

    /// Sends the next notification if none is being sent.
    pub(super) fn resume_notes(&mut self) {
        if self.notes_out == 0 {
            self.next_note();
        }
    }

    /// Handles a cancellation while messages are held. Returns it if it has to wait, too.
    pub(super) fn cancel_held(&mut self, envelope: Envelope) -> Option<Envelope> {
        let Some(hop) = cancelled_hop(&envelope) else {
            return Some(envelope);
        };
        let is_it = |msg: &Message| msg.kind() == Kind::Request && msg.hop() == Some(hop);
        if let Some(at) = self.held.iter().position(|held| is_it(&held.msg)) {
            self.held.remove(at);
            return None;
        }
        if let Some(at) = self.parked.iter().position(|(t, _)| t.hop == Some(hop)) {
            self.parked.remove(at);
            return None;
        }
        match self.calls.get(&hop) {
            // This cancels the handshake that all requests wait for.
            Some(call) if self.barrier == Barrier::Message(call.serial) => {
                call.abort.abort();
                None
            }
            _ => Some(envelope),
        }
    }
}

/// The request that a cancellation refers to; the session gives its hop.
pub(super) fn cancelled_hop(envelope: &Envelope) -> Option<Hop> {
    let is_cancel = envelope.msg.method() == names::CANCELLED;
    envelope.relates_to.filter(|_| is_cancel)
}
