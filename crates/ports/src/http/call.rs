//! A POST over Streamable HTTP, from the request to the last byte of its answer.

use std::time::Duration;

use http::Method;
use linkspan_mcp::{Era, SESSION_ID, names, without_invalid_tools};
use linkspan_session::{Credit, Envelope, Fault, Inbound};
use linkspan_wire::{Frame, Id, Kind, Message, Resync};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use url::Url;

use super::answer::{self, Data, Events, Media, media};
use super::body::{Sent, Telling};
use super::endpoint::Endpoint;
use super::job::{self, Begun, Delivery, Outcome, Refusal, Report, Role};
use super::pace::Pace;
use super::refused::{error_code, forgets_session, is_modern_error};
use super::request::{self, Place};
use super::rest::{aftermath, leftover};
use super::sending::{Response, may_pass, send};
use crate::owed::DOUBT;

/// How long the server may take to accept what it does not answer.
pub(super) const ACCEPT: Duration = Duration::from_secs(30);
const MAX_RESUMES: u32 = 6;
const DEFAULT_RETRY: Duration = Duration::from_secs(1);
const MAX_WAIT: Duration = Duration::from_secs(30);

/// A POST and what it needs to know.
pub(super) struct Post {
    pub(super) endpoint: Endpoint,
    pub(super) url: Url,
    pub(super) place: Place,
    /// Headers that mirror the body.
    pub(super) extra: Vec<(String, String)>,
    pub(super) tx: mpsc::Sender<Inbound>,
    pub(super) sent: Option<Sent>,
    /// Whether the answer is a list of tools, of which some may be invalid.
    pub(super) lists_tools: bool,
    /// Whether a refusal may mean that the server speaks HTTP+SSE.
    pub(super) may_fall_back: bool,
    /// Told as soon as the server has accepted, long before a slow answer is there.
    pub(super) accepted: mpsc::Sender<Begun>,
    /// Whether that is news in any case, and not only if the server names another session.
    pub(super) begins: bool,
}

impl Post {
    pub(super) async fn run(self, delivery: Delivery) -> Report {
        let _waits = delivery.hop.map(|hop| self.endpoint.waiting.enter(hop));
        let exchange = self.exchange(&delivery);
        let (outcome, moved) = if delivery.hop.is_some() {
            exchange.await
        } else {
            match timeout(ACCEPT, exchange).await {
                Ok(ended) => ended,
                Err(_) => {
                    let why = Fault::Timeout { after: ACCEPT };
                    (self.fail(&delivery, why).await, None)
                }
            }
        };
        Report::Posted {
            delivery,
            outcome,
            moved,
        }
    }

    async fn exchange(&self, delivery: &Delivery) -> (Outcome, Option<Url>) {
        let body = delivery.msg.to_bytes();
        let headers = request::post(&self.endpoint, &self.place, &self.extra);
        let make = || Telling::new(body.clone(), self.sent.clone());
        let sent = send(&self.endpoint, Method::POST, &self.url, &headers, make).await;
        let (response, url) = match sent {
            Ok(sent) => sent,
            Err(why) => return (self.fail(delivery, why).await, None),
        };
        let status = response.status();
        tracing::debug!("POST {} -> {}", job::label(&delivery.msg), status.as_u16());
        let outcome = if status.is_success() {
            self.note_place(delivery, &response);
            self.accepted(delivery, response).await
        } else {
            Box::pin(self.refused(delivery, response)).await
        };
        (outcome, (url != self.url).then_some(url))
    }

    /// Tells the driver where a response leads. Some servers give the session out later than with the answer
    /// to `initialize`, or change it.
    fn note_place(&self, delivery: &Delivery, response: &Response) {
        let names = delivery.era == Era::Legacy && response.headers().contains_key(SESSION_ID);
        if !self.begins && !names {
            return;
        }
        let place = Place::opened(response.headers());
        if self.begins || (place.session.is_some() && place.session != self.place.session) {
            // A full queue loses nothing: the next response says the same.
            let _ = self.accepted.try_send(Begun {
                serial: delivery.serial,
                generation: delivery.generation,
                begins: self.begins,
                place,
            });
        }
    }

    async fn accepted(&self, delivery: &Delivery, response: Response) -> Outcome {
        let Some(hop) = delivery.hop else {
            tokio::spawn(leftover(self.endpoint.clone(), response, self.tx.clone()));
            return Outcome::Done;
        };
        let begun = (delivery.role == Role::Initialize).then(|| Place::opened(response.headers()));
        let answer = match media(&response) {
            // Boxed, like other rare and large paths: a job is moved when it is spawned.
            Media::Events => Box::pin(self.stream(hop, response)).await,
            Media::Json | Media::Other => self.body(hop, response).await,
        };
        match (answer, begun) {
            (Err(why), _) => self.fail(delivery, why).await,
            (Ok(answer), Some(place)) => match job::negotiated(&answer) {
                Some(version) => Outcome::Opened(Place {
                    version: Some(version),
                    ..place
                }),
                None => Outcome::Done,
            },
            (Ok(answer), None) => {
                let is_list = delivery.msg.method() == names::TOOLS_LIST;
                if delivery.era == Era::Modern && is_list && answer.kind() == Kind::Result {
                    Outcome::Tools(answer)
                } else {
                    Outcome::Done
                }
            }
        }
    }

