//! How the driver handles the report of a job.

use linkspan_session::Fault;
use linkspan_session::Inbound;
use linkspan_wire::Hop;
use tokio::task::Id as TaskId;

use super::{Barrier, Call, Driver, Mode};
use crate::http::body::Sent;
use crate::http::job::{self, Begun, Delivery, Outcome, Refusal, Report, Role};
use crate::http::listen::listen;
use crate::http::relearn::relearn;
use crate::http::renew::renew;

impl Driver {
    pub(super) fn on_report(&mut self, task: TaskId, report: Report) {
        match report {
            Report::Posted {
                delivery,
                outcome,
                moved,
            } => {
                if let Some(url) = moved {
                    tracing::info!("{} has moved to {}", self.endpoint.peer, url.path());
                    self.url = url;
                }
                self.on_posted(delivery, outcome);
            }
            Report::SsePosted(delivery) => {
                if delivery.hop.is_some() && delivery.stream < self.sse_stream {
                    // The message was accepted, but the stream that would carry its answer is closed.
                    let why = self.forgotten();
                    self.fail(delivery.clone(), why);
                }
                self.through(&delivery);
            }
            Report::SseGone(delivery, refusal) => self.on_sse_gone(delivery, refusal),
            Report::ListenEnded { forgotten } => {
                let current = self.listening.as_ref().is_some_and(|l| l.id() == task);
                if current {
                    self.listening = None;
                }
                if current && forgotten && self.barrier == Barrier::Open {
                    self.start_renewal();
                }
            }
            Report::Renewed(Ok(context)) => {
                self.context = context;
                self.generation += 1;
                self.unheard = None;
                self.listen();
                self.send_parked();
            }
            Report::Renewed(Err(why)) => self.fail_parked(&why),
            Report::Relearnt {
                delivery,
                refusal,
                lists,
            } => {
                for list in lists.iter().filter_map(linkspan_wire::Message::body) {
                    self.params.learn(list);
                }
                if self.params.headers(&delivery.msg).is_empty() {
                    // The refusal had another reason.
                    return self.refuse(delivery, refusal);
                }
                self.dispatch(Delivery {
                    again: true,
                    ..delivery
                });
            }
            Report::SseOpened(opened) => self.on_sse_opened(*opened),
            Report::SseEnded(why) => {
                if self.listening.as_ref().is_some_and(|l| l.id() == task) {
                    self.on_sse_ended(why);
                }
            }
            Report::SseRetry => {
                if matches!(self.mode, Mode::Sse(None)) && self.barrier != Barrier::Renewal {
                    self.start_sse();
                }
            }
            Report::Aside => {}
        }
    }

    fn on_posted(&mut self, delivery: Delivery, outcome: Outcome) {
        // Jobs send the beginning of a response before its end, but on another queue.
        while let Ok(begun) = self.accepted.1.try_recv() {
            self.on_accepted(begun);
        }
        match outcome {
            Outcome::Done if delivery.role == Role::Initialized => self.listen(),
            Outcome::Done => {}
            Outcome::Tools(answer) => {
                if let Some(result) = answer.body() {
                    self.params.learn(result);
                }
            }
            Outcome::Opened(context) => {
                self.mode = Mode::Streamable;
                self.context = context;
                self.generation += 1;
            }
            Outcome::HeadersRefused(refusal) => {
                let (endpoint, url) = (self.endpoint.clone(), self.url.clone());
                let tx = self.tx.clone();
                // The job has the hop of the call, so that a cancellation finds it.
                self.spawn(delivery.clone(), Sent::default(), |delivery| async move {
                    let lists = relearn(endpoint, url, delivery.msg.clone(), tx).await;
                    Report::Relearnt {
                        delivery,
                        refusal,
                        lists,
                    }
                });
            }
            Outcome::NotSignedIn(why) => self.on_unheard(delivery.clone(), &why),
            Outcome::SessionGone(refusal) => self.on_session_gone(delivery.clone(), refusal),
            Outcome::Refused(refusal) if matches!(self.mode, Mode::Unknown) => {
                self.open_sse(delivery.clone(), Some(refusal));
            }
            Outcome::Refused(refusal) => self.refuse(delivery.clone(), refusal),
        }
        self.through(&delivery);
    }

    /// The server refused `initialized` until the sign-in. It is sent again before the next message; messages that
    /// waited for it have waited long enough and fail.
    fn on_unheard(&mut self, delivery: Delivery, why: &Fault) {
        if self.barrier != Barrier::Message(delivery.serial) {
            return;
        }
        tracing::debug!("`initialized` waits for the sign-in");
        self.unheard = Some(delivery);
        for envelope in std::mem::take(&mut self.held) {
            let credit = std::sync::Arc::new(envelope.credit);
            self.fail(Delivery::of(envelope.msg, self.era, credit), why.clone());
        }
    }

    /// A message is done: messages that waited for it are sent.
    fn through(&mut self, delivery: &Delivery) {
        if delivery.role == Role::Note {
            self.next_note();
        }
        if self.barrier == Barrier::Message(delivery.serial) {
            self.lift();
        }
    }

