//! HTTP+SSE of 2024-11-05: one GET stream carries everything, POSTs are only accepted.

use std::sync::Arc;
use std::thread;

use crate::conn::Conn;
use crate::legacy::{initialize_result, take};
use crate::outlet::Outlet;
use crate::pump::pump;
use crate::request::Request;
use crate::serve::Flow;
use crate::state::Shared;
use crate::tools;

pub(crate) fn handle(request: &Arc<Request>, conn: &mut Conn, shared: &Arc<Shared>) -> Flow {
    match (request.method.as_str(), request.path()) {
        ("GET", "/sse") => get(request, conn, shared),
        ("POST", "/messages") => post(request, conn, shared),
        (_, "/sse") => Flow::written(conn.reply(405, &[("Allow", "GET")], "")),
        _ => Flow::written(conn.reply(404, &[], "no such page")),
    }
}

fn get(request: &Arc<Request>, conn: &mut Conn, shared: &Arc<Shared>) -> Flow {
    let (session, key) = shared.with(|state| {
        let key = state.open_stream(false);
        let session = format!("sse-{key}");
        let endpoint = shared.config.endpoint.as_deref().unwrap_or("/messages");
        state.push(
            key,
            &format!("event: endpoint\ndata: {endpoint}?sessionId={session}\n\n"),
        );
        state.sessions.insert(session.clone(), key);
        (session, key)
    });
    let flow = pump(request, conn, shared, key, None, &[]);
    shared.with(|state| state.sessions.remove(&session));
    flow
}

fn post(request: &Arc<Request>, conn: &mut Conn, shared: &Arc<Shared>) -> Flow {
    let session = request.query("sessionId").unwrap_or_default();
    let Some(key) = shared.with(|state| state.sessions.get(session).copied()) else {
        return Flow::written(conn.reply(404, &[], "unknown session"));
    };
    let Some(message) = request.message.clone() else {
        return Flow::written(conn.reply(400, &[], "not JSON-RPC"));
    };
    if message.is_request() {
        let outlet = Outlet::new(shared, &message, key, key, false);
        thread::spawn(move || match message.method.as_deref() {
            Some("initialize") => outlet.result(&initialize_result(&message, &outlet.shared)),
            _ => tools::answer(&message, &outlet),
        });
    } else {
        take(&message, shared);
    }
    Flow::written(conn.reply(202, &[], "Accepted"))
}
