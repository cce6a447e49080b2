//! The messages a client sends, and just enough reading to know whose answer came back.

use crate::Outcome;
use linkspan_bench::json::find;

/// What the client asks for. The text of `Echo` follows from the id, so that an answer
/// that reaches the wrong call is noticed.
#[derive(Clone, Copy)]
pub enum Ask {
    Initialize,
    ToolsList,
    Echo,
    Blob(usize),
}

pub const REVISION: &str = "2025-11-25";
pub const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

impl Ask {
    /// Appends the request (no line end).
    pub fn write(self, id: u64, out: &mut Vec<u8>) {
        let text = match self {
            Self::Initialize => format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{REVISION}","capabilities":{{}},"clientInfo":{{"name":"bench-load","version":"0.0.0"}}}}}}"#
            ),
            Self::ToolsList => format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#),
            Self::Echo => format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{}"}}}}}}"#,
                echo_text(id)
            ),
            Self::Blob(size) => format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"blob","arguments":{{"size":{size}}}}}}}"#
            ),
        };
        out.extend_from_slice(text.as_bytes());
    }

    /// Is `answer` the result that was asked for under `id`?
    pub fn check(self, id: u64, answer: &[u8]) -> Outcome<()> {
        let good = match self {
            Self::Initialize => find(edge(answer), b"protocolVersion").is_some(),
            Self::ToolsList => find(answer, b"\"blob\"").is_some(),
            Self::Echo => find(answer, echo_text(id).as_bytes()).is_some(),
            Self::Blob(size) => answer.len() > size,
        };
        if good {
            Ok(())
        } else {
            Err(format!("unexpected answer: {}", excerpt(answer)))
        }
    }
}

/// 64 bytes, as a short tool argument would be.
fn echo_text(id: u64) -> String {
    format!("Z{id:0>12} the quick brown fox jumps over the lazy dog, again.")
}

/// A line that the bridge wrote.
#[derive(Debug, PartialEq)]
pub enum Line {
    Answer(u64),
    /// The server side asks us something; its id as written.
    Question {
        id: Vec<u8>,
        is_ping: bool,
    },
    /// A notification, or noise.
    Other,
}

const EDGE: usize = 256;

/// Looks only at the two ends of a long line: serialisers write `id` and `method` first
/// or last, and searching 10 MB would be measured as the bridge's time.
pub fn classify(line: &[u8]) -> Line {
    if let Some(rest) = line.strip_prefix(br#"{"jsonrpc":"2.0","id":"#)
        && let Some((id, rest)) = digits(rest)
        && rest.starts_with(b",\"result\":")
    {
        return Line::Answer(id);
    }
    let ends = [edge(line), &line[line.len().saturating_sub(EDGE)..]];
    let is_call = ends.iter().any(|end| find(end, b"\"method\":").is_some());
    for end in ends {
        let Some(at) = find(end, b"\"id\":") else {
            continue;
        };
        let value = end[at + 5..].trim_ascii_start();
        if is_call {
            let len = value
                .iter()
                .position(|b| matches!(b, b',' | b'}'))
                .unwrap_or(value.len());
            let is_ping = find(line, b"\"ping\"").is_some();
            return Line::Question {
                id: value[..len].trim_ascii().to_vec(),
                is_ping,
            };
        }
        if let Some((id, _)) = digits(value) {
            return Line::Answer(id);
        }
    }
    Line::Other
}

/// A correct client answers the server's questions; this one offers nothing but `ping`.
pub fn reply_to(id: &[u8], is_ping: bool) -> Vec<u8> {
    let mut out = br#"{"jsonrpc":"2.0","id":"#.to_vec();
    out.extend_from_slice(id);
    out.extend_from_slice(if is_ping {
        br#","result":{}}"#
    } else {
        br#","error":{"code":-32601,"message":"method not found"}}"#
    });
    out
}

pub fn excerpt(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(edge(text));
    text.trim().chars().take(160).collect()
}

fn edge(line: &[u8]) -> &[u8] {
    &line[..line.len().min(EDGE)]
}

fn digits(text: &[u8]) -> Option<(u64, &[u8])> {
    let len = text
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(text.len());
    let id = std::str::from_utf8(&text[..len]).ok()?.parse().ok()?;
    Some((id, &text[len..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_answers_wherever_the_id_stands() {
        assert_eq!(
            classify(br#"{"jsonrpc":"2.0","id":12,"result":{}}"#),
            Line::Answer(12)
        );
        assert_eq!(
            classify(br#"{"result":{"x":[]},"jsonrpc":"2.0","id": 3}"#),
            Line::Answer(3)
        );
        let long = format!(r#"{{"result":"{}","id":4}}"#, "x".repeat(5000));
        assert_eq!(classify(long.as_bytes()), Line::Answer(4));
    }

    #[test]
    fn knows_questions_and_the_rest() {
        let ping = br#"{"jsonrpc":"2.0","id":"s-1","method":"ping"}"#;
        assert_eq!(
            classify(ping),
            Line::Question {
                id: b"\"s-1\"".to_vec(),
                is_ping: true
            }
        );
        assert_eq!(
            classify(br#"{"jsonrpc":"2.0","method":"notifications/x"}"#),
            Line::Other
        );
        assert_eq!(classify(b"starting up..."), Line::Other);
    }

    #[test]
    fn an_answer_of_another_call_is_not_taken() {
        assert!(Ask::Echo.check(1, echo_text(1).as_bytes()).is_ok());
        assert!(Ask::Echo.check(1, echo_text(2).as_bytes()).is_err());
    }
}
