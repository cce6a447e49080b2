//! Legacy requests: `initialize` opens a session, the rest belongs to one.

use std::sync::Arc;

use http::header::HeaderValue;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use linkspan_mcp::{Era, Given, LAST_EVENT_ID, PROTOCOL_VERSION, Revision, SESSION_ID, names};
use linkspan_session::{Budget, Credit, Envelope, Inbound, Outbound, Port};
use linkspan_wire::{Entry, Id, Kind, Message, RpcError};
use tokio::time::timeout;

use super::body::{self, Events, Response, Source, Ticket, empty};
use super::desk::{Desk, First, Manner, Unresumable};
use super::gate::METHODS;
use super::hall::{Hall, check_version, guest};
use super::house::{Guest, House};
use super::ink::{EventId, Ink};
use super::intake::{check_accept_events, given};
use super::reader::Reader;
use super::refusal::Refusal;
use super::session::{Ends, Pump, Session, now};
use super::sessions::Key;
use crate::QUEUE;

/// The session that a request names: none, one that is not there, or this.
type Named = Option<Option<Arc<Session>>>;

impl<H: House> Hall<H> {
    /// Serves one legacy message.
    pub(super) async fn relay(
        self: &Arc<Self>,
        message: Message,
        credit: Credit,
        version: Given<'_>,
        named: Named,
        guest: Guest,
    ) -> Result<Response, Refusal> {
        let opens = message.kind() == Kind::Request && message.method() == names::INITIALIZE;
        let envelope = Envelope {
            credit,
            ..Envelope::new(message)
        };
        if opens && named.is_none() {
            return self.begin(envelope, &guest).await;
        }
        let session = known(named)?;
        check_version(version, &session)?;
        if opens {
            return Err(Refusal::rpc(
                StatusCode::BAD_REQUEST,
                RpcError::invalid_request("this session has begun already"),
            ));
        }
        session.desk().touch(now());
        match envelope.msg.kind() {
            Kind::Request => {
                let ticket = self.ticket()?;
                let reader = send(&session, envelope).await?;
                let first = timeout(self.options.patience, reader.first()).await;
                Ok(self.respond(first.ok(), reader, ticket))
            }
            Kind::Notification | Kind::Result | Kind::Error => {
                let place = session.tx.reserve().await.map_err(gone)?;
                if envelope.msg.method() == names::CANCELLED
                    && let Some(id) = cancelled(&envelope.msg)
                {
                    session.desk().cancel(&id, now());
                }
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
        session.desk().touch(now());
        let answered = |entry: &&Entry| entry.as_ref().map_or(true, is_request);
        if !entries.iter().any(|entry| answered(&entry)) {
            let place = session.tx.reserve().await.map_err(gone)?;
            place.send(Inbound::Batch(entries));
            return Ok(empty(StatusCode::ACCEPTED));
        }
        let ticket = self.ticket()?;
        let place = session.tx.reserve().await.map_err(gone)?;
        let requests: Vec<&Message> = entries.iter().flatten().filter(|m| is_request(m)).collect();
        let seat = session.desk().post(&requests, true).map_err(in_use)?;
        let reader = Reader::new(Arc::clone(&session), seat);
        place.send(Inbound::Batch(entries));
        let first = timeout(self.options.patience, reader.first()).await;
        Ok(self.respond(first.ok(), reader, ticket))
    }

    /// GET: the standing stream, or what follows an event of any stream.
    pub(super) fn listen(&self, head: &Parts) -> Result<Response, Refusal> {
        let session = self.standing(head)?;
        check_accept_events(&head.headers)?;
        check_version(given(&head.headers, PROTOCOL_VERSION), &session)?;
        let mut desk = session.desk();
        desk.touch(now());
        let seat = match given(&head.headers, LAST_EVENT_ID) {
            Given::Nothing => Ok(desk.listen()),
            Given::Text(text) => match EventId::parse(text) {
                Some(event) => desk.resume(event),
                None => Err(Unresumable::Unknown),
            },
            Given::Unclear => Err(Unresumable::Unknown),
        };
        drop(desk);
        match seat {
            Ok(seat) => {
                let reader = Reader::new(session, seat);
                Ok(self.stream(reader, Ink::default(), None))
            }
            // To an event source that means: do not come back.
            Err(Unresumable::Over) => Ok(empty(StatusCode::NO_CONTENT)),
            Err(Unresumable::Unknown) => {
                let why = "Last-Event-ID names no event of this session".to_owned();
                let hint = "leave it out to open a new stream";
                Err(Refusal::new(StatusCode::BAD_REQUEST, "event", why, hint))
            }
        }
    }

    /// DELETE: the client says goodbye.
    pub(super) fn end(&self, head: &Parts) -> Result<Response, Refusal> {
        let session = self.standing(head)?;
        check_version(given(&head.headers, PROTOCOL_VERSION), &session)?;
        self.sessions.remove(session.key);
        session.close();
        Ok(empty(StatusCode::NO_CONTENT))
    }

    /// The session of a GET or DELETE, which exist for sessions only.
    fn standing(&self, head: &Parts) -> Result<Arc<Session>, Refusal> {
        let version = given(&head.headers, PROTOCOL_VERSION);
        let is_modern = match version {
            Given::Text(text) => Revision::parse(text).is_some_and(|r| r.era() == Era::Modern),
            _ => false,
        };
        let named = self.named_session(head, &guest(&head.headers));
        if is_modern || named.is_none() || self.options.client_era == Some(Era::Modern) {
            let why = "only legacy sessions have streams of their own, and an end";
            return Err(Refusal::method(METHODS, why));
        }
        known(named)
    }

    /// Begins a session with the client's `initialize`.
    async fn begin(
        self: &Arc<Self>,
        envelope: Envelope,
        guest: &Guest,
    ) -> Result<Response, Refusal> {
        let ticket = self.ticket()?;
        let session = self.admit(guest, Manner::Streams)?;
        session.desk().begin(&envelope.msg);
        // Until the client knows its session, it can do nothing with it.
        let unborn = Unborn(Some(Arc::clone(&session)));
        let reader = send(&session, envelope).await?;
        let first = timeout(self.options.long_patience, reader.first())
            .await
            .ok();
        let refused = match &first {
            Some(First::Answer(Outbound::One(answer))) => answer.msg.kind() == Kind::Error,
            _ => false,
        };
        let mut response = self.respond(first, reader, ticket);
        if !refused {
            unborn.is_born();
            add_key(response.headers_mut(), session.key);
        }
        Ok(response)
    }

    /// Makes a session and gives its port to the house.
    pub(super) fn admit(
        self: &Arc<Self>,
        guest: &Guest,
        manner: Manner,
    ) -> Result<Arc<Session>, Refusal> {
        let room = Arc::clone(&self.rooms).try_acquire_owned();
        let room = room.map_err(|_| Refusal::busy("too many sessions"))?;
        let key = Key::random().ok_or_else(|| Refusal::busy("the system has no random numbers"))?;
        let (port, end) = Port::pair("the client", QUEUE);
        let (tx, ends) = Ends::part(end);
        let budget = Budget::new(self.options.limits.max_bytes());
        let desk = Desk::new(manner, now());
        let principal = guest.principal.clone();
        let session = Arc::new(Session::new(key, principal, tx, budget, desk));
        self.sessions.add(Arc::clone(&session));
        let pump = Pump {
            session: Arc::clone(&session),
            sessions: Arc::clone(&self.sessions),
            idle: self.options.idle,
            _room: room,
        };
        tokio::spawn(pump.run(ends));
        self.house.admit(port, guest);
        Ok(session)
    }

    /// Answers a POST with what came first: JSON if that is all, else a stream.
    fn respond(&self, first: Option<First>, reader: Reader, ticket: Ticket) -> Response {
        match first {
            Some(First::Answer(item)) => body::message(StatusCode::OK, item, Some(ticket)),
            Some(First::Nothing) => empty(StatusCode::ACCEPTED),
            Some(First::Stream) | None => {
                let mut ink = Ink::default();
                reader.prime(&mut ink);
                self.stream(reader, ink, Some(ticket))
            }
        }
    }

    pub(super) fn stream(&self, reader: Reader, ink: Ink, ticket: Option<Ticket>) -> Response {
        let every = self.options.keep_alive;
        let source = Source::Session(reader);
        body::events(Events::new(source, ink, every, ticket))
    }
}

/// A session that ends unless its client gets to know it.
struct Unborn(Option<Arc<Session>>);

impl Unborn {
    fn is_born(mut self) {
        self.0 = None;
    }
}

impl Drop for Unborn {
    fn drop(&mut self) {
        if let Some(session) = &self.0 {
            session.close();
        }
    }
}

/// Sends a request on, and waits where its answer will come.
async fn send(session: &Arc<Session>, envelope: Envelope) -> Result<Reader, Refusal> {
    // Once there is a place for it, nothing can come between the two.
    let place = session.tx.reserve().await.map_err(gone)?;
    let seat = session
        .desk()
        .post(&[&envelope.msg], false)
        .map_err(in_use)?;
    place.send(Inbound::Message(envelope));
    Ok(Reader::new(Arc::clone(session), seat))
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

fn add_key(headers: &mut HeaderMap, key: Key) {
    if let Ok(value) = HeaderValue::from_str(&key.to_string()) {
        headers.insert(SESSION_ID, value);
    }
}

fn is_request(message: &Message) -> bool {
    message.kind() == Kind::Request
}

/// The request that a `notifications/cancelled` names.
fn cancelled(message: &Message) -> Option<Id> {
    Id::parse(message.params()?.get("requestId")?)
}

fn in_use(id: Id) -> Refusal {
    let error = RpcError::invalid_request(format!("a request with the id {id} is still in flight"));
    Refusal::rpc(StatusCode::BAD_REQUEST, error)
}

fn gone<T>(_: T) -> Refusal {
    Refusal::no_such_session()
}
