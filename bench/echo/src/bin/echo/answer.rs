//! MCP, as little of it as an echo server needs: one JSON-RPC message in, an answer out.

use crate::{blob, told};
use linkspan_bench::json::{inside, member};
use linkspan_bench::scan::find;

/// Revisions with the `initialize` handshake that this server agrees to.
const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The revision without a handshake.
const MODERN: &str = "2026-07-28";

/// The rest of an object whose beginning is written before.
const TOOLS: &str = r#""tools":[{"name":"echo","description":"Returns its text.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},{"name":"blob","description":"Returns a text of the size asked for.","inputSchema":{"type":"object","properties":{"size":{"type":"integer"}},"required":["size"]}},{"name":"count","description":"Returns how long its text is, as it was written.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},{"name":"text","description":"Returns the text of a file.","inputSchema":{"type":"object"}}]}"#;

/// Whose requests are answered.
#[derive(Clone, Copy, PartialEq)]
pub enum Eras {
    /// Clients with a handshake.
    Legacy,
    /// Those and clients of 2026-07-28.
    Both,
}

/// The answer to a request.
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
pub fn answer(message: &[u8], eras: Eras) -> Answer {
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
    let modern = eras == Eras::Both && is_modern(message);
    match method {
        b"initialize" => initialize(id, message),
        b"server/discover" if modern => discover(id),
        b"ping" => result(id, "{}"),
        b"tools/list" => result(id, &format!("{}{TOOLS}", opened(modern, true))),
        b"tools/call" => call(id, message, modern),
        _ => error(id, -32601, "method not found"),
    }
}

/// Does the request carry the envelope of 2026-07-28?
fn is_modern(message: &[u8]) -> bool {
    member(message, "params")
        .and_then(|params| member(params, "_meta"))
        .is_some_and(|meta| find(meta, b"io.modelcontextprotocol/protocolVersion").is_some())
}

/// A result's beginning, with what its revision wants in every result, or in every result
/// that may be cached.
fn opened(modern: bool, cacheable: bool) -> &'static str {
    match (modern, cacheable) {
        (false, _) => "{",
        (true, false) => r#"{"resultType":"complete","#,
        (true, true) => r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","#,
    }
}

fn discover(id: &[u8]) -> Answer {
    let opened = opened(true, true);
    let body = format!(
        r#"{opened}"supportedVersions":["{MODERN}"],"capabilities":{{"tools":{{}}}},"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"bench-echo","version":"0.0.0"}}}}}}"#
    );
    result(id, &body)
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
    match result(id, &body) {
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

fn call(id: &[u8], message: &[u8], modern: bool) -> Answer {
    let params = member(message, "params").unwrap_or_default();
    let arguments = member(params, "arguments").unwrap_or_default();
    let mut before = opening(id);
    before.extend_from_slice(opened(modern, false).as_bytes());
    before.extend_from_slice(br#""content":[{"type":"text","text":""#);
    let text: &'static [u8] = match member(params, "name").and_then(inside) {
        Some(b"echo") => {
            let Some(text) = member(arguments, "text").and_then(inside) else {
                return error(id, -32602, "echo needs a text");
            };
            // As it was written, with its escapes: JSON in, the same JSON out.
            before.extend_from_slice(text);
            b""
        }
        Some(b"count") => {
            let Some(text) = member(arguments, "text").and_then(inside) else {
                return error(id, -32602, "count needs a text");
            };
            before.extend_from_slice(text.len().to_string().as_bytes());
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
        Some(b"text") => match told::text() {
            Some(text) => text,
            None => return error(id, -32602, "text needs --text FILE"),
        },
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

fn result(id: &[u8], value: &str) -> Answer {
    let mut before = opening(id);
    before.extend_from_slice(value.as_bytes());
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
        spoken(message, Eras::Legacy)
    }

    fn spoken(message: &str, eras: Eras) -> String {
        match answer(message.as_bytes(), eras) {
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
    #[test]
    fn counts_an_argument_as_it_was_written() {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"text":"a\nb"}}}"#;
        assert!(whole(call).contains(r#""text":"4""#));
    }

    #[test]
    fn answers_a_modern_request_in_its_own_era_if_it_may() {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        assert!(spoken(call, Eras::Both).contains(r#""supportedVersions":["2026-07-28"]"#));
        assert!(spoken(call, Eras::Legacy).contains("-32601"));
        let list = call.replace("server/discover", "tools/list");
        assert!(spoken(&list, Eras::Both).contains(r#""resultType":"complete""#));
        assert!(!spoken(&list, Eras::Legacy).contains("resultType"));
    }
}
