//! The answer in the response to a POST: one body, or an event stream that may have to be resumed.

use std::time::Duration;

use http::Method;
use linkspan_mcp::without_invalid_tools;
use linkspan_session::{Credit, Envelope, Fault, Inbound};
use linkspan_wire::{Frame, Hop, Kind, Message, Resync};
use tokio::time::{Instant, sleep, timeout_at};

use super::Post;
use crate::http::answer::{self, Data, Events, Media, media};
use crate::http::body::Telling;
use crate::http::pace::Pace;
use crate::http::request;
use crate::http::rest::aftermath;
use crate::http::sending::{Response, may_pass, send};
use crate::owed::DOUBT;

/// Attempts to resume a stream that yields no new event.
const MAX_RESUMES: u32 = 6;
/// Wait before the first attempt, unless the server names one.
const DEFAULT_RETRY: Duration = Duration::from_secs(1);
const MAX_WAIT: Duration = Duration::from_secs(30);

impl Post {
    /// A body that is the answer.
    pub(super) async fn body(&self, hop: Hop, response: Response) -> Result<Message, Fault> {
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
                    "a body of the type {} that is not a message: {why}",
                    kind.unwrap_or("?")
                ),
                _ => "its body answers another request".to_owned(),
            };
            let delivered = self.deliver(hop, frame, std::mem::take(&mut credit)).await;
            answer = answer.or(delivered);
        }
        answer.ok_or_else(|| self.bad(why))
    }

    /// An event stream that ends with the answer, over as many connections as necessary.
    pub(super) async fn stream(&self, hop: Hop, response: Response) -> Result<Message, Fault> {
        let mut events = Events::new(&self.endpoint, response);
        let mut resumes = 0;
        let mut pace = Pace::new(DEFAULT_RETRY, MAX_WAIT);
        // Set after an answer that matches no request: if no other answer follows, that was the answer.
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

    /// Resumes a broken stream: always with a GET, after the wait that the server asked for.
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
            let headers = request::get(&self.endpoint, &self.context, Some(&last_id));
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

    /// Forwards the message of an event, and returns the answer if the event holds it.
    ///
    /// The stream belongs to one request, so an unreadable answer on it is the answer to that request.
    async fn take(&self, hop: Hop, data: Data) -> Result<Taken, Fault> {
        let mut taken = Taken::Other;
        if !data.is_message() {
            tracing::debug!("skipping an event of the kind {:?}", data.name);
            return Ok(taken);
        }
        let mut credit = data.credit;
        for frame in Resync::frames(data.text, self.endpoint.limits()) {
            if let Frame::Other { why, .. } = &frame {
                tracing::warn!(
                    "{} sent an event that is not a message: {why}",
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

    /// Whether an answer on the stream of `hop` has an id that no open request has.
    fn is_foreign(&self, hop: Hop, msg: &Message) -> bool {
        let id = msg.id().filter(|id| id.text() != "null");
        let waits = |other: Hop| other == hop || self.endpoint.waiting.contains(other);
        match id {
            Some(id) => msg.is_answer() && !id.as_hop().is_some_and(waits),
            None => msg.kind() == Kind::Result,
        }
    }

    async fn deliver(&self, hop: Hop, frame: Frame, credit: Credit) -> Option<Message> {
        let mut credit = Some(credit);
        let mut answer = None;
        let messages = match frame {
            Frame::One(msg) => vec![msg],
            Frame::Batch(entries) => entries.into_iter().flatten().collect(),
            Frame::Blank | Frame::Other { .. } => return None,
        };
        for msg in messages {
            let mut msg = claim(msg, hop);
            if msg.is_answer() && msg.hop() == Some(hop) {
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
            // Fails only if the session has ended.
            let _ = self.tx.send(Inbound::Message(envelope)).await;
        }
        answer
    }

    fn lost(&self, why: &str) -> Fault {
        Fault::AnswerLost {
            peer: self.endpoint.peer.to_string(),
            why: why.to_owned(),
        }
    }

    fn nameless(&self) -> Fault {
        self.bad("its answer has an `id` that no request has, or follows other text".to_owned())
    }

    fn bad(&self, why: String) -> Fault {
        Fault::BadAnswer {
            peer: self.endpoint.peer.to_string(),
            why,
        }
    }
}

/// The contents of an event on the stream of a request.
enum Taken {
    Answer(Message),
    /// An answer to no request that waits, or an answer behind other text.
    Nameless,
    Other,
}

/// An error without an id, in the response to a single request, belongs to that request.
fn claim(msg: Message, hop: Hop) -> Message {
    let nameless = msg.id().is_none_or(|id| id.text() == "null");
    if msg.kind() == Kind::Error && nameless {
        msg.with_id(hop.id())
    } else {
        msg
    }
}
