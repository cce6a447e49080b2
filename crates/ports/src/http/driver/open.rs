//! Opening HTTP+SSE: as a fall-back, because it was asked for, or again after its stream ended.

use std::time::Duration;

use linkspan_session::{Fault, Inbound};
use tokio::time::sleep;

use super::{Barrier, Driver, Mode};
use crate::http::job::{Refusal, Report, Ticket};
use crate::http::sse_session::{self, Line};

/// Tries in the background after a stream ended; then the next message tries again.
const MAX_BACKGROUND: u32 = 12;

impl Driver {
    /// Opens the stream with a message in hand.
    pub(super) fn open_sse(&mut self, ticket: Ticket, refusal: Option<Refusal>) {
        self.parked.push((ticket, refusal));
        if self.barrier != Barrier::Renewal {
            self.start_sse();
        }
    }

    pub(super) fn start_sse(&mut self) {
        self.barrier = Barrier::Renewal;
        // The message in hand may be the client's own `initialize`: then there is nothing to redo.
        let begun = self.memory.initialized.is_some();
        let memory = begun.then(|| self.memory.clone());
        let (endpoint, url) = (self.endpoint.clone(), self.url.clone());
        let opening = sse_session::open(endpoint, url, memory, self.tx.clone());
        self.jobs.spawn(async { Report::SseOpened(opening.await) });
    }

    pub(super) fn on_sse_opened(&mut self, opened: Result<Line, Fault>) {
        match opened {
            Ok(Line { post_to, events }) => {
                tracing::info!("{} speaks HTTP+SSE", self.endpoint.peer);
                self.mode = Mode::Sse(Some(post_to));
                self.sse_backoff = 0;
                let (endpoint, tx) = (self.endpoint.clone(), self.tx.clone());
                let reading = sse_session::read(endpoint, events, tx);
                self.listening = Some(self.jobs.spawn(reading));
                self.send_parked();
            }
            Err(why) => {
                tracing::debug!("no HTTP+SSE: {why}");
                self.fail_parked(&why);
                self.retry_sse();
            }
        }
    }

    /// Everything that was asked on the stream is lost; the conversation need not be.
    pub(super) fn on_sse_ended(&mut self, why: Fault) {
        self.listening = None;
        self.mode = Mode::Sse(None);
        let (tx, up_to) = (self.tx.clone(), self.last_sse_hop);
        self.jobs.spawn(async move {
            let _ = tx.send(Inbound::Lost { up_to, why }).await;
            Report::Aside
        });
        if self.memory.initialized.is_some() && self.barrier != Barrier::Renewal {
            self.start_sse();
        }
    }

    fn retry_sse(&mut self) {
        let ours = matches!(self.mode, Mode::Sse(_)) && self.memory.initialized.is_some();
        if !ours || self.sse_backoff >= MAX_BACKGROUND {
            return;
        }
        self.sse_backoff += 1;
        let wait = Duration::from_secs(1 << self.sse_backoff.min(5));
        self.jobs.spawn(async move {
            sleep(wait).await;
            Report::SseRetry
        });
    }
}
