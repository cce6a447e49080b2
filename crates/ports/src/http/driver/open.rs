//! Opens HTTP+SSE: as a fall-back, because it was configured, or again after its stream ended.

use std::sync::atomic::Ordering;

use linkspan_session::{Fault, Inbound};
use linkspan_wire::Hop;
use tokio::time::{Duration, Instant, sleep};

use super::{Barrier, Driver, Mode};
use crate::http::job::{Delivery, Refusal, Report, Role};
use crate::http::sse_session::{self, Line};
use crate::owed::Shared;

/// How long a server may take to send its endpoint.
const GREETING: Duration = Duration::from_secs(15);
const GUESS: Duration = Duration::from_secs(5);
/// A stream that lasted longer than this resets the back-off.
const STEADY: Duration = Duration::from_secs(10);
/// Tries in the background after a stream ended; then the next message tries again.
const MAX_BACKGROUND: u32 = 12;

impl Driver {
    /// Opens the stream with a message in hand.
    pub(super) fn open_sse(&mut self, delivery: Delivery, refusal: Option<Refusal>) {
        self.parked.push((delivery, refusal));
        if self.barrier != Barrier::Renewal {
            self.start_sse();
        }
    }

    pub(super) fn start_sse(&mut self) {
        self.barrier = Barrier::Renewal;
        // If the message is the client's own `initialize`, there is no session to restore.
        let begun = self.replay.initialized.is_some();
        let replay = begun.then(|| self.replay.clone());
        let (endpoint, url) = (self.endpoint.clone(), self.url.clone());
        // Where HTTP+SSE is only a guess, the refusal that led to it must not be delayed for long.
        let limit = match self.mode {
            Mode::Unknown => GUESS,
            _ => GREETING,
        };
        let retries = match self.mode {
            Mode::Unknown => 0,
            _ => self.endpoint.options.retries,
        };
        let opening = sse_session::open(endpoint, url, replay, self.tx.clone(), limit, retries);
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
                self.sse_owed = Shared::default();
                let reading = sse_session::read(endpoint, events, tx, self.sse_owed.clone());
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

    /// Requests that were sent for the stream are lost; those that were not sent yet go over the next one.
    pub(super) fn on_sse_ended(&mut self, why: Fault) {
        self.listening = None;
        self.mode = Mode::Sse(None);
        let unsent = self.stop_posts();
        let except = unsent.iter().filter_map(|delivery| delivery.hop).collect();
        self.lose(except, why);
        if self.sse_since.elapsed() > STEADY {
            self.sse_backoff = 0;
        }
        for delivery in unsent {
            self.send_later(delivery);
        }
        if self.barrier != Barrier::Renewal {
            if self.sse_backoff > 0 {
                // The stream was short, so the next attempt is delayed.
                self.retry_sse();
            } else if self.replay.initialized.is_some() {
                self.sse_backoff = 1;
                self.start_sse();
            }
        }
        if self.barrier == Barrier::Open {
            // The message that the barrier waited for may be among the lost ones.
            self.lift();
        }
    }

    /// Aborts the POSTs in flight, whose answers cannot arrive any more. Returns those that the server has not
    /// received.
    fn stop_posts(&mut self) -> Vec<Delivery> {
        let mut unsent = Vec::new();
        self.hops.clear();
        for (_, call) in self.calls.drain() {
            call.abort.abort();
            if self.barrier == Barrier::Message(call.serial) {
                self.barrier = Barrier::Open;
            }
            if !call.sent.load(Ordering::Relaxed) {
                unsent.extend(call.delivery);
            }
        }
        unsent.sort_by_key(|delivery| delivery.serial);
        unsent
    }

    /// Sends a message over the next stream, unless that has failed too often.
    fn send_later(&mut self, mut delivery: Delivery) {
        delivery.cuts += 1;
        if delivery.cuts <= self.endpoint.options.retries {
            return self.open_sse(delivery, None);
        }
        let why = Fault::ConnectFailed {
            peer: self.endpoint.peer.to_string(),
            why: "its stream ended before the message could be sent".to_owned(),
            tries: delivery.cuts,
        };
        self.fail(delivery, why);
    }

    /// The error for a call that may have run in a session that the server has forgotten.
    pub(super) fn forgotten(&self) -> Fault {
        Fault::AnswerLost {
            peer: self.endpoint.peer.to_string(),
            why: "it forgot the session".to_owned(),
        }
    }

    /// The server does not know the session, though the stream is open: opens a new session and sends the message
    /// again.
    pub(super) fn on_sse_gone(&mut self, delivery: Delivery, refusal: Refusal) {
        if delivery.role == Role::Note {
            self.next_note();
        }
        if delivery.generation < self.generation {
            // The message belongs to a closed stream, and was refused. The new session has been sent `initialized`, and
            // a question of the old session needs no answer.
            return match delivery.role {
                Role::Note | Role::Call if !delivery.again => {
                    let again = true;
                    self.dispatch(Delivery { again, ..delivery });
                }
                Role::Call | Role::Initialize => self.refuse(delivery, refusal),
                Role::Note | Role::Initialized | Role::Reply => {}
            };
        }
        if delivery.again || delivery.role == Role::Reply || self.replay.initialized.is_none() {
            if self.barrier == Barrier::Message(delivery.serial) {
                self.lift();
            }
            return self.refuse(delivery, refusal);
        }
        if let Some(old) = self.listening.take() {
            old.abort();
        }
        if matches!(self.mode, Mode::Sse(Some(_))) {
            self.mode = Mode::Sse(None);
            // Messages that are being sent will be refused, too, and are sent again then.
            let except = self.calls.keys().copied().chain(delivery.hop).collect();
            let why = self.forgotten();
            self.lose(except, why);
        }
        self.open_sse(delivery, None);
    }

    fn lose(&mut self, except: Vec<Hop>, why: Fault) {
        self.generation += 1;
        self.sse_stream += 1;
        let (tx, up_to) = (self.tx.clone(), self.last_sse_hop);
        self.jobs.spawn(async move {
            let lost = Inbound::Lost { up_to, except, why };
            let _ = tx.send(lost).await;
            Report::Aside
        });
    }

    fn retry_sse(&mut self) {
        let ours = matches!(self.mode, Mode::Sse(_)) && self.replay.initialized.is_some();
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
