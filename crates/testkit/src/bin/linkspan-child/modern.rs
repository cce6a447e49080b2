//! Methods that only the stateless revision has.

use crate::server::Call;

/// The members that say how long and for which clients a list may be cached.
pub const CACHE: &str = r#""ttlMs":0,"cacheScope":"private""#;

const PREFIX: &str = "io.modelcontextprotocol/";

/// Checks the envelope; if it is incomplete, refuses the request.
pub fn accepts(call: &Call) -> bool {
    let missing = ["protocolVersion", "clientCapabilities"]
        .into_iter()
        .find(|name| meta(call, name).is_none());
    if let Some(name) = missing {
        let note = format!("violation: no {name} in the envelope");
        call.server.watch.tell("note", &note);
        call.error(&format!(r#"{{"code":-32602,"message":"{note}"}}"#));
    }
    missing.is_none()
}

/// A member of the envelope, as written.
pub fn meta(call: &Call, name: &str) -> Option<String> {
    call.message
        .at(&["params", "_meta", &format!("{PREFIX}{name}")])
}

/// Whether the client of this request declared that capability.
pub fn declares(call: &Call, capability: &str) -> bool {
    let path = format!("{PREFIX}clientCapabilities");
    call.message
        .at(&["params", "_meta", &path, capability])
        .is_some()
}

pub fn discover(call: &Call) {
    call.done(&format!(
        r#""supportedVersions":["2026-07-28"],"capabilities":{},"instructions":"Mind the gap.",{CACHE},"_meta":{{"{PREFIX}serverInfo":{}}}"#,
        linkspan_testkit::child::CAPABILITIES,
        linkspan_testkit::child::INFO,
    ));
}

/// Acknowledges a subscription and keeps it until it is cancelled.
pub fn listen(call: &Call) {
    let params = call.message.params.clone().unwrap_or("{}".into());
    let filter = call
        .message
        .at(&["params", "notifications"])
        .unwrap_or("{}".into());
    let id = &call.id;
    // Before the acknowledgement: a client that has received it gets every change.
    call.server.lock().listeners.push((id.clone(), params));
    call.server.note(
        "notifications/subscriptions/acknowledged",
        &format!(r#"{{"notifications":{filter},"_meta":{{"{PREFIX}subscriptionId":{id}}}}}"#),
    );
    call.server
        .watch
        .tell("note", &format!("listening {filter}"));
}

/// Notifies every listener whose filter contains the word.
pub fn announce(call: &Call, word: &str, method: &str, members: &str) {
    let listeners = call.server.lock().listeners.clone();
    for (id, _) in listeners.iter().filter(|(_, params)| params.contains(word)) {
        let comma = if members.is_empty() { "" } else { "," };
        call.server.note(
            method,
            &format!(r#"{{{members}{comma}"_meta":{{"{PREFIX}subscriptionId":{id}}}}}"#),
        );
    }
}
