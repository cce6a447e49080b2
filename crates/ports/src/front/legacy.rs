//! Legacy requests: `initialize` opens a session, the rest belongs to one.

use std::sync::Arc;

use http::StatusCode;
use http::request::Parts;
use linkspan_mcp::{Era, Given, LAST_EVENT_ID, PROTOCOL_VERSION, Revision, names};
use linkspan_session::{Envelope, Inbound, Outbound, now};
use linkspan_wire::{Entry, Id, Kind, Message, RpcError};
use tokio::time::timeout;

use super::access::METHODS;
use super::admission::Admission;
use super::body::{self, Events, RequestSlot, Response, Source, empty};
use super::cancelling::cancel;
use super::connections::Serving;
use super::intake::{check_accept_events, given};
use super::principal::Principal;
use super::reader::Reader;
use super::refusal::Refusal;
use super::router::{Router, charge, check_version};
use super::service::FrontService;
use super::session::Session;
use super::session_streams::{First, Unresumable, Unserved};
use super::sse_writer::{EventId, SseWriter};

/// How long DELETE waits for the session's server to end.
const GOODBYE: std::time::Duration = std::time::Duration::from_secs(5);

/// The session that a request names: `None` if it names none, `Some(None)` if that session does not exist.
type Named = Option<Option<Arc<Session>>>;

impl<H: FrontService> Router<H> {
    /// Serves one legacy message.
    pub(super) async fn relay(
        self: &Arc<Self>,
        envelope: Envelope,
        version: Given<'_>,
        named: Named,
        principal: Principal,
    ) -> Result<Response, Refusal> {
        let opens = is_request(&envelope.msg) && envelope.msg.method() == names::INITIALIZE;
        if opens && named.is_none() {
            return self.begin(envelope, &principal).await;
        }
        let session = known(named)?;
        check_version(version, &session)?;
        if opens {
            return Err(Refusal::rpc(
                StatusCode::BAD_REQUEST,
                RpcError::invalid_request("this session has begun already"),
            ));
        }
        session.streams().touch(now());
        match envelope.msg.kind() {
            Kind::Request => {
                let slot = self.slot(&session.allowance)?;
                let reader = self.send(&session, envelope, &slot).await?;
                let first = timeout(self.options.patience, reader.first()).await;
                Ok(self.respond(first.ok(), reader, slot))
            }
            Kind::Notification | Kind::Result | Kind::Error => {
                let place = session.place(self.options.room_timeout).await?;
                cancel(&session, &[&envelope.msg]);
                place.send(Inbound::Message(envelope));
                Ok(empty(StatusCode::ACCEPTED))
            }
        }
    }

