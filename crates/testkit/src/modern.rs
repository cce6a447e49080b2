//! The stateless revision, 2026-07-28: POST only, headers that repeat the body.

use std::sync::Arc;
use std::thread;

use crate::base64::header_text;
use crate::conn::Conn;
use crate::message::Message;
use crate::outlet::Outlet;
use crate::pump::pump;
use crate::request::Request;
use crate::serve::Flow;
use crate::state::Shared;
use crate::tools;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

pub(crate) fn handle(request: &Arc<Request>, conn: &mut Conn, shared: &Arc<Shared>) -> Flow {
    for header in ["mcp-session-id", "last-event-id"] {
        if request.header(header).is_some() {
            shared.with(|state| {
                state
                    .violations
                    .push(format!("{header} in {}", request.summary()))
            });
        }
    }
    if request.method != "POST" || request.path() != "/mcp" {
        shared.with(|state| state.violations.push(request.summary()));
        return Flow::written(conn.reply(405, &[("Allow", "POST")], ""));
    }
    let Some(message) = &request.message else {
        return Flow::written(conn.json(400, &error("null", -32700, "Parse error")));
    };
    if !message.is_request() {
        shared.with(|state| {
            state
                .violations
                .push(format!("not a request: {}", request.summary()))
        });
        return Flow::written(conn.reply(202, &[], ""));
    }
    let id = message.id.clone().unwrap_or_default();
    if let Some(wrong) = mismatch(request, message) {
        shared.with(|state| state.violations.push(wrong.clone()));
        return Flow::written(conn.json(400, &error(&id, -32020, &wrong)));
    }
    if !tools::knows(message) {
        return Flow::written(conn.json(404, &error(&id, -32601, "Method not found")));
    }
    let key = shared.with(|state| state.open_stream(false));
    let outlet = Outlet::new(shared, message, key, key, true);
    let message = message.clone();
    thread::spawn(move || tools::answer(&message, &outlet));
    let flow = pump(
        request,
        conn,
        shared,
        key,
        Some(0),
        &[("X-Accel-Buffering", "no")],
    );
    if request.client_left() {
        // A closed stream is how a client of this revision cancels.
        shared.with(|state| {
            state
                .cancelled
                .extend(request.message.as_ref().and_then(|m| m.id.clone()))
        });
    }
    flow
}

/// A header that does not match the body.
fn mismatch(request: &Request, message: &Message) -> Option<String> {
    let name = match message.method.as_deref() {
        Some("tools/call" | "prompts/get") => message.string_at(&["params", "name"]),
        Some("resources/read") => message.string_at(&["params", "uri"]),
        _ => None,
    };
    let pairs = [
        (
            "MCP-Protocol-Version",
            message.string_at(&["params", "_meta", VERSION]),
        ),
        ("Mcp-Method", message.method.clone()),
        ("Mcp-Name", name),
    ];
    pairs.into_iter().find_map(|(header, body)| {
        let value = request.header(header).and_then(header_text);
        (value != body).then(|| format!("{header} is {value:?} but the body says {body:?}"))
    })
}

fn error(id: &str, code: i64, why: &str) -> String {
    let why = serde_json::Value::from(why);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{why}}}}}"#)
}
