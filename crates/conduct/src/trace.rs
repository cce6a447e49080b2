//! The trace, with every message once per hop in the format of the official trace viewer; and the debug log,
//! with every line as sent.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use linkspan_acp::{Node, Passing, Plan, Tracer};
use linkspan_bridge::{LineWriter, Mask, OutputFile};
use linkspan_wire::{Json, Kind, Message, escape_json, one_line, quote};

use crate::error::ConductError;

/// Bytes that may wait for the disk.
const QUEUE_BYTES: usize = 16 << 20;

/// Writes the trace, the debug log, or both.
pub(crate) struct Traces {
    plan: Plan,
    mask: Mask,
    trace: Option<LineWriter<String>>,
    debug: Option<LineWriter<String>>,
    begun: Instant,
}

impl Traces {
    /// Creates the files; `None` if there are none to create.
    pub(crate) fn start(
        plan: &Plan,
        trace: Option<&Path>,
        debug_dir: Option<&Path>,
    ) -> Result<Option<Self>, ConductError> {
        if trace.is_none() && debug_dir.is_none() {
            return Ok(None);
        }
        let open = |path: &Path| {
            let write = |out: &mut dyn Write, line: String, missed| {
                if missed > 0 {
                    writeln!(out, r#"{{"type":"missed","count":{missed}}}"#)?;
                }
                writeln!(out, "{line}")
            };
            lines(path, "trace", write)
        };
        let open_in = |dir: &Path| {
            std::fs::create_dir_all(dir).map_err(|source| ConductError::DebugFolder {
                path: dir.to_owned(),
                source,
            })?;
            // Two conductors may start in the same second.
            let time = format!("{:.3}", Timestamp::now()).replace(['-', ':', 'Z'], "");
            let time = time.replace(['T', '.'], "-");
            let name = format!("{time}-{}.log", std::process::id());
            let write = |out: &mut dyn Write, line: String, missed| {
                if missed > 0 {
                    writeln!(
                        out,
                        "! {missed} lines are missing here: the disk was too slow"
                    )?;
                }
                writeln!(out, "{line}")
            };
            lines(&dir.join(name), "debug log", write)
        };
        Ok(Some(Self {
            plan: plan.clone(),
            mask: Mask::new(Vec::new()).with_servers(),
            trace: trace.map(open).transpose()?,
            debug: debug_dir.map(open_in).transpose()?,
            begun: Instant::now(),
        }))
    }

    fn debug(&mut self, node: Node, arrow: char, msg: &Message) {
        let Some(debug) = &mut self.debug else {
            return;
        };
        let who = match node {
            Node::Outside => "C".to_owned(),
            Node::Part(part) => part.to_string(),
            Node::Joined(number) => format!("M{number}"),
        };
        let text = text(msg);
        let line = self.mask.apply(&text);
        let line = escape_json(&line);
        let time = self.begun.elapsed().as_millis();
        let line = format!("{who} {arrow} +{time}ms {line}");
        let size = line.len();
        debug.push(line, size);
    }
}

/// A file that is written line by line.
fn lines(
    path: &Path,
    what: &'static str,
    write: impl FnMut(&mut dyn Write, String, u64) -> io::Result<()> + Send + 'static,
) -> Result<LineWriter<String>, ConductError> {
    let file = OutputFile::open(path)?;
    Ok(LineWriter::start(file, what, QUEUE_BYTES, write))
}

fn text(msg: &Message) -> String {
    String::from_utf8_lossy(&one_line(msg.to_bytes())).into_owned()
}

impl Tracer for Traces {
    fn passing(&mut self, passing: &Passing<'_>) {
        let Some(trace) = &mut self.trace else {
            return;
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let ts = now.unwrap_or_default().as_secs_f64();
        let (from, to) = (self.plan.label(passing.from), self.plan.label(passing.to));
        let line = event(passing, ts, &from, &to);
        let line = one_line(line.into_bytes().into());
        let line = String::from_utf8_lossy(&line);
        let line = self.mask.apply(&line);
        let line = escape_json(&line).into_owned();
        let size = line.len();
        trace.push(line, size);
    }

    fn heard(&mut self, from: Node, msg: &Message) {
        self.debug(from, '→', msg);
    }

    fn said(&mut self, to: Node, msg: &Message) {
        self.debug(to, '←', msg);
    }
}

/// One line of the trace.
fn event(passing: &Passing<'_>, ts: f64, from: &str, to: &str) -> String {
    let msg = passing.msg;
    let body = msg.body().map_or("null", Json::text);
    // Ids of different hops may be equal; hop numbers are unique.
    let id = passing.hop.map_or("null".to_owned(), |hop| hop.to_string());
    if msg.is_answer() {
        let is_error = msg.kind() == Kind::Error;
        return format!(
            r#"{{"type":"response","ts":{ts:.6},"from":"{from}","to":"{to}","id":{id},"is_error":{is_error},"payload":{body}}}"#
        );
    }
    let carried = carried(msg);
    let protocol = match carried {
        Some(_) => "mcp",
        None => "acp",
    };
    let method = msg.method();
    let session = msg.params().and_then(|params| {
        let named = params.get("sessionId");
        named.or_else(|| params.path(&["_meta", "linkspan/sessionId"]))
    });
    let session = session.filter(|session| session.as_str().is_some());
    let session = session.map_or_else(String::new, |id| format!(r#""session":{},"#, id.text()));
    let (method, params) = match carried {
        Some((method, params)) => (method.to_owned(), params.unwrap_or("null")),
        None => (quote(&method), body),
    };
    let (kind, id) = match passing.hop {
        Some(_) => ("request", format!(r#""id":{id},"#)),
        None => ("notification", String::new()),
    };
    format!(
        r#"{{"type":"{kind}","ts":{ts:.6},"protocol":"{protocol}","from":"{from}","to":"{to}",{id}"method":{method},{session}"params":{params}}}"#
    )
}

/// The method and parameters of the MCP message that this message carries, as JSON.
fn carried(msg: &Message) -> Option<(&str, Option<&str>)> {
    let method = msg.method();
    let is_carrier = method.starts_with("mcp/") || method.starts_with("_mcp/");
    let params = msg.params().filter(|_| is_carrier)?;
    let within = params.get("message").unwrap_or(params);
    let inner = within.get("method").filter(|m| m.as_str().is_some())?;
    Some((inner.text(), within.get("params").map(Json::text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, hop: Option<u64>) -> String {
        let msg = Message::parse(text.to_owned().into()).unwrap();
        let passing = Passing {
            from: Node::Outside,
            to: Node::Part(0),
            msg: &msg,
            hop: hop.map(linkspan_wire::Hop),
            answers: None,
        };
        event(&passing, 1.5, "Client", "Agent")
    }

    #[test]
    fn a_request_is_written_with_its_session() {
        assert_eq!(
            line(
                r#"{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":{"sessionId":"s"}}"#,
                Some(4)
            ),
            r#"{"type":"request","ts":1.500000,"protocol":"acp","from":"Client","to":"Agent","id":4,"method":"session/prompt","session":"s","params":{"sessionId":"s"}}"#
        );
    }

    #[test]
    fn an_mcp_message_is_written_without_its_carrier() {
        assert_eq!(
            line(
                r#"{"jsonrpc":"2.0","method":"mcp/message","params":{"serverId":"a","requestId":"r","method":"notifications/progress","params":{"p":1},"_meta":{"linkspan/sessionId":"s"}}}"#,
                None
            ),
            r#"{"type":"notification","ts":1.500000,"protocol":"mcp","from":"Client","to":"Agent","method":"notifications/progress","session":"s","params":{"p":1}}"#
        );
    }

    #[test]
    fn an_answer_is_written_with_the_hop_of_its_request() {
        assert_eq!(
            line(
                r#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"no"}}"#,
                Some(9)
            ),
            r#"{"type":"response","ts":1.500000,"from":"Client","to":"Agent","id":9,"is_error":true,"payload":{"code":1,"message":"no"}}"#
        );
    }
}
