//! Servers and files that several tests share.

use std::path::PathBuf;

use linkspan_testkit::{Bridge, Conn, Flow, Request};
use serde_json::{Value, json};

use crate::setup::LATEST;

/// The parameters of `initialize`, for tests in which it may fail.
pub fn hello() -> Value {
    json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}})
}

/// Asserts that the server answers a `ping`.
#[track_caller]
pub fn assert_answers(bridge: &Bridge) {
    bridge.request("\"ping\"", "ping", &json!({}));
    let answer = bridge.answer("\"ping\"");
    assert_eq!(answer.result.as_deref(), Some("{}"), "{}", answer.text);
}

/// An answer with these members.
pub fn answer_to(request: &Request, members: &str) -> String {
    let id = request.message.as_ref().and_then(|m| m.id.clone());
    let id = id.expect("only requests are answered");
    format!(r#"{{"jsonrpc":"2.0","id":{id},{members}}}"#)
}

/// The `result` of `initialize`, as a member.
pub fn welcome(version: &str) -> String {
    format!(
        r#""result":{{"protocolVersion":"{version}","capabilities":{{}},"serverInfo":{{"name":"plain","version":"1"}}}}"#
    )
}

/// The smallest server there is: JSON, no sessions, no streams, `{}` for every request.
pub fn plain(request: &Request, conn: &mut Conn) -> Flow {
    if request.method != "POST" {
        return Flow::written(conn.reply(405, &[("Allow", "POST")], ""));
    }
    match &request.message {
        Some(message) if message.is_request() => {
            let members = match request.rpc() {
                Some("initialize") => welcome(LATEST),
                _ => r#""result":{}"#.to_owned(),
            };
            Flow::written(conn.json(200, &answer_to(request, &members)))
        }
        _ => Flow::written(conn.reply(202, &[], "")),
    }
}

/// A file for one test alone, removed afterwards.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let file = format!("reviewed-{name}-{}", std::process::id());
        Self(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(file))
    }

    pub fn as_str(&self) -> &str {
        self.0.to_str().expect("our own name is UTF-8")
    }

    pub fn read(&self) -> String {
        std::fs::read_to_string(&self.0).expect("the bridge has written it")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A test that failed early may not have made it.
        let _ = std::fs::remove_file(&self.0);
    }
}
