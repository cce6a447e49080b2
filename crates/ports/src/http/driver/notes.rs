//! Notifications: in order, and cancellations among them.

use linkspan_mcp::Era;
use tokio::time::{Duration, sleep};

use super::{Driver, MAX_WAITING, Mode};
use crate::http::body::Sent;
use crate::http::job::Ticket;

/// How long an answer to a cancelled call may still come.
const AFTER_CANCEL: Duration = Duration::from_secs(30);

impl Driver {
    /// Modern: closing the stream is the cancellation. Legacy: the server is told, and may answer.
    pub(super) fn cancel(&mut self, hop: u64, ticket: Ticket) {
        let Some(call) = self.calls.get(&hop) else {
            // Over HTTP+SSE the POST has long ended, and the server still has to be told.
            if matches!(self.mode, Mode::Sse(_)) {
                self.queue_note(ticket, None);
            }
            return;
        };
        if call.era == Era::Modern && !matches!(self.mode, Mode::Sse(_)) {
            return call.abort.abort();
        }
        let (abort, sent) = (call.abort.clone(), call.sent.clone());
        tokio::spawn(async move {
            sleep(AFTER_CANCEL).await;
            abort.abort();
        });
        self.queue_note(ticket, Some(sent));
    }

    /// Notifications go one after the other. A server that takes too long over one loses the order,
    /// not the messages.
    pub(super) fn queue_note(&mut self, ticket: Ticket, after: Option<Sent>) {
        if self.notes_out > 0 && self.notes.len() < MAX_WAITING {
            self.notes.push_back((ticket, after));
        } else {
            self.notes_out += 1;
            self.start(ticket, after);
        }
    }

    /// A notification has been taken.
    pub(super) fn next_note(&mut self) {
        self.notes_out = self.notes_out.saturating_sub(1);
        if let Some((ticket, after)) = self.notes.pop_front() {
            self.notes_out += 1;
            self.start(ticket, after);
        }
    }
}
