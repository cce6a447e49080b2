//! Opening HTTP+SSE: as a fall-back, because it was asked for, or again after its stream ended.

use linkspan_session::{Fault, Inbound};
use tokio::time::{Duration, Instant, sleep};

use super::{Barrier, Driver, Mode};
use crate::http::job::{Refusal, Report, Role, Ticket};
use crate::http::sse_session::{self, Line};

/// How long a server may take to greet.
const GREETING: Duration = Duration::from_secs(15);
const GUESS: Duration = Duration::from_secs(5);
/// A stream that lasted longer than this was a good one.
const STEADY: Duration = Duration::from_secs(10);
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
        // Where it is only a guess, the refusal that led to it should not wait long.
        let limit = match self.mode {
            Mode::Unknown => GUESS,
            _ => GREETING,
        };
        let opening = sse_session::open(endpoint, url, memory, self.tx.clone(), limit);
        self.jobs
            .spawn(async { Report::SseOpened(Box::new(opening.await)) });
    }

    pub(super) fn on_sse_opened(&mut self, opened: Result<Line, Fault>) {
        match opened {
            Ok(Line { post_to, events }) => {
                tracing::info!("{} speaks HTTP+SSE", self.endpoint.peer);
                self.mode = Mode::Sse(Some(post_to));
                self.sse_since = Instant::now();
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
        self.lose(Vec::new(), why);
        if self.sse_since.elapsed() > STEADY {
            self.sse_backoff = 0;
        }
        if self.sse_backoff > 0 {
            // It did not last: the next try is not at once.
            self.retry_sse();
        } else if self.memory.initialized.is_some() && self.barrier != Barrier::Renewal {
            self.sse_backoff = 1;
            self.start_sse();
        }
    }

    /// The server does not know the session, though the stream is open: a new one, and the message
    /// again.
    pub(super) fn on_sse_gone(&mut self, ticket: Ticket, refusal: Refusal) {
        if ticket.role == Role::Note {
            self.next_note();
        }
        if ticket.generation < self.generation {
            // It belongs to a stream that is gone. A call was answered for then, and the new session
            // has heard `initialized`; only a notification is still to be delivered.
            if ticket.role == Role::Note && !ticket.again {
                let again = true;
                self.dispatch(Ticket { again, ..ticket });
            }
            return;
        }
        if ticket.again || ticket.role == Role::Reply || self.memory.initialized.is_none() {
            if self.barrier == Barrier::Message(ticket.serial) {
                self.lift();
            }
            return self.refuse(ticket, refusal);
        }
        if let Some(old) = self.listening.take() {
            old.abort();
        }
        if matches!(self.mode, Mode::Sse(Some(_))) {
            self.mode = Mode::Sse(None);
            let why = Fault::AnswerLost {
                peer: self.endpoint.peer.to_string(),
                why: "it forgot the session".to_owned(),
            };
            self.lose(ticket.hop.into_iter().collect(), why);
        }
        self.open_sse(ticket, None);
    }

    fn lose(&mut self, except: Vec<u64>, why: Fault) {
        self.generation += 1;
        let (tx, up_to) = (self.tx.clone(), self.last_sse_hop);
        self.jobs.spawn(async move {
            let lost = Inbound::Lost { up_to, except, why };
            let _ = tx.send(lost).await;
            Report::Aside
        });
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