    async fn refused(&self, delivery: &Delivery, response: Response) -> Outcome {
        let status = response.status();
        let body = answer::refusal(response).await;
        let forgotten = self.place.session.is_some() && forgets_session(status, &body);
        let status = status.as_u16();
        let refusal = Refusal { status, body };
        if forgotten {
            return Outcome::SessionGone(refusal);
        }
        let is_call = delivery.era == Era::Modern && delivery.msg.method() == names::TOOLS_CALL;
        let mismatch = error_code(&refusal.body) == Some(linkspan_mcp::HEADER_MISMATCH);
        if is_call && mismatch && !delivery.again {
            return Outcome::HeadersRefused(refusal);
        }
        let other_transport = matches!(refusal.status, 400 | 404 | 405 | 406 | 415 | 501);
        if self.may_fall_back && other_transport && !is_modern_error(&refusal.body) {
            return Outcome::Refused(refusal);
        }
        job::refuse(&self.endpoint, &self.tx, delivery, refusal).await;
        Outcome::Done
    }

    /// One body with the answer in it.
    async fn body(&self, hop: u64, response: Response) -> Result<Message, Fault> {
        let status = response.status();
        let kind = response.headers().get(http::header::CONTENT_TYPE).cloned();
        let (text, mut credit) = answer::whole(&self.endpoint, response).await?;
        let kind = kind.as_ref().and_then(|kind| kind.to_str().ok());
        let is_page = kind.is_some_and(|kind| kind.trim_start().starts_with("text/html"));
        let mut why = format!("HTTP {} without an answer", status.as_u16());
        let mut answer = None;
        for frame in Resync::frames(text, self.endpoint.limits()) {
            why = match &frame {
                Frame::Other { .. } if is_page => {
                    "it answered with a web page (text/html), not with an MCP message".to_owned()
                }
                Frame::Other { why, .. } => format!(
                    "a body of the type {} that is no message: {why}",
                    kind.unwrap_or("?")
                ),
                _ => "its body answers something else".to_owned(),
            };
            let delivered = self.deliver(hop, frame, std::mem::take(&mut credit)).await;
            answer = answer.or(delivered);
        }
        answer.ok_or_else(|| self.bad(why))
    }

    /// A stream of events that ends in the answer, over as many connections as it takes.
    async fn stream(&self, hop: u64, response: Response) -> Result<Message, Fault> {
        let mut events = Events::new(&self.endpoint, response);
        let mut resumes = 0;
        let mut pace = Pace::new(DEFAULT_RETRY, MAX_WAIT);
        // Set when an answer to no request of ours came: if no other one follows, it was the answer.
        let mut doubt = None;
        loop {
            let next = events.next_or_fault(&self.endpoint);
            let next = match doubt {
                None => next.await,
                Some(due) => timeout_at(due, next)
                    .await
                    .unwrap_or_else(|_| Err(self.nameless())),
            };
            let ended = match next {
                Ok(Some(data)) => match self.take(hop, data).await? {
                    Taken::Answer(answer) => {
                        let (endpoint, tx) = (self.endpoint.clone(), self.tx.clone());
                        tokio::spawn(aftermath(endpoint, events, tx, hop));
                        return Ok(answer);
                    }
                    Taken::Nameless => {
                        doubt.get_or_insert_with(|| Instant::now() + DOUBT);
                        continue;
                    }
                    Taken::Other => continue,
                },
                Ok(None) | Err(Fault::AnswerLost { .. }) if doubt.is_some() => {
                    return Err(self.nameless());
                }
                Ok(None) => self.lost("its stream ended before the answer"),
                Err(why @ Fault::AnswerLost { .. }) => why,
                Err(why) => return Err(why),
            };
            if events.seen_any {
                resumes = 0;
            }
            if events.seen_data {
                pace.reset();
            }
            events = self.resume(events, &mut resumes, &mut pace, ended).await?;
        }
    }

