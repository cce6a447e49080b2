//! Streamable HTTP of the handshake revisions, 2025-03-26 to 2025-11-25.

use std::sync::Arc;
use std::thread;

use crate::conn::Conn;
use crate::message::Message;
use crate::outlet::Outlet;
use crate::pump::{pump, resume_point};
use crate::request::Request;
use crate::serve::Flow;
use crate::state::{Shared, StreamKey};
use crate::tools;

pub(crate) fn handle(request: &Arc<Request>, conn: &mut Conn, shared: &Arc<Shared>) -> Flow {
    if request.path() != "/mcp" {
        return Flow::written(conn.reply(404, &[], "no such page"));
    }
    match request.method.as_str() {
        "POST" => post(request, conn, shared),
        "GET" if shared.config.get => get(request, conn, shared),
        "DELETE" if shared.config.delete => delete(request, conn, shared),
        _ => Flow::written(conn.reply(405, &[("Allow", "POST")], "")),
    }
}

fn post(request: &Arc<Request>, conn: &mut Conn, shared: &Arc<Shared>) -> Flow {
    let Some(message) = &request.message else {
        let error =
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
        return Flow::written(conn.json(400, error));
    };
    if message.method.as_deref() == Some("initialize") {
        return initialize(request, message, conn, shared);
    }
    let standalone = match session(request, shared) {
        Ok(standalone) => standalone,
        Err(status) => return refuse(status, conn),
    };
    if message.is_request() {
        return call(request, message, standalone, conn, shared);
    }
    take(message, shared);
    Flow::written(conn.reply(202, &[], ""))
}

/// Remembers an answer or a cancellation that the client sent.
pub(crate) fn take(message: &Message, shared: &Shared) {
    shared.with(|state| {
        if message.is_response() {
            state
                .answers
                .insert(message.id.clone().unwrap_or_default(), message.clone());
        } else if message.method.as_deref() == Some("notifications/cancelled") {
            state.cancelled.extend(message.at(&["params", "requestId"]));
        }
    });
}

/// The result of `initialize`.
pub(crate) fn initialize_result(message: &Message, shared: &Shared) -> String {
    if let Some(text) = &shared.config.initialize_result {
        return text.clone();
    }
    let asked = || message.string_at(&["params", "protocolVersion"]);
    let version = shared
        .config
        .version
        .clone()
        .or_else(asked)
        .unwrap_or_default();
    format!(
        r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{"listChanged":true}},"logging":{{}}}},"serverInfo":{{"name":"testkit","version":"1"}}}}"#
    )
}

fn initialize(request: &Request, message: &Message, conn: &mut Conn, shared: &Arc<Shared>) -> Flow {
    let (session, key) = shared.with(|state| {
        let standalone = state.open_stream(shared.config.event_ids);
        let session = if shared.config.sessions {
            format!("session-{standalone}")
        } else {
            String::new()
        };
        state.sessions.insert(session.clone(), standalone);
        (session, state.open_stream(false))
    });
    let headers = [("Mcp-Session-Id", session.as_str())];
    let headers = if session.is_empty() {
        &[][..]
    } else {
        &headers[..]
    };
    let outlet = Outlet::new(shared, message, key, key, true);
    outlet.result(&initialize_result(message, shared));
    respond(request, conn, shared, key, headers)
}

fn call(
    request: &Arc<Request>,
    message: &Message,
    standalone: StreamKey,
    conn: &mut Conn,
    shared: &Arc<Shared>,
) -> Flow {
    let key = shared.with(|state| state.open_stream(shared.config.event_ids));
    let side = if shared.config.json { standalone } else { key };
    let outlet = Outlet::new(shared, message, key, side, true);
    let message = message.clone();
    thread::spawn(move || tools::answer(&message, &outlet));
    respond(request, conn, shared, key, &[])
}

fn respond(
    request: &Request,
    conn: &mut Conn,
    shared: &Shared,
    key: StreamKey,
    headers: &[(&str, &str)],
) -> Flow {
    if !shared.config.json {
        return pump(request, conn, shared, key, Some(0), headers);
    }
    let answer = shared.until(
        || conn.gone(),
        |state| {
            let stream = state.streams.get_mut(&key)?;
            (stream.done || stream.dead).then(|| stream.events.pop_back().filter(|_| !stream.dead))
        },
    );
    match answer {
        Some(Some(text)) => {
            let mut all = vec![("Content-Type", "application/json")];
            all.extend_from_slice(headers);
            Flow::written(conn.reply(200, &all, &text))
        }
        _ => Flow::Close,
    }
}

fn get(request: &Arc<Request>, conn: &mut Conn, shared: &Arc<Shared>) -> Flow {
    let standalone = match session(request, shared) {
        Ok(standalone) => standalone,
        Err(status) => return refuse(status, conn),
    };
    match request.header("last-event-id").map(resume_point) {
        Some(Some((key, _))) if shared.config.resume_empty && key != standalone => {
            Flow::written(conn.start_sse(&[]).and_then(|()| conn.end()))
        }
        Some(Some((key, from))) => pump(request, conn, shared, key, Some(from), &[]),
        Some(None) => refuse(400, conn),
        None => {
            revive(standalone, shared);
            pump(request, conn, shared, standalone, None, &[])
        }
    }
}

/// Lets a client read a dropped stream again.
fn revive(key: StreamKey, shared: &Shared) {
    shared.with(|state| {
        if let Some(stream) = state.streams.get_mut(&key) {
            stream.dead = false;
        }
    });
}

fn delete(request: &Request, conn: &mut Conn, shared: &Arc<Shared>) -> Flow {
    match session(request, shared) {
        Ok(standalone) => {
            shared.with(|state| {
                state.sessions.retain(|_, key| *key != standalone);
                state.streams.remove(&standalone);
            });
            Flow::written(conn.reply(200, &[], ""))
        }
        Err(status) => refuse(status, conn),
    }
}

/// The standalone stream of the session that the request names, or the status that refuses it.
fn session(request: &Request, shared: &Shared) -> Result<StreamKey, u16> {
    let named = request.header("mcp-session-id");
    if named.is_none() && shared.config.sessions {
        return Err(400);
    }
    shared
        .with(|state| state.sessions.get(named.unwrap_or_default()).copied())
        .ok_or(404)
}

fn refuse(status: u16, conn: &mut Conn) -> Flow {
    let (code, why) = if status == 404 {
        (-32001, "Session not found")
    } else {
        (-32000, "Bad Request")
    };
    let body =
        format!(r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":{code},"message":"{why}"}}}}"#);
    Flow::written(conn.json(status, &body))
}
