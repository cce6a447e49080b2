//! The carrier's own errors, for requests without an answer of their provider.
//!
//! `data.kind` uses the kinds of `session::Fault`, so that the detection of a server's era does not take
//! these errors for the server's own.

use linkspan_wire::{Id, Json, Kind, Message, Object, RpcError};

/// Too many requests or connections at once.
pub(super) const LIMIT: i64 = -33000;
/// No component provides the server.
pub(super) const UNAVAILABLE: i64 = -33001;
/// The provider failed to give a valid answer.
pub(super) const FAILED: i64 = -33002;
/// The declaration is no longer valid.
const REVOKED: i64 = -32001;
/// The request was cancelled.
const CANCELLED: i64 = -32800;

/// A request that exceeds the limit of requests in flight.
pub(super) fn too_many_requests() -> RpcError {
    fault(
        LIMIT,
        "too many requests on one MCP connection".to_owned(),
        "overloaded",
        "wait for calls in flight to finish",
    )
}

/// A connection that exceeds the limit which `why` names.
pub fn too_many_connections(why: String) -> RpcError {
    let hint = "close connections that are not used; one connection can carry many calls at once";
    fault(LIMIT, why, "overloaded", hint)
}

/// The provider did not answer in time.
pub(super) fn silent(what: &str, seconds: u64) -> RpcError {
    fault(
        UNAVAILABLE,
        format!("no answer to {what} within {seconds} s"),
        "timeout",
        "the component that provides this server may be stuck; see its log",
    )
}

/// An answer without a valid result or error.
pub(super) fn malformed(why: &str) -> RpcError {
    let hint = "the component that provides this server may be broken";
    fault(FAILED, why.to_owned(), "bad_answer", hint)
}

/// The chain, or the provider in it, has closed the connection.
pub(super) fn gone(why: &str) -> RpcError {
    let hint = "start a new session";
    fault(UNAVAILABLE, why.to_owned(), "closing", hint)
}

/// The session that declared the server has ended.
pub fn revoked() -> RpcError {
    fault(
        REVOKED,
        "the bridge session has ended".to_owned(),
        "closing",
        "this server belongs to an ACP session that is over; a new session has a new one",
    )
}

/// The answer to a cancelled request.
pub(super) fn cancelled(id: &Id) -> Message {
    RpcError::new(CANCELLED, "Request cancelled").answer(id)
}

fn fault(code: i64, message: String, kind: &str, hint: &str) -> RpcError {
    let data = format!(r#"{{"kind":"{kind}","hint":"{hint}"}}"#);
    RpcError::new(code, message).with_data(data)
}

/// An error of ACP as the answer to the MCP side's request. A failure of the transport gets a `data.kind`;
/// other errors stay unchanged.
pub(super) fn restored(msg: Message, id: &Id) -> Message {
    let body = msg.body().filter(|_| msg.kind() == Kind::Error);
    let kind = match code(&msg) {
        Some(LIMIT) => "overloaded",
        Some(UNAVAILABLE) => "connect_failed",
        Some(FAILED) => "answer_lost",
        _ => return msg.with_id(id.clone()),
    };
    match body {
        Some(body) if body.get("data").is_none() => {
            let error = Object::of(Some(body)).with("data", &format!(r#"{{"kind":"{kind}"}}"#));
            rebuilt(id, &error.text()).unwrap_or_else(|| msg.with_id(id.clone()))
        }
        _ => msg.with_id(id.clone()),
    }
}

/// The code of an error.
pub(super) fn code(msg: &Message) -> Option<i64> {
    let body = msg.body().filter(|_| msg.kind() == Kind::Error)?;
    body.get("code").and_then(Json::as_i64)
}

/// An error answer with another peer's error object; `None` if that is not valid.
pub(super) fn rebuilt(id: &Id, error: &str) -> Option<Message> {
    let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
    Message::parse(text.into()).ok()
}
