//! The requests of a client, and the checks of their answers.

use crate::Outcome;
use crate::line::{edge, excerpt};
use linkspan_bench::scan::find;
use std::io::Write;

/// The two eras of MCP.
#[derive(Clone, Copy, PartialEq)]
pub enum Era {
    /// With a handshake.
    Legacy,
    /// Every request says all about itself.
    Modern,
}

pub const LEGACY: &str = "2025-11-25";
pub const MODERN: &str = "2026-07-28";
pub const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

const ENVELOPE: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench-load","version":"0.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A request of the client. The text of `Echo` follows from the id, so that an answer that reaches the wrong call is
/// noticed.
#[derive(Clone, Copy)]
pub enum Ask {
    Initialize,
    Discover,
    ToolsList,
    Echo,
    /// A result of this size.
    Blob(usize),
    /// The text that the server was started with.
    Text,
    /// An argument of this size, and a short result.
    Count(usize),
}

impl Ask {
    pub fn method(self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::Discover => "server/discover",
            Self::ToolsList => "tools/list",
            Self::Echo | Self::Blob(_) | Self::Text | Self::Count(_) => "tools/call",
        }
    }

    /// The name of the tool.
    pub fn tool(self) -> Option<&'static str> {
        match self {
            Self::Echo => Some("echo"),
            Self::Blob(_) => Some("blob"),
            Self::Text => Some("text"),
            Self::Count(_) => Some("count"),
            Self::Initialize | Self::Discover | Self::ToolsList => None,
        }
    }

    /// Appends the request (no line end).
    pub fn write(self, id: u64, era: Era, out: &mut Vec<u8>) {
        let method = self.method();
        let envelope = match era {
            Era::Legacy => "",
            Era::Modern => ENVELOPE,
        };
        // Writing to a `Vec` cannot fail.
        let _ = write!(
            out,
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{envelope}"#
        );
        if !envelope.is_empty() && self.tool().is_some() {
            out.push(b',');
        }
        let _ = match self {
            Self::Initialize => write!(
                out,
                r#""protocolVersion":"{LEGACY}","capabilities":{{}},"clientInfo":{{"name":"bench-load","version":"0.0.0"}}"#
            ),
            Self::Discover | Self::ToolsList => Ok(()),
            Self::Echo => write!(
                out,
                r#""name":"echo","arguments":{{"text":"{}"}}"#,
                echo_text(id)
            ),
            Self::Blob(size) => write!(out, r#""name":"blob","arguments":{{"size":{size}}}"#),
            Self::Text => write!(out, r#""name":"text","arguments":{{}}"#),
            Self::Count(size) => write!(
                out,
                r#""name":"count","arguments":{{"text":"{}"}}"#,
                long_text(size)
            ),
        };
        out.extend_from_slice(b"}}");
    }

    /// Whether `answer` is the result for the request `id`.
    pub fn check(self, id: u64, era: Era, answer: &[u8]) -> Outcome<()> {
        let good = match self {
            Self::Initialize => find(edge(answer), b"protocolVersion").is_some(),
            Self::Discover => find(answer, b"supportedVersions").is_some(),
            Self::ToolsList => find(answer, b"\"blob\"").is_some(),
            Self::Echo => find(answer, echo_text(id).as_bytes()).is_some(),
            Self::Blob(size) => answer.len() > size,
            Self::Text => find(answer, b"\"content\"").is_some(),
            Self::Count(size) => find(answer, format!("\"{size}\"").as_bytes()).is_some(),
        };
        // A modern client cannot interpret a result without it.
        let typed = era == Era::Legacy || find(answer, b"\"resultType\"").is_some();
        if good && typed {
            Ok(())
        } else {
            Err(format!("unexpected answer: {}", excerpt(answer)))
        }
    }
}

/// 64 bytes, as a short tool argument would be.
pub fn echo_text(id: u64) -> String {
    format!("Z{id:0>12} the quick brown fox jumps over the lazy dog, again.")
}

/// Lines of 80 that make `size` bytes as they are written in JSON.
fn long_text(size: usize) -> String {
    let line = format!("{}\\n", "the quick brown fox ".repeat(4).split_at(78).0);
    let mut text = line.repeat(size / line.len());
    text.push_str(&".".repeat(size - text.len()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_say_what_their_era_wants() {
        let written = |era| {
            let mut out = vec![];
            Ask::Echo.write(7, era, &mut out);
            String::from_utf8_lossy(&out).into_owned()
        };
        let text = echo_text(7);
        assert_eq!(
            written(Era::Legacy),
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{text}"}}}}}}"#
            )
        );
        assert!(written(Era::Modern).contains(r#""params":{"_meta":{"#));
    }

    #[test]
    fn a_long_argument_is_as_long_as_said() {
        for size in [0, 79, 80, 81, 1_000_000] {
            assert_eq!(long_text(size).len(), size);
        }
    }

    #[test]
    fn an_answer_of_another_call_is_not_taken() {
        let (era, mine, other) = (Era::Legacy, echo_text(1), echo_text(2));
        assert!(Ask::Echo.check(1, era, mine.as_bytes()).is_ok());
        assert!(Ask::Echo.check(1, era, other.as_bytes()).is_err());
        assert!(Ask::Echo.check(1, Era::Modern, mine.as_bytes()).is_err());
    }
}