    /// Goes on where a stream broke off: always a GET, after the wait that the server asked for.
    async fn resume(
        &self,
        broken: Events,
        resumes: &mut u32,
        pace: &mut Pace,
        ended: Fault,
    ) -> Result<Events, Fault> {
        let Some(last_id) = broken.last_id.clone() else {
            return Err(ended);
        };
        let retry = broken.retry;
        drop(broken);
        while *resumes < MAX_RESUMES {
            *resumes += 1;
            sleep(pace.wait(retry)).await;
            tracing::debug!("resuming a stream after event {last_id:?}");
            let headers = request::get(&self.endpoint, &self.place, Some(&last_id));
            let sent = send(
                &self.endpoint,
                Method::GET,
                &self.url,
                &headers,
                Telling::empty,
            )
            .await;
            let Ok((response, _)) = sent else { continue };
            let status = response.status();
            if status.is_success() && media(&response) == Media::Events {
                let mut events = Events::new(&self.endpoint, response);
                events.last_id = Some(last_id);
                events.retry = retry;
                return Ok(events);
            }
            if !may_pass(status) {
                let status = status.as_u16();
                return Err(self.lost(&format!(
                    "its stream broke and resuming it got HTTP {status}"
                )));
            }
        }
        Err(ended)
    }

    /// Passes on what an event holds. Gives the answer if it was that.
    ///
    /// The stream belongs to one request, so an answer on it that cannot be read is the answer to that.
    async fn take(&self, hop: u64, data: Data) -> Result<Taken, Fault> {
        let mut taken = Taken::Other;
        if !data.is_message() {
            tracing::debug!("skipping an event of the kind {:?}", data.name);
            return Ok(taken);
        }
        let mut credit = data.credit;
        for frame in Resync::frames(data.text, self.endpoint.limits()) {
            if let Frame::Other { why, .. } = &frame {
                tracing::warn!(
                    "{} sent an event that is no message: {why}",
                    self.endpoint.peer
                );
                if why.answered_hop() == Some(hop) || why.is_nameless_answer() {
                    return Err(self.bad(why.to_string()));
                }
            }
            let is_quoted =
                matches!(&frame, Frame::Other { why, .. } if why.quoted_hop() == Some(hop));
            let is_foreign = matches!(&frame, Frame::One(msg) if self.is_foreign(hop, msg));
            if is_quoted || is_foreign {
                taken = Taken::Nameless;
                continue;
            }
            let answer = self.deliver(hop, frame, std::mem::take(&mut credit)).await;
            if let Some(answer) = answer {
                return Ok(Taken::Answer(answer));
            }
        }
        Ok(taken)
    }

    /// Whether an answer on the stream of `hop` has an id that no waiting request has.
    fn is_foreign(&self, hop: u64, msg: &Message) -> bool {
        let id = msg.id().filter(|id| id.text() != "null");
        let waits = |other: u64| other == hop || self.endpoint.waiting.contains(other);
        match id {
            Some(id) => msg.is_answer() && !id.as_hop().is_some_and(waits),
            None => msg.kind() == Kind::Result,
        }
    }

    async fn deliver(&self, hop: u64, frame: Frame, credit: Credit) -> Option<Message> {
        let mut credit = Some(credit);
        let mut answer = None;
        let messages = match frame {
            Frame::One(msg) => vec![msg],
            Frame::Batch(entries) => entries.into_iter().flatten().collect(),
            Frame::Blank | Frame::Other { .. } => return None,
        };
        for msg in messages {
            let mut msg = claim(msg, hop);
            if msg.is_answer() && msg.id().and_then(|id| id.as_hop()) == Some(hop) {
                if let Some(valid) = self
                    .lists_tools
                    .then(|| without_invalid_tools(&msg))
                    .flatten()
                {
                    tracing::warn!(
                        "{} lists tools with invalid x-mcp-header annotations; they are left out",
                        self.endpoint.peer
                    );
                    msg = valid;
                }
                answer = Some(msg.clone());
            }
            let envelope = Envelope {
                relates_to: Some(hop),
                credit: credit.take().unwrap_or_default(),
                ..Envelope::new(msg)
            };
            // If the session is gone there is nobody left to tell.
            let _ = self.tx.send(Inbound::Message(envelope)).await;
        }
        answer
    }

    async fn fail(&self, delivery: &Delivery, why: Fault) -> Outcome {
        job::fail(&self.tx, delivery, why).await;
        Outcome::Done
    }

    fn lost(&self, why: &str) -> Fault {
        Fault::AnswerLost {
            peer: self.endpoint.peer.to_string(),
            why: why.to_owned(),
        }
    }

    fn nameless(&self) -> Fault {
        self.bad(
            "its answer has an `id` that no request has, or stands behind other text".to_owned(),
        )
    }

    fn bad(&self, why: String) -> Fault {
        Fault::BadAnswer {
            peer: self.endpoint.peer.to_string(),
            why,
        }
    }
}

/// What an event on the stream of a request was.
enum Taken {
    Answer(Message),
    /// An answer to no request that waits, or an answer behind other text.
    Nameless,
    Other,
}

/// An error answer without an id, in the answer to one request, can only mean that request.
fn claim(msg: Message, hop: u64) -> Message {
    let nameless = msg.id().is_none_or(|id| id.text() == "null");
    if msg.kind() == Kind::Error && nameless {
        msg.with_id(Id::number(hop))
    } else {
        msg
    }
}
