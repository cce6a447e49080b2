//! Servers and clients in memory, for tests.

mod client;
mod server;
mod tools;

use std::time::Duration;

use linkspan_wire::Message;

pub(crate) use self::client::Client;
pub(crate) use self::server::{Habit, Log, backend, backend_with};

/// The limit of a wait for an event that must not happen; the clock of tests is paused.
const LONGEST: Duration = Duration::from_secs(3600);

/// A message of a test.
pub(crate) fn message(text: &str) -> Message {
    Message::parse(text.to_owned().into()).expect("the test writes valid messages")
}

/// A call of a modern client with these capabilities.
pub(crate) fn modern_call(tool: &str, capabilities: &str) -> Message {
    modern_request(
        &format!(r#""name":"{tool}","arguments":{{}}"#),
        capabilities,
    )
}

/// A `tools/call` of a modern client; `params` without its braces.
pub(crate) fn modern_request(params: &str, capabilities: &str) -> Message {
    message(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{params},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{capabilities},"io.modelcontextprotocol/clientInfo":{{"name":"c","version":"1"}}}}}}}}"#
    ))
}

/// A `tools/call` of a legacy client.
pub(crate) fn legacy_call(id: u64, tool: &str, arguments: &str) -> Message {
    message(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    ))
}

/// The value at a path of a message's result, as spelled; empty if there is none.
pub(crate) fn at(answer: &Message, path: &[&str]) -> String {
    let value = answer.body().and_then(|body| body.path(path));
    value.map_or_else(String::new, |value| value.text().to_owned())
}

/// A member of a tool's structured result, as spelled; empty if there is none.
pub(crate) fn given(answer: &Message, member: &str) -> String {
    at(answer, &["structuredContent", member])
}

/// The number of the connection that a call reached.
pub(crate) fn connection(answer: &Message) -> usize {
    let number = given(answer, "connection").parse();
    number.unwrap_or_else(|_| panic!("no connection in {}", answer.text()))
}