    /// Serves an array of legacy messages.
    pub(super) async fn batch(
        self: &Arc<Self>,
        entries: Vec<Entry>,
        version: Given<'_>,
        named: Named,
    ) -> Result<Response, Refusal> {
        let session = known(named)?;
        check_version(version, &session)?;
        session.streams().touch(now());
        if !session.streams().speaks(Revision::V2025_03_26.as_str()) {
            let error = RpcError::invalid_request("batches exist in MCP 2025-03-26 only")
                .with_data(r#"{"hint":"send one message at a time"}"#);
            return Err(Refusal::rpc(StatusCode::BAD_REQUEST, error));
        }
        let messages: Vec<&Message> = entries.iter().flatten().collect();
        let requests: Vec<&Message> = messages.iter().copied().filter(|m| is_request(m)).collect();
        let errors = entries.len() - messages.len();
        if requests.is_empty() && errors == 0 {
            let place = session.place(self.options.room_timeout).await?;
            cancel(&session, &messages);
            place.send(Inbound::Batch(entries));
            return Ok(empty(StatusCode::ACCEPTED));
        }
        let slot = self.slot(&session.allowance)?;
        let place = session.place(self.options.room_timeout).await?;
        let reader_id = session.streams().post(&requests, true, Some(&slot));
        let reader_id = reader_id.map_err(unserved)?;
        let reader = Reader::new(Arc::clone(&session), reader_id);
        session.streams().owe(reader_id.stream, errors);
        cancel(&session, &messages);
        place.send(Inbound::Batch(entries));
        let first = timeout(self.options.patience, reader.first()).await.ok();
        // A batch is answered with an array; an error without an id refuses the whole batch.
        let is_refused = match &first {
            Some(First::Answer(Outbound::One(answer))) => answer.msg.id() == Some(Id::null()),
            _ => false,
        };
        let mut response = self.respond(first, reader, slot);
        if is_refused {
            *response.status_mut() = StatusCode::BAD_REQUEST;
        }
        Ok(response)
    }

    /// GET: the standing stream, or what follows an event of any stream.
    pub(super) fn listen(
        &self,
        head: &Parts,
        admission: &Admission,
        serving: &Serving,
    ) -> Result<Response, Refusal> {
        let session = self.standing(head, admission)?;
        charge(serving, &session.allowance)?;
        check_accept_events(&head.headers)?;
        check_version(given(&head.headers, PROTOCOL_VERSION), &session)?;
        let mut streams = session.streams();
        streams.touch(now());
        let reader_id = match given(&head.headers, LAST_EVENT_ID) {
            Given::Nothing => Ok(streams.listen()),
            Given::Text(text) => match EventId::parse(text) {
                Some(event) => streams.resume(event),
                None => Err(Unresumable::Unknown),
            },
            Given::Unclear => Err(Unresumable::Unknown),
        };
        drop(streams);
        match reader_id {
            Ok(reader_id) => {
                let principal = reader_id.is_standing().then(|| session.principal.clone());
                let reader = Reader::new(session, reader_id);
                Ok(self.stream(reader, SseWriter::default(), None, principal))
            }
            // This status tells an event source not to reconnect.
            Err(Unresumable::Over) => Ok(empty(StatusCode::NO_CONTENT)),
            Err(Unresumable::Unknown) => {
                let why = "Last-Event-ID names no event of this session".to_owned();
                let hint = "leave it out to open a new stream";
                Err(Refusal::new(StatusCode::BAD_REQUEST, "event", why, hint))
            }
        }
    }

    /// DELETE: the client ends its session. The slot is free when the DELETE is answered, so that the client may open a
    /// new session at once; but the wait for the server to end is bounded.
    pub(super) async fn end(
        &self,
        head: &Parts,
        admission: &Admission,
        serving: &Serving,
    ) -> Result<Response, Refusal> {
        let session = self.standing(head, admission)?;
        charge(serving, &session.allowance)?;
        check_version(given(&head.headers, PROTOCOL_VERSION), &session)?;
        self.sessions.remove(session.key);
        session.close();
        let _ = timeout(GOODBYE, session.ended()).await;
        Ok(empty(StatusCode::NO_CONTENT))
    }

    /// The session of a GET or DELETE, which exist for sessions only.
    fn standing(&self, head: &Parts, admission: &Admission) -> Result<Arc<Session>, Refusal> {
        let version = given(&head.headers, PROTOCOL_VERSION);
        let is_modern = match version {
            Given::Text(text) => Revision::parse(text).is_some_and(|r| r.era() == Era::Modern),
            _ => false,
        };
        let named = self.named_session(head, &admission.principal);
        if is_modern || named.is_none() || self.options.client_era == Some(Era::Modern) {
            let why = "only legacy sessions have a standing stream and can be deleted";
            return Err(Refusal::method(METHODS, why));
        }
        known(named)
    }

    /// Answers a POST: with JSON if the first item is the only one, else with a stream.
    pub(super) fn respond(
        &self,
        first: Option<First>,
        reader: Reader,
        slot: RequestSlot,
    ) -> Response {
        match first {
            Some(First::Answer(item)) => body::message(StatusCode::OK, item, Some(slot)),
            Some(First::Nothing) => empty(StatusCode::ACCEPTED),
            Some(First::Stream) | None => {
                let mut writer = SseWriter::default();
                reader.prime(&mut writer);
                self.stream(reader, writer, Some(slot), None)
            }
        }
    }

    /// Forwards a request, and returns the reader of its stream.
    pub(super) async fn send(
        &self,
        session: &Arc<Session>,
        envelope: Envelope,
        slot: &RequestSlot,
    ) -> Result<Reader, Refusal> {
        // A reserved place makes the two steps below atomic.
        let place = session.place(self.options.room_timeout).await?;
        let reader_id = session
            .streams()
            .post(&[&envelope.msg], false, Some(slot))
            .map_err(unserved)?;
        place.send(Inbound::Message(envelope));
        Ok(Reader::new(Arc::clone(session), reader_id))
    }

    /// A stream of a session. One without an end of its own is for this principal, while its credentials count.
    pub(super) fn stream(
        &self,
        reader: Reader,
        writer: SseWriter,
        slot: Option<RequestSlot>,
        principal: Option<Principal>,
    ) -> Response {
        let every = self.options.keep_alive;
        let source = Source::Session(reader);
        let events = Events::new(source, writer, every, slot);
        body::events(match principal {
            Some(principal) => events.while_valid(&principal),
            None => events,
        })
    }
}

fn known(named: Named) -> Result<Arc<Session>, Refusal> {
    match named {
        Some(found) => found.ok_or_else(Refusal::no_such_session),
        None => {
            let why = "Mcp-Session-Id is missing".to_owned();
            let hint = "begin with `initialize`, and send the id that comes with its answer";
            let status = StatusCode::BAD_REQUEST;
            Err(Refusal::new(status, "no_session", why, hint))
        }
    }
}

pub(super) fn is_request(message: &Message) -> bool {
    message.kind() == Kind::Request
}

pub(super) fn unserved(why: Unserved) -> Refusal {
    let id = match why {
        Unserved::InUse(id) => id,
        Unserved::Ended => return Refusal::no_such_session(),
    };
    let error = RpcError::invalid_request(format!("a request with the id {id} is still in flight"));
    Refusal::rpc(StatusCode::BAD_REQUEST, error)
}
