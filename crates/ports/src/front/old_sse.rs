//! HTTP+SSE of 2024-11-05: one stream for everything the server says, and a place to POST to.

use std::sync::Arc;

use http::StatusCode;
use http::request::Parts;
use hyper::body::Incoming;
use linkspan_session::{Envelope, Inbound};
use linkspan_wire::Frame;

use super::body::{Response, empty};
use super::desk::Manner;
use super::hall::{Hall, guest};
use super::house::House;
use super::ink::Ink;
use super::intake::{check_accept_events, check_content_type};
use super::reader::Reader;
use super::refusal::Refusal;
use super::session::now;

impl<H: House> Hall<H> {
    /// GET /sse: a session that lives as long as this stream.
    pub(super) async fn open_sse(self: &Arc<Self>, head: &Parts) -> Result<Response, Refusal> {
        check_accept_events(&head.headers)?;
        let session = self.admit(&guest(&head.headers), Manner::OneStream).await?;
        let seat = session.desk().listen();
        let mut ink = Ink::default();
        ink.endpoint(&format!("/messages?sessionId={}", session.key));
        Ok(self.stream(Reader::only(session, seat), ink, None))
    }

    /// POST /messages: takes a message; its answer comes on the stream.
    pub(super) async fn post_sse(
        self: &Arc<Self>,
        head: &Parts,
        body: Incoming,
    ) -> Result<Response, Refusal> {
        check_content_type(&head.headers)?;
        let guest = guest(&head.headers);
        let mut parts = head.uri.query().unwrap_or_default().split('&');
        let key = parts.find_map(|part| part.strip_prefix("sessionId="));
        let session = self
            .sessions
            .find(key.unwrap_or_default(), &guest.principal);
        let session = session.ok_or_else(Refusal::no_such_session)?;
        let (text, credit) = self.intake(Some(&session)).read(body).await?;
        let inbound = match Frame::parse(text, &self.options.limits) {
            Frame::One(msg) => Inbound::Message(Envelope {
                credit,
                ..Envelope::new(msg)
            }),
            Frame::Batch(entries) => Inbound::Batch(entries),
            Frame::Other { why, .. } => return Err(Refusal::bad(&why)),
            Frame::Blank => return Err(Refusal::bad(&linkspan_wire::Syntax::Torn.into())),
        };
        session.desk().touch(now());
        let sent = session.tx.send(inbound).await;
        sent.map_err(|_| Refusal::no_such_session())?;
        Ok(empty(StatusCode::ACCEPTED))
    }
}
