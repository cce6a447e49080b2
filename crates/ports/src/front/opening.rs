//! How a legacy session is opened.

use std::sync::Arc;

use http::header::{HeaderMap, HeaderValue};
use linkspan_mcp::SESSION_ID;
use linkspan_session::{Envelope, Outbound, Port, now};
use linkspan_wire::Kind;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Duration, timeout};

use super::allowance::Allowance;
use super::body::Response;
use super::principal::Principal;
use super::refusal::Refusal;
use super::router::Router;
use super::service::FrontService;
use super::session::{Ends, Pump, Session};
use super::session_streams::{First, Manner, SessionStreams};
use super::sessions::Key;
use crate::QUEUE;

/// How long a new session waits for a free slot.
const LEAVING: Duration = Duration::from_secs(3);

impl<H: FrontService> Router<H> {
    /// Begins a session with the client's `initialize`.
    pub(super) async fn begin(
        self: &Arc<Self>,
        envelope: Envelope,
        principal: &Principal,
    ) -> Result<Response, Refusal> {
        let allowance = self.allowances.one();
        let slot = self.slot(&allowance)?;
        let session = self.admit(principal, Manner::Streams, allowance).await?;
        // A client that does not get its session id cannot use the session.
        let guard = CloseUnlessKept(Some(Arc::clone(&session)));
        session.streams().begin(&envelope.msg);
        let reader = self.send(&session, envelope, &slot).await?;
        let first = timeout(self.options.long_patience, reader.first())
            .await
            .ok();
        let refused = match &first {
            Some(First::Answer(Outbound::One(answer))) => answer.msg.kind() == Kind::Error,
            _ => false,
        };
        let mut response = self.respond(first, reader, slot);
        if !refused {
            guard.keep();
            add_key(response.headers_mut(), session.key);
        }
        Ok(response)
    }

    /// Makes a session and gives its port to the service.
    pub(super) async fn admit(
        self: &Arc<Self>,
        principal: &Principal,
        manner: Manner,
        allowance: Arc<Allowance>,
    ) -> Result<Arc<Session>, Refusal> {
        let room = self.room().await?;
        let key = Key::random().ok_or_else(|| Refusal::busy("the system has no random numbers"))?;
        let (port, end) = Port::pair("the client", QUEUE);
        let (tx, ends) = Ends::part(end);
        let streams = SessionStreams::new(manner, now());
        let session = Arc::new(Session::new(key, principal.clone(), tx, allowance, streams));
        self.sessions.add(Arc::clone(&session));
        let pump = Pump {
            session: Arc::clone(&session),
            sessions: Arc::clone(&self.sessions),
            idle: self.options.idle,
            room,
        };
        tokio::spawn(pump.run(ends));
        self.service.admit(port, principal);
        Ok(session)
    }

    /// Waits for a session slot. Sessions that are closing still hold theirs until their servers have exited.
    pub(super) async fn room(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let is_full = self.sessions.len() >= self.options.max_sessions;
        let wait = if is_full { Duration::ZERO } else { LEAVING };
        let room = timeout(wait, Arc::clone(&self.session_slots).acquire_owned()).await;
        let room = room.ok().and_then(Result::ok);
        room.ok_or_else(|| Refusal::busy("too many sessions"))
    }
}

/// Closes a session when it is dropped, unless the client got the session id.
struct CloseUnlessKept(Option<Arc<Session>>);

impl CloseUnlessKept {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for CloseUnlessKept {
    fn drop(&mut self) {
        if let Some(session) = &self.0 {
            session.close();
        }
    }
}

fn add_key(headers: &mut HeaderMap, key: Key) {
    if let Ok(value) = HeaderValue::from_str(&key.to_string()) {
        headers.insert(SESSION_ID, value);
    }
}
