//! Modern requests, which are independent of each other.

use std::sync::Arc;

use http::StatusCode;
use http::request::Parts;
use linkspan_mcp::{Era, check_modern, names};
use linkspan_session::{Envelope, Fault, Outbound};
use linkspan_wire::{Id, Json, Kind, Message, RpcError};
use tokio::time::{Duration, timeout};

use super::answer::{Answer, status};
use super::body::{self, Events, Response, Source, empty};
use super::intake::given;
use super::phase::given_up;
use super::principal::Principal;
use super::refusal::Refusal;
use super::router::Router;
use super::service::FrontService;
use super::sse_writer::SseWriter;

/// How long the server may take to list its tools when a call has to be checked against their schemas.
const LISTING: Duration = Duration::from_secs(5);
/// Pages of such a list.
const PAGES: usize = 8;

impl<H: FrontService> Router<H> {
    /// Serves a modern message.
    pub(super) async fn ask(
        self: &Arc<Self>,
        head: &Parts,
        call: Envelope,
        principal: Principal,
    ) -> Result<Response, Refusal> {
        let message = &call.msg;
        let Some(id) = message.id().filter(|_| message.kind() == Kind::Request) else {
            // The era has no notifications for servers: a request is cancelled by hanging up.
            return Ok(empty(StatusCode::ACCEPTED));
        };
        let refuse = |error| Refusal::rpc(StatusCode::BAD_REQUEST, error);
        check_modern(message, |name| given(&head.headers, name)).map_err(refuse)?;
        let slot = self.slot(&self.allowances.of(&principal))?;
        let listens = message.method() == names::LISTEN;
        self.check_params(head, message, &principal)
            .await
            .map_err(refuse)?;
        let lesson = self.knowledge.lesson(message, &principal);
        let asked = tokio::select! {
            biased;
            asked = self.service.ask(call, &principal) => asked,
            () = given_up(self.phase.subscribe()) => Err(Fault::Closing),
        };
        let answering = asked.map_err(|why| Refusal::fault(&why))?;
        let mut answer = Answer::new(answering, id, lesson, self.phase.subscribe());
        // The status cannot be changed once it is sent.
        let first = timeout(self.options.long_patience, answer.next()).await;
        let mut writer = SseWriter::default();
        if let Ok(envelope) = first {
            if envelope.msg.is_answer() {
                let status = status(&envelope.msg);
                let item = Outbound::One(envelope);
                return Ok(body::message(status, item, Some(slot)));
            }
            writer.message(None, Outbound::One(envelope));
        }
        let source = Source::Answer(Box::new(answer));
        let every = self.options.keep_alive;
        let events = Events::new(source, writer, every, Some(slot));
        Ok(body::events(if listens {
            events.while_valid(&principal)
        } else {
            events
        }))
    }

    /// Refuses a legacy message where only the other era is served.
    pub(super) fn only(&self, era: Era, message: Option<&Message>) -> Result<(), Refusal> {
        if self.options.client_era.is_none_or(|only| only == era) {
            return Ok(());
        }
        let params = message.and_then(Message::params);
        let asked = params.and_then(|params| params.get("protocolVersion"));
        let asked = asked.and_then(Json::as_str).unwrap_or_default();
        let error = linkspan_mcp::unsupported(&asked);
        let id = message.and_then(Message::id);
        Err(Refusal::rpc(StatusCode::BAD_REQUEST, error).about(id))
    }

    /// Checks `Mcp-Param-*` against the arguments of a call.
    ///
    /// The tool's schema says which headers to check. If this client has not listed the tools through this front (it
    /// may have asked another bridge) and the call has such headers, the tools are listed once.
    async fn check_params(
        &self,
        head: &Parts,
        call: &Message,
        principal: &Principal,
    ) -> Result<(), RpcError> {
        if call.method() != names::TOOLS_CALL {
            return Ok(());
        }
        let check = || {
            let header = |name: &str| given(&head.headers, name);
            self.knowledge.check(call, principal, header)
        };
        if let Some(checked) = check() {
            return checked;
        }
        let has_any = |name: &http::HeaderName| name.as_str().starts_with("mcp-param-");
        if !head.headers.keys().any(has_any) {
            return Ok(());
        }
        if timeout(LISTING, self.list_tools(call, principal))
            .await
            .is_err()
        {
            tracing::debug!("no list of tools to check a call against");
        }
        check().unwrap_or(Ok(()))
    }

    /// Lists the tools on behalf of a caller.
    async fn list_tools(&self, call: &Message, principal: &Principal) {
        let Some(meta) = call.params().and_then(|params| params.get("_meta")) else {
            return;
        };
        // Its progress is the caller's own business.
        let meta: Vec<String> = meta
            .members()
            .filter(|(name, _)| name != "progressToken")
            .map(|(name, value)| format!("{}:{}", linkspan_wire::quote(&name), value.text()))
            .collect();
        let meta = meta.join(",");
        let mut cursor = String::new();
        for page in 0..PAGES {
            let params = format!(r#"{{{cursor}"_meta":{{{meta}}}}}"#);
            let id = Id::number(page as u64 + 1);
            let list = Message::request(&id, names::TOOLS_LIST, Some(&params));
            let lesson = self.knowledge.lesson(&list, principal);
            let Ok(answering) = self.service.ask(Envelope::new(list), principal).await else {
                return;
            };
            let mut answer = Answer::new(answering, id, lesson, self.phase.subscribe());
            let result = loop {
                let said = answer.next().await.msg;
                if said.is_answer() {
                    break said;
                }
            };
            let next = result.body().and_then(|body| body.get("nextCursor"));
            match next.filter(|_| result.kind() == Kind::Result) {
                Some(next) => cursor = format!(r#""cursor":{},"#, next.text()),
                None => return,
            }
        }
    }
}
