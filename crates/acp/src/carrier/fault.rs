//! What the carrier says itself when a request gets no answer of its provider.
//!
//! `data.kind` are the words of `session::Fault`: an error that tells nothing about the server must not
//! be taken for one of its own when its era is looked for.

use linkspan_wire::{Id, Json, Kind, Message, Object, RpcError};

/// Too much at once.
pub(super) const LIMIT: i64 = -33000;
/// The server has no provider.
pub(super) const UNAVAILABLE: i64 = -33001;
/// The provider failed to give a valid answer.
pub(super) const FAILED: i64 = -33002;
/// The declaration is no longer valid.
const REVOKED: i64 = -32001;
/// The request was taken back.
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

/// There was no answer in time.
pub(super) fn silent(what: &str, seconds: u64) -> RpcError {
    fault(
        UNAVAILABLE,
        format!("no answer to {what} within {seconds} s"),
        "timeout",
        "the component that provides this server may be stuck; its log may tell",
    )
}

/// An answer that is none.
pub(super) fn malformed(why: &str) -> RpcError {
    let hint = "the component that provides this server may be broken";
    fault(FAILED, why.to_owned(), "bad_answer", hint)
}

/// The chain, or the provider in it, has gone.
pub(super) fn gone(why: &str) -> RpcError {
    let hint = "start a new session";
    fault(UNAVAILABLE, why.to_owned(), "closing", hint)
}

/// The session that declared the server is over.
pub fn revoked() -> RpcError {
    fault(
        REVOKED,
        "the bridge session has ended".to_owned(),
        "closing",
        "this server belongs to an ACP session that is over; a new session has a new one",
    )
}

/// The answer to a question that was taken back.
pub(super) fn cancelled(id: &Id) -> Message {
    RpcError::new(CANCELLED, "Request cancelled").answer(id)
}

fn fault(code: i64, message: String, kind: &str, hint: &str) -> RpcError {
    let data = format!(r#"{{"kind":"{kind}","hint":"{hint}"}}"#);
    RpcError::new(code, message).with_data(data)
}

/// An outer error as the answer to the MCP side's request: as it is, but that a failure of the binding
/// says what it is.
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

/// An error answer around another peer's error object; `None` if it is none.
pub(super) fn rebuilt(id: &Id, error: &str) -> Option<Message> {
    let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
    Message::parse(text.into()).ok()
}
