//! HTTP+SSE of 2024-11-05: one stream for all messages of the server, and an endpoint for POSTs.

use std::sync::Arc;

use http::StatusCode;
use http::request::Parts;
use hyper::body::Incoming;
use linkspan_session::{Envelope, Inbound, now};
use linkspan_wire::{Frame, Message};

use super::admission::Admission;
use super::body::{Response, empty};
use super::cancelling::cancel;
use super::connections::Serving;
use super::intake::{check_accept_events, check_content_type, drain};
use super::legacy::{is_request, unserved};
use super::options::SsePaths;
use super::reader::Reader;
use super::refusal::Refusal;
use super::router::{Router, charge};
use super::service::FrontService;
use super::session_streams::Manner;
use super::sse_writer::SseWriter;

impl<H: FrontService> Router<H> {
    /// GET /sse: opens a session that ends with this stream.
    pub(super) async fn open_sse(
        self: &Arc<Self>,
        head: &Parts,
        admission: &Admission,
        serving: &Serving,
    ) -> Result<Response, Refusal> {
        check_accept_events(&head.headers)?;
        let allowance = self.allowances.one();
        charge(serving, &allowance)?;
        let session = self
            .admit(&admission.principal, Manner::OneStream, allowance)
            .await?;
        let reader_id = session.streams().listen();
        let mut writer = SseWriter::default();
        let SsePaths {
            messages, base_url, ..
        } = &self.options.sse_paths;
        writer.endpoint(&format!("{base_url}{messages}?sessionId={}", session.key));
        let principal = Some(session.principal.clone());
        let reader = Reader::only(session, reader_id);
        Ok(self.stream(reader, writer, None, principal))
    }

    /// POST /messages: accepts a message; its answer is sent on the stream.
    pub(super) async fn post_sse(
        self: &Arc<Self>,
        head: &Parts,
        body: Incoming,
        admission: &Admission,
        serving: &Serving,
    ) -> Result<Response, Refusal> {
        check_content_type(&head.headers)?;
        let mut parts = head.uri.query().unwrap_or_default().split('&');
        let key = parts.find_map(|part| part.strip_prefix("sessionId="));
        let (key, who) = (key.unwrap_or_default(), &admission.principal);
        let session = self.sessions.find(key, who, Manner::OneStream);
        let session = session.ok_or_else(Refusal::no_such_session)?;
        if let Err(refusal) = charge(serving, &session.allowance) {
            tokio::spawn(drain(body));
            return Err(refusal);
        }
        let (text, credit) = self.intake(&session.allowance.budget).read(body).await?;
        let inbound = match Frame::parse(text, &self.options.limits) {
            Frame::One(msg) => Inbound::Message(Envelope {
                credit,
                ..Envelope::new(msg)
            }),
            Frame::Batch(entries) => Inbound::Batch(entries),
            Frame::Other { why, .. } => return Err(Refusal::bad(&why)),
            Frame::Blank => return Err(Refusal::bad(&linkspan_wire::Syntax::Torn.into())),
        };
        match &inbound {
            Inbound::Message(envelope) => self.permit(admission, [&envelope.msg])?,
            Inbound::Batch(entries) => self.permit(admission, entries.iter().flatten())?,
            _ => {}
        }
        session.streams().touch(now());
        let (messages, errors): (Vec<&Message>, usize) = match &inbound {
            Inbound::Message(envelope) => (vec![&envelope.msg], 0),
            Inbound::Batch(entries) => {
                let errors = entries.iter().filter(|entry| entry.is_err());
                (entries.iter().flatten().collect(), errors.count())
            }
            _ => (Vec::new(), 0),
        };
        let requests: Vec<&Message> = messages.iter().copied().filter(|m| is_request(m)).collect();
        let asks = !requests.is_empty() || errors > 0;
        let slot = asks.then(|| self.slot(&session.allowance)).transpose()?;
        let place = session.place(self.options.room_timeout).await?;
        if asks {
            let is_batch = matches!(inbound, Inbound::Batch(_));
            let mut streams = session.streams();
            let entered = streams.enter(&requests, is_batch, slot.as_ref());
            streams.owe(entered.map_err(unserved)?, errors);
        }
        cancel(&session, &messages);
        place.send(inbound);
        Ok(empty(StatusCode::ACCEPTED))
    }
}
