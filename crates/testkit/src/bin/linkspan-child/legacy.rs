//! The handshake.

use linkspan_testkit::{Message, child};

use crate::server::Server;

const KNOWN: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Answers `initialize`. A second one ends the process, as with many real servers.
pub fn initialize(server: &Server, message: &Message) {
    let id = message.id.clone().unwrap_or_default();
    if server.options.modern {
        return server.write(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
        ));
    }
    let params = message.params.clone().unwrap_or("{}".into());
    if server.lock().client.replace(params).is_some() {
        server.watch.tell("note", "violation: initialized twice");
        std::process::exit(4);
    }
    let asked = message.string_at(&["params", "protocolVersion"]);
    let version = asked
        .filter(|version| KNOWN.contains(&version.as_str()))
        .unwrap_or("2025-11-25".into());
    server.write(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#,
        child::initialize_result(&version)
    ));
}
