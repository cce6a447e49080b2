//! The line of a call, and of a change of a pinned item.

use linkspan_wire::{Json, escape_json};

use super::chain::{AuditLine, sha256_hex};
use super::shape::shape;
use crate::pins::{Change, Difference};

/// Bytes of arguments that are kept if arguments are asked for.
const MOST_ARGUMENTS: usize = 64 << 10;

/// A request to a server and what became of it.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// When it ended, as RFC 3339.
    pub time: &'a str,
    /// The principal, as the log should name it.
    pub who: Option<&'a str>,
    /// The name of the client program.
    pub client: Option<&'a str>,
    /// The view.
    pub view: Option<&'a str>,
    /// The server; none if the request was for none.
    pub server: Option<&'a str>,
    /// What was asked for.
    pub subject: Subject<'a>,
    /// The arguments as the client sent them.
    pub arguments: Option<Json<'a>>,
    /// Whether the arguments themselves are kept, and not their shape and digest only.
    pub keeps_arguments: bool,
    /// What the policy decided.
    pub decision: &'a str,
    /// What became of it.
    pub outcome: Outcome,
    /// Milliseconds until the answer.
    pub ms: u64,
    /// Bytes of the answer.
    pub bytes: u64,
    /// Tokens of the answer, if they were counted.
    pub tokens: Option<u64>,
    /// The trace that it belongs to (W3C Trace Context).
    pub traceparent: Option<&'a str>,
}

