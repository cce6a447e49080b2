//! A request on its way to a server, for the audit log.

use std::sync::Arc;

use linkspan_gateway::audit::{AuditLine, Call, Outcome, Subject};
use linkspan_gateway::{ListKind, Sender};
use linkspan_mcp::era::{is_timeout, wants_input};
use linkspan_mcp::{CLIENT_INFO, names};
use linkspan_ports::Principal;
use linkspan_wire::{Json, Kind, Message, RpcError};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::audit_file::{AuditFile, now};

/// The log, and what is written of a call.
#[derive(Clone)]
pub(crate) struct Audit {
    pub(crate) file: Arc<AuditFile>,
    /// The arguments themselves, and not their shape and digest only.
    pub(crate) keeps_arguments: bool,
}

/// A call that is written to the log when it ends. Clones are the same call.
#[derive(Clone)]
pub(crate) struct Audited(Arc<Mutex<State>>);

struct State {
    audit: Audit,
    began: Instant,
    who: Option<String>,
    view: Option<String>,
    request: Message,
    server: Option<String>,
    kind: Option<ListKind>,
    own: String,
    decision: &'static str,
    /// The user has declined it.
    is_declined: bool,
    is_written: bool,
}

impl Audited {
    /// A request that the log has a line for; `None` for lists and the like.
    pub(crate) fn begin(
        audit: Option<&Audit>,
        request: &Message,
        principal: &Principal,
        sender: &Sender,
        view: Option<&str>,
    ) -> Option<Self> {
        let audit = audit?;
        let method = request.method();
        if !matches!(
            &*method,
            names::TOOLS_CALL | names::PROMPTS_GET | names::RESOURCES_READ
        ) {
            return None;
        }
        Some(Self(Arc::new(Mutex::new(State {
            audit: audit.clone(),
            began: Instant::now(),
            who: name_of(principal, sender),
            view: view.map(str::to_owned),
            request: request.clone(),
            server: None,
            kind: None,
            own: String::new(),
            decision: "none",
            is_declined: false,
            is_written: false,
        }))))
    }

    /// The item that it is for.
    pub(crate) fn for_item(&self, server: &str, kind: ListKind, own: &str) {
        let mut state = self.0.lock();
        state.server = Some(server.to_owned());
        state.kind = Some(kind);
        own.clone_into(&mut state.own);
    }

    /// What the rules have said.
    pub(crate) fn decided(&self, decision: &'static str) {
        self.0.lock().decision = decision;
    }

    /// The user has declined it, so no server gets it.
    pub(crate) fn declined(&self) {
        self.0.lock().is_declined = true;
    }

    /// It has been answered.
    pub(crate) fn answered(&self, answer: &Message) {
        let mut state = self.0.lock();
        let outcome = match answer.kind() {
            _ if state.is_declined => Outcome::Refused,
            _ if is_timeout(answer) => Outcome::TimedOut,
            Kind::Error => Outcome::Error(code_of(answer)),
            _ if wants_input(answer) => Outcome::Asked,
            _ if is_tool_error(answer) => Outcome::ToolError,
            _ => Outcome::Ok,
        };
        state.write(outcome, answer.len());
    }

    /// The gateway has answered it itself.
    pub(crate) fn refused(&self, error: &RpcError) {
        let mut state = self.0.lock();
        let outcome = match state.decision {
            // The request itself was wrong.
            "none" => Outcome::Error(error.code()),
            _ => Outcome::Refused,
        };
        state.write(outcome, 0);
    }
}

impl State {
    fn write(&mut self, outcome: Outcome, bytes: usize) {
        if std::mem::replace(&mut self.is_written, true) {
            return;
        }
        let params = self.request.params();
        let meta = params.and_then(|params| params.get("_meta"));
        let text = |path: &[&str]| meta.and_then(|meta| meta.path(path)?.as_str());
        let (client, traceparent) = (text(&[CLIENT_INFO, "name"]), text(&["traceparent"]));
        let method = self.request.method();
        let named = params.and_then(|params| params.get("name").or(params.get("uri")));
        let named = named.and_then(Json::as_str).unwrap_or_default();
        let own = if self.server.is_some() {
            self.own.as_str()
        } else {
            &*named
        };
        let line = AuditLine::call(&Call {
            time: &now(),
            who: self.who.as_deref(),
            client: client.as_deref(),
            view: self.view.as_deref(),
            server: self.server.as_deref(),
            subject: match &*method {
                names::TOOLS_CALL => Subject::Tool(own),
                names::PROMPTS_GET => Subject::Prompt(own),
                names::RESOURCES_READ => Subject::Resource(own),
                other => Subject::Method(other),
            },
            arguments: params.and_then(|params| params.get("arguments")),
            keeps_arguments: self.audit.keeps_arguments,
            decision: self.decision,
            outcome,
            ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            bytes: bytes as u64,
            tokens: None,
            traceparent: traceparent.as_deref(),
        });
        self.audit.file.push(line);
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.write(Outcome::Cancelled, 0);
    }
}

/// The sender as the log names it.
fn name_of(principal: &Principal, sender: &Sender) -> Option<String> {
    match sender {
        Sender::Local => Some("local".to_owned()),
        Sender::Anonymous => None,
        Sender::Verified { .. } => {
            let identity = principal.identity()?;
            Some(format!("{} {}", identity.issuer, identity.subject))
        }
    }
}

fn code_of(answer: &Message) -> i64 {
    let code = answer.body().and_then(|error| error.get("code"));
    code.and_then(Json::as_i64).unwrap_or_default()
}

fn is_tool_error(answer: &Message) -> bool {
    let flag = answer.body().and_then(|result| result.get("isError"));
    flag.and_then(Json::as_bool) == Some(true)
}
