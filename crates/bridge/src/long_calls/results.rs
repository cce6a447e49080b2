//! What clients are told.

use std::time::{Duration, Instant};

use linkspan_mcp::{Era, tool_text};
use linkspan_wire::{Id, Json, Kind, Message, Object};

use super::call::{Listed, Look};

/// A result for a client of this era.
pub(super) fn text(id: &Id, era: Era, text: &str, is_error: bool) -> Message {
    let result = tool_text(text, is_error);
    match era {
        Era::Legacy => Message::result(id, &result),
        Era::Modern => {
            let result = Object::of(Json::parse(&result).ok());
            Message::result(id, &result.with("resultType", r#""complete""#).text())
        }
    }
}

/// A call still runs. `tool` is a name that the client knows.
pub(super) fn still_running(tool: &str, took: Duration, handle: &str, wait_for: &str) -> String {
    format!(
        "The call of {tool} is still running, for {} s so far. It has not failed and goes on. To get its result, call \
         the tool `{wait_for}` with {{\"call\":\"{handle}\"}}; do not call {tool} again.",
        took.as_secs()
    )
}

/// What `wait_for` says in the end.
pub(super) fn waited(
    id: &Id,
    era: Era,
    look: Look,
    now: Instant,
    (handle, wait_for): (&str, &str),
) -> Message {
    match look {
        Look::Done(answer) => answer.with_id(id.clone()),
        Look::Running { tool, since } => {
            let took = now.saturating_duration_since(since);
            text(
                id,
                era,
                &still_running(&tool, took, handle, wait_for),
                false,
            )
        }
        Look::Dropped(tool, why) => text(
            id,
            era,
            &format!("The call of {tool} {}.", why.text()),
            true,
        ),
        Look::Unknown => text(id, era, UNKNOWN, true),
    }
}

pub(super) const UNKNOWN: &str =
    "No call of this client has that handle, or its result is no longer kept.";
pub(super) const NO_HANDLE: &str = "The argument `call` is missing: the handle from the answer that said that the call is still running.";
pub(super) const CANCELLED: &str = "The call was cancelled.";
pub(super) const NOT_RUNNING: &str = "The call is not running, so it cannot be cancelled.";

/// What `running` says; `None` if the clients of the session cannot be told apart.
pub(super) fn listed(calls: Option<&[Listed]>, now: Instant) -> String {
    let Some(calls) = calls else {
        return "The clients of this server cannot be told apart, so their calls are not listed. Use the handles that \
                you were given."
            .to_owned();
    };
    if calls.is_empty() {
        return "No call is running, and no result was kept.".to_owned();
    }
    let line = |call: &Listed| {
        let Listed { handle, tool, .. } = call;
        if call.is_running {
            let took = now.saturating_duration_since(call.since).as_secs();
            format!("{handle}  {tool}  running for {took} s")
        } else {
            format!("{handle}  {tool}  has ended, the result is kept")
        }
    };
    let lines: Vec<String> = calls.iter().map(line).collect();
    lines.join("\n")
}

/// The tool that a call names.
pub(super) fn tool_of(call: &Message) -> String {
    let name = call.params().and_then(|it| it.get("name")?.as_str());
    name.unwrap_or_default().into_owned()
}

/// Whether the session has given the request up because it ends.
pub(super) fn is_closing(answer: &Message) -> bool {
    let error = answer.body().filter(|_| answer.kind() == Kind::Error);
    let kind = error.and_then(|error| error.path(&["data", "kind"])?.as_str());
    kind.as_deref() == Some("closing")
}

/// The kept request with the answers that `retry` carries, under its id and with its `_meta`.
pub(super) fn resumed(request: &Message, retry: &Message) -> Option<Message> {
    let given = retry.params()?;
    let mut params = Object::of(request.params());
    for name in ["inputResponses", "requestState", "_meta"] {
        params = match given.get(name) {
            Some(value) => params.with(name, value.text()),
            None => params.without(&[name]),
        };
    }
    Some(Message::request(
        &retry.id()?,
        &request.method(),
        Some(&params.text()),
    ))
}

/// A notification that cancels a request.
pub(super) fn cancellation(id: &Id) -> Message {
    let params = format!(r#"{{"requestId":{id},"reason":"cancelled with wait_for"}}"#);
    Message::notification(linkspan_mcp::names::CANCELLED, Some(&params))
}

/// The request that a cancellation names.
pub(super) fn cancelled_id(msg: &Message) -> Option<Id> {
    Id::parse(msg.params()?.get("requestId")?)
}