/// What a call is for, with the server's own name for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are MCP's own")]
pub enum Subject<'a> {
    Tool(&'a str),
    Prompt(&'a str),
    Resource(&'a str),
    /// Another request, by its method.
    Method(&'a str),
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The server has answered.
    Ok,
    /// The client was asked something: by the server, or by a rule.
    Asked,
    /// The tool reports that it failed (`isError`).
    ToolError,
    /// The server, or the gateway in its place, has answered with an error of this code.
    Error(i64),
    /// The client has cancelled it.
    Cancelled,
    /// There was no answer in time.
    TimedOut,
    /// The gateway has not sent it.
    Refused,
}

impl Outcome {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Asked => "asked",
            Self::ToolError => "toolError",
            Self::Error(_) => "error",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timedOut",
            Self::Refused => "refused",
        }
    }
}

impl AuditLine {
    /// The line of a call.
    pub fn call(call: &Call<'_>) -> Self {
        let mut line = Self::new(call.time, "call");
        let texts = [
            ("who", call.who),
            ("client", call.client),
            ("view", call.view),
            ("server", call.server),
        ];
        for (key, text) in texts {
            line.some_text(key, text);
        }
        match call.subject {
            Subject::Tool(name) => line.text("tool", name),
            Subject::Prompt(name) => line.text("prompt", name),
            Subject::Resource(uri) => line.text("resource", uri),
            Subject::Method(method) => line.text("method", method),
        }
        if let Some(arguments) = call.arguments {
            line.json("shape", &shape(arguments));
            line.text("digest", &sha256_hex(arguments.text().as_bytes()));
            if call.keeps_arguments {
                keep(&mut line, arguments);
            }
        }
        line.text("decision", call.decision);
        line.text("outcome", call.outcome.word());
        if let Outcome::Error(code) = call.outcome {
            line.json("code", &code.to_string());
        }
        line.number("ms", call.ms);
        line.number("bytes", call.bytes);
        if let Some(tokens) = call.tokens {
            line.number("tokens", tokens);
        }
        line.some_text("traceparent", call.traceparent);
        line
    }

    /// The line of a pinned item that differs, and whether clients see it.
    pub fn pin(time: &str, server: &str, change: &Change, is_hidden: bool) -> Self {
        let mut line = Self::new(time, "pin");
        line.text("server", server);
        line.text("item", &change.item.to_string());
        line.text("change", change.word());
        match &change.difference {
            Difference::Renamed { from } => line.text("from", from),
            Difference::Changed { members, .. } => line.text("members", &members.join(", ")),
            _ => {}
        }
        line.json("hidden", if is_hidden { "true" } else { "false" });
        line
    }

    /// The line that says how many lines before it could not be written.
    pub fn lost(time: &str, lines: u64) -> Self {
        let mut line = Self::new(time, "lost");
        line.number("lines", lines);
        line
    }
}

/// Adds the arguments as they are, on one line. Characters that drive a terminal are escaped, which is the same value.
fn keep(line: &mut AuditLine, arguments: Json<'_>) {
    let text = arguments.text();
    if text.len() > MOST_ARGUMENTS {
        return line.number("argumentsBytes", text.len() as u64);
    }
    // A raw end of a line can only be white space between tokens.
    let text = escape_json(&text.replace(['\r', '\n'], "")).into_owned();
    if text.len() > MOST_ARGUMENTS {
        return line.number("argumentsBytes", text.len() as u64);
    }
    line.json("arguments", &text);
}

#[cfg(test)]
mod tests {
    use super::super::{Chain, LONGEST_LINE};
    use super::*;
    use crate::pins::ItemId;

    const CALL: Call<'_> = Call {
        time: "2026-11-19T20:00:00.000Z",
        who: None,
        client: None,
        view: None,
        server: Some("git"),
        subject: Subject::Tool("log"),
        arguments: None,
        keeps_arguments: false,
        decision: "allow",
        outcome: Outcome::Ok,
        ms: 12,
        bytes: 345,
        tokens: None,
        traceparent: None,
    };

    fn written(line: AuditLine) -> String {
        let sealed = Chain::new().seal(line);
        let (members, _) = sealed.split_once(r#","prev":"#).unwrap();
        members.to_owned()
    }

    #[test]
    fn a_call_has_the_shape_and_the_digest_of_its_arguments() {
        let arguments = Json::parse("{ \"path\" : \"/secret\"}").unwrap();
        let call = Call {
            who: Some("ada"),
            client: Some("claude-code"),
            view: Some("dev"),
            arguments: Some(arguments),
            outcome: Outcome::Error(-32000),
            tokens: Some(80),
            traceparent: Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
            ..CALL
        };
        // printf %s '{ "path" : "/secret"}' | sha256sum
        let digest = sha256_hex(br#"{ "path" : "/secret"}"#);
        assert_eq!(
            written(AuditLine::call(&call)),
            format!(
                r#"{{"time":"2026-11-19T20:00:00.000Z","event":"call","who":"ada","client":"claude-code","view":"dev","server":"git","tool":"log","shape":{{"path":"string"}},"digest":"{digest}","decision":"allow","outcome":"error","code":-32000,"ms":12,"bytes":345,"tokens":80,"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01""#
            )
        );
    }

    #[test]
    fn arguments_are_kept_on_one_line_if_asked_for() {
        let arguments = Json::parse("{\n\"a\":\r\n\"x\u{202e}y\"}").unwrap();
        let call = |keeps_arguments| Call {
            arguments: Some(arguments),
            keeps_arguments,
            ..CALL
        };
        let kept = written(AuditLine::call(&call(true)));
        assert!(kept.contains(r#""arguments":{"a":"x\u202ey"},"#), "{kept}");
        assert!(!kept.contains(['\n', '\r', '\u{202e}']));
        assert!(!written(AuditLine::call(&call(false))).contains("202e"));
    }

    #[test]
    fn no_peer_makes_a_line_longer_than_the_limit() {
        let (long, hidden) = ("x".repeat(1 << 20), "\u{e0041}".repeat(20_000));
        for text in [long.as_str(), hidden.as_str(), &"\u{1}".repeat(10_000)] {
            let arguments = linkspan_wire::quote(text);
            let line = AuditLine::call(&Call {
                who: Some(text),
                client: Some(text),
                view: Some(text),
                server: Some(text),
                subject: Subject::Resource(text),
                arguments: Json::parse(&arguments).ok(),
                keeps_arguments: true,
                traceparent: Some(text),
                ..CALL
            });
            let line = Chain::new().seal(line);
            assert!(line.len() < LONGEST_LINE, "{}", line.len());
            assert!(line.contains(r#""argumentsBytes":"#) || arguments.len() <= MOST_ARGUMENTS);
        }
    }

    #[test]
    fn a_change_of_a_pin_is_a_line() {
        let change = Change {
            item: ItemId::parse("log"),
            difference: Difference::Changed {
                members: vec!["description".into(), "title".into()],
                before: None,
                after: None,
            },
        };
        assert_eq!(
            written(AuditLine::pin(CALL.time, "git", &change, true)),
            r#"{"time":"2026-11-19T20:00:00.000Z","event":"pin","server":"git","item":"tool/log","change":"changed","members":"description, title","hidden":true"#
        );
    }
}
