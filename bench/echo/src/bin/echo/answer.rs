//! MCP, as little of it as an echo server needs: one JSON-RPC message in, an answer out.

use crate::blob;
use linkspan_bench::json::{inside, member};

/// Revisions with the `initialize` handshake that this server agrees to.
const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

const TOOLS: &[u8] = br#"{"tools":[{"name":"echo","description":"Returns its text.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},{"name":"blob","description":"Returns a text of the size asked for.","inputSchema":{"type":"object","properties":{"size":{"type":"integer"}},"required":["size"]}}]}"#;

/// What to send back.
pub enum Answer {
    /// Nothing to answer: HTTP 202.
    Accepted,
    /// Not a JSON-RPC message: HTTP 400.
    NotRpc,
    /// A message of three parts; only the middle one is ever large.
    Message {
        before: Vec<u8>,
        text: &'static [u8],
        after: &'static [u8],
        opens_session: bool,
    },
}

/// Answers one message.
pub fn answer(message: &[u8]) -> Answer {
    let Some(method) = member(message, "method").and_then(inside) else {
        // A client's answer to a request of ours, which we never send, or nonsense.
        let is_answer = member(message, "jsonrpc").is_some();
        return if is_answer {
            Answer::Accepted
        } else {
            Answer::NotRpc
        };
    };
    let Some(id) = member(message, "id") else {
        return Answer::Accepted;
    };
    match method {
        b"initialize" => initialize(id, message),
        b"ping" => result(id, b"{}"),
        b"tools/list" => result(id, TOOLS),
        b"tools/call" => call(id, message),
        _ => error(id, -32601, "method not found"),
    }
}

fn initialize(id: &[u8], message: &[u8]) -> Answer {
    let wanted = member(message, "params")
        .and_then(|p| member(p, "protocolVersion"))
        .and_then(inside)
        .and_then(|v| std::str::from_utf8(v).ok())
        .filter(|v| REVISIONS.contains(v))
        .unwrap_or(REVISIONS[3]);
    let body = format!(
        r#"{{"protocolVersion":"{wanted}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"bench-echo","version":"0.0.0"}}}}"#
    );
    match result(id, body.as_bytes()) {
        Answer::Message {
            before,
            text,
            after,
            ..
        } => Answer::Message {
            before,
            text,
            after,
            opens_session: true,
        },
        other => other,
    }
}

fn call(id: &[u8], message: &[u8]) -> Answer {
    let params = member(message, "params").unwrap_or_default();
    let arguments = member(params, "arguments").unwrap_or_default();
    let mut before = opening(id);
    before.extend_from_slice(br#"{"content":[{"type":"text","text":""#);
    let text: &'static [u8] = match member(params, "name").and_then(inside) {
        Some(b"echo") => {
            let Some(text) = member(arguments, "text").and_then(inside) else {
                return error(id, -32602, "echo needs a text");
            };
            // As it was written, escapes and all: JSON in, the same JSON out.
            before.extend_from_slice(text);
            b""
        }
        Some(b"blob") => {
            let size = member(arguments, "size")
                .and_then(|s| std::str::from_utf8(s).ok())
                .and_then(|s| s.parse().ok());
            let Some(text) = size.and_then(blob::text) else {
                return error(id, -32602, "blob needs a size of at most 16777216");
            };
            text
        }
        _ => return error(id, -32602, "no such tool"),
    };
    Answer::Message {
        before,
        text,
        after: br#""}]}}"#,
        opens_session: false,
    }
}

fn opening(id: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id);
    out.extend_from_slice(br#","result":"#);
    out
}

fn result(id: &[u8], value: &[u8]) -> Answer {
    let mut before = opening(id);
    before.extend_from_slice(value);
    Answer::Message {
        before,
        text: b"",
        after: b"}",
        opens_session: false,
    }
}

fn error(id: &[u8], code: i32, what: &str) -> Answer {
    let mut before = Vec::with_capacity(128);
    before.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    before.extend_from_slice(id);
    before.extend_from_slice(
        format!(r#","error":{{"code":{code},"message":"{what}"}}}}"#).as_bytes(),
    );
    Answer::Message {
        before,
        text: b"",
        after: b"",
        opens_session: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(message: &str) -> String {
        match answer(message.as_bytes()) {
            Answer::Message {
                before,
                text,
                after,
                ..
            } => String::from_utf8_lossy(&[&before, text, after].concat()).into_owned(),
            Answer::Accepted => "202".into(),
            Answer::NotRpc => "400".into(),
        }
    }

    #[test]
    fn answers_in_the_words_of_the_caller() {
        let call = r#"{"method":"tools/call","params":{"name":"echo","arguments":{"text":"a\"b"}},"jsonrpc":"2.0","id":"7"}"#;
        assert_eq!(
            whole(call),
            r#"{"jsonrpc":"2.0","id":"7","result":{"content":[{"type":"text","text":"a\"b"}]}}"#
        );
        assert_eq!(
            whole(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#
        );
        assert_eq!(
            whole(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            "202"
        );
        assert_eq!(whole("nonsense"), "400");
        assert!(whole(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#).contains("-32601"));
    }
}