    /// A first call or `initialize` was accepted: this is Streamable HTTP. Answers to questions that
    /// the server asks before it has answered need the session.
    pub(super) fn on_accepted(&mut self, begun: Begun) {
        if matches!(self.mode, Mode::Unknown) {
            self.mode = Mode::Streamable;
        }
        if begun.begins && self.barrier == Barrier::Message(begun.serial) {
            self.context = begun.context;
        } else if !begun.begins && begun.generation == self.generation {
            tracing::debug!("the server names the session in a later response");
            self.context.session = begun.context.session;
        }
    }

    /// The server did not accept the message, so it is sent again: once, in a new session.
    fn on_session_gone(&mut self, delivery: Delivery, refusal: Refusal) {
        if delivery.role == Role::Reply {
            // The question belonged to the lost session.
            return;
        }
        if delivery.again && refusal.status != 404 {
            // The session was not the reason.
            return self.refuse(delivery, refusal);
        }
        if delivery.again {
            let why = Fault::SessionLost {
                peer: self.endpoint.peer.to_string(),
                why: "it refused the new session, too".to_owned(),
            };
            return self.fail(delivery, why);
        }
        let stale = delivery.generation < self.generation;
        if stale && matches!(self.barrier, Barrier::Message(_)) {
            // The client itself has begun a new session.
            let why = Fault::SessionLost {
                peer: self.endpoint.peer.to_string(),
                why: "the client began a new one".to_owned(),
            };
            return self.fail(delivery, why);
        }
        if stale && self.barrier != Barrier::Renewal {
            return self.dispatch(Delivery {
                again: true,
                ..delivery
            });
        }
        self.parked.push((delivery, None));
        if self.barrier != Barrier::Renewal {
            self.start_renewal();
        }
    }

    fn start_renewal(&mut self) {
        self.barrier = Barrier::Renewal;
        if let Some(old) = self.listening.take() {
            old.abort();
        }
        let (endpoint, url) = (self.endpoint.clone(), self.url.clone());
        let renewal = renew(endpoint, url, self.replay.clone(), self.tx.clone());
        self.jobs.spawn(async { Report::Renewed(renewal.await) });
    }

    pub(super) fn send_parked(&mut self) {
        for (delivery, _) in std::mem::take(&mut self.parked) {
            if delivery.role == Role::Initialized {
                // The new session has been sent it already.
                continue;
            }
            self.dispatch(Delivery {
                again: true,
                ..delivery
            });
        }
        self.lift();
    }

    /// Opening a new session or stream has failed. A message that was refused fails with the refusal of the server,
    /// because the other transport was only a guess.
    pub(super) fn fail_parked(&mut self, why: &Fault) {
        for (delivery, refusal) in std::mem::take(&mut self.parked) {
            match refusal {
                Some(refusal) => self.refuse(delivery, refusal),
                None => self.fail(delivery, why.clone()),
            }
        }
        if matches!(self.mode, Mode::Unknown) {
            // Nothing is known yet about the other messages.
            self.resume_notes();
            return self.lift();
        }
        // Messages that waited for the same thing would fail in the same way.
        for envelope in std::mem::take(&mut self.held) {
            let credit = std::sync::Arc::new(envelope.credit);
            self.fail(Delivery::of(envelope.msg, self.era, credit), why.clone());
        }
        for delivery in std::mem::take(&mut self.notes) {
            self.fail(delivery, why.clone());
        }
        self.lift();
    }

    pub(super) fn refuse(&mut self, delivery: Delivery, refusal: Refusal) {
        let (endpoint, tx) = (self.endpoint.clone(), self.tx.clone());
        self.jobs.spawn(async move {
            job::refuse(&endpoint, &tx, &delivery, refusal).await;
            Report::Aside
        });
    }

    fn listen(&mut self) {
        if let Some(old) = self.listening.take() {
            old.abort();
        }
        let (endpoint, url) = (self.endpoint.clone(), self.url.clone());
        let listening = listen(endpoint, url, self.context.clone(), self.tx.clone());
        self.listening = Some(self.jobs.spawn(listening));
    }

    pub(super) fn forget(&mut self, task: TaskId) -> Option<(Hop, Call)> {
        let hop = self.hops.remove(&task)?;
        Some((hop, self.calls.remove(&hop)?))
    }

    /// A job was aborted or has panicked: its request is answered with an error.
    pub(super) fn on_broken(&mut self, task: TaskId, panicked: bool) {
        let call = self.forget(task);
        if panicked {
            tracing::error!("a job panicked; please report this");
            if let Some((hop, _)) = &call {
                let (hop, tx) = (*hop, self.tx.clone());
                let why = Fault::BadAnswer {
                    peer: self.endpoint.peer.to_string(),
                    why: "this is a bug in linkspan; please report it".to_owned(),
                };
                self.jobs.spawn(async move {
                    let _ = tx.send(Inbound::Failed { hop, why }).await;
                    Report::Aside
                });
            }
            self.notes_out = 0;
            return self.fail_parked(&Fault::Closing);
        }
        if call.is_some_and(|(_, call)| self.barrier == Barrier::Message(call.serial)) {
            self.lift();
        }
    }
}
