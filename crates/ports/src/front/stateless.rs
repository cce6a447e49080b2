//! Legacy requests without a session: each has one of its own, which ends with its answer.

use std::sync::Arc;

use http::StatusCode;
use linkspan_mcp::{Given, names};
use linkspan_session::{Envelope, Inbound, Outbound};
use linkspan_wire::{Id, Kind, Message, RpcError, quote};
use tokio::time::timeout;

use super::body::{RequestSlot, Response, empty};
use super::principal::Principal;
use super::refusal::Refusal;
use super::router::Router;
use super::service::FrontService;
use super::session::Session;
use super::session_streams::{First, Manner};

impl<H: FrontService> Router<H> {
    /// Serves a message that names no session.
    pub(super) async fn alone(
        self: &Arc<Self>,
        envelope: Envelope,
        version: Given<'_>,
        principal: Principal,
    ) -> Result<Response, Refusal> {
        if envelope.msg.kind() != Kind::Request {
            // There is no session that it could concern.
            return Ok(empty(StatusCode::ACCEPTED));
        }
        let allowance = self.allowances.one();
        let slot = self.slot(&allowance)?;
        let session = self.admit(&principal, Manner::Streams, allowance).await?;
        let ending = Ending(Arc::clone(&session));
        let mut patience = self.options.patience;
        if envelope.msg.method() == names::INITIALIZE {
            patience = self.options.long_patience;
            session.streams().begin(&envelope.msg);
        } else {
            self.shake_hands(&session, version, &slot).await?;
        }
        let reader = self.send(&session, envelope, &slot).await?;
        let first = timeout(patience, reader.first()).await.ok();
        let response = self.respond(first, reader, slot);
        Ok(response.map(|body| body.keeping(ending)))
    }

    /// Opens the session in the client's place.
    async fn shake_hands(
        self: &Arc<Self>,
        session: &Arc<Session>,
        version: Given<'_>,
        slot: &RequestSlot,
    ) -> Result<(), Refusal> {
        let usual = self.options.stateless.as_deref().unwrap_or_default();
        let version = match version {
            Given::Text(version) => version,
            Given::Nothing | Given::Unclear => usual,
        };
        let params = format!(
            r#"{{"protocolVersion":{},"capabilities":{{}},"clientInfo":{{"name":"linkspan","version":"{}"}}}}"#,
            quote(version),
            env!("CARGO_PKG_VERSION")
        );
        let id = Id::string("linkspan-initialize");
        let initialize = Message::request(&id, names::INITIALIZE, Some(&params));
        session.streams().begin(&initialize);
        let reader = self.send(session, Envelope::new(initialize), slot).await?;
        // The session itself limits the wait.
        match reader.first().await {
            First::Answer(Outbound::One(answer)) if answer.msg.kind() == Kind::Result => {}
            First::Answer(Outbound::One(answer)) => {
                let told = answer
                    .msg
                    .body()
                    .and_then(|body| body.get("message")?.as_str());
                let why = told.map_or_else(|| "no reason".to_owned(), |why| why.into_owned());
                let why = format!("the server refuses to start: {why}");
                return Err(Refusal::rpc(StatusCode::OK, RpcError::server(why)));
            }
            _ => return Err(Refusal::busy("the server does not answer")),
        }
        let initialized = Message::notification(names::INITIALIZED, None);
        let place = session.place(self.options.room_timeout).await?;
        place.send(Inbound::Message(Envelope::new(initialized)));
        Ok(())
    }
}

/// Ends a session when it is dropped.
struct Ending(Arc<Session>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.close();
    }
}
