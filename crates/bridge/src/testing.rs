//! Servers and clients in memory, for tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use linkspan_mcp::Era;
use linkspan_session::{Envelope, Inbound, Outbound, Port, PortEnd};
use linkspan_wire::{Id, Kind, Message};
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::backend::Backend;

/// The end of a wait for something that does not happen; the clock of tests is paused.
const LONGEST: Duration = Duration::from_secs(3600);

/// What happened to the connections of a [`backend`].
#[derive(Clone)]
pub(crate) struct Log {
    opened: Arc<AtomicUsize>,
    heard: Arc<Mutex<Vec<(usize, String)>>>,
    closed: Arc<watch::Sender<Vec<usize>>>,
    gate: Arc<watch::Sender<bool>>,
}

impl Log {
    fn new() -> Self {
        Self {
            opened: Arc::default(),
            heard: Arc::default(),
            closed: Arc::new(watch::channel(Vec::new()).0),
            gate: Arc::new(watch::channel(false).0),
        }
    }

    /// Connections so far.
    pub(crate) fn opened(&self) -> usize {
        self.opened.load(Ordering::Relaxed)
    }

    /// The methods that one connection has received.
    pub(crate) fn heard(&self, connection: usize) -> Vec<String> {
        let heard = self.heard.lock();
        let of_it = heard.iter().filter(|(of, _)| *of == connection);
        of_it.map(|(_, method)| method.clone()).collect()
    }

    /// Waits until this many connections have ended.
    pub(crate) async fn closed(&self, count: usize) {
        let mut closed = self.closed.subscribe();
        let ended = closed.wait_for(|closed| closed.len() >= count);
        let ended = tokio::time::timeout(LONGEST, ended).await;
        assert!(ended.is_ok(), "{count} connections should have ended");
    }

    /// Lets the calls of the tool `gate` end.
    pub(crate) fn open_gate(&self) {
        self.gate.send_replace(true);
    }
}

/// A server of one era. Its tools: `which` names the connection, `gate` waits for [`Log::open_gate`], `ask` asks
/// the client before it answers, `die` ends the connection without an answer.
pub(crate) fn backend(era: Era) -> (Backend, Log) {
    let log = Log::new();
    let of_backend = log.clone();
    let open = move || {
        let (port, end) = Port::pair("the server", 8);
        let number = of_backend.opened.fetch_add(1, Ordering::Relaxed) + 1;
        tokio::spawn(serve(end, era, number, of_backend.clone()));
        port
    };
    (Backend::local(open, None), log)
}

async fn serve(mut end: PortEnd, era: Era, number: usize, log: Log) {
    while let Some(Outbound::One(envelope)) = end.rx.recv().await {
        let msg = envelope.msg;
        log.heard.lock().push((number, msg.method().into_owned()));
        let Some(id) = msg.id().filter(|_| msg.kind() == Kind::Request) else {
            continue;
        };
        let tool = msg.params().and_then(|params| params.get("name")?.as_str());
        match tool.as_deref() {
            Some("die") => break,
            Some("ask") => {
                let question = r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}"#;
                let _ = end.tx.send(inbound(message(question))).await;
            }
            Some("gate") => {
                let (tx, mut gate) = (end.tx.clone(), log.gate.subscribe());
                tokio::spawn(async move {
                    let _ = gate.wait_for(|open| *open).await;
                    let _ = tx
                        .send(inbound(answer(era, &id, "tools/call", number)))
                        .await;
                });
            }
            _ => {
                let answer = answer(era, &id, &msg.method(), number);
                if end.tx.send(inbound(answer)).await.is_err() {
                    break;
                }
            }
        }
    }
    log.closed.send_modify(|closed| closed.push(number));
}

fn inbound(msg: Message) -> Inbound {
    Inbound::Message(Envelope::new(msg))
}

fn answer(era: Era, id: &Id, method: &str, number: usize) -> Message {
    let result = match (era, method) {
        (Era::Legacy, "initialize") => {
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#.to_owned()
        }
        (Era::Modern, "server/discover") => {
            r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#.to_owned()
        }
        (Era::Legacy, "ping") => "{}".to_owned(),
        (_, "tools/call") => format!(r#"{{"content":[],"structuredContent":{{"connection":{number}}}}}"#),
        _ => {
            let text = format!(
                r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32601,"message":"unknown method"}}}}"#,
                id.text()
            );
            return message(&text);
        }
    };
    Message::result(id, &result)
}

/// A message of a test.
pub(crate) fn message(text: &str) -> Message {
    Message::parse(text.to_owned().into()).expect("the test writes valid messages")
}

/// A call of a modern client with these capabilities.
pub(crate) fn modern_call(tool: &str, capabilities: &str) -> Message {
    message(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{capabilities},"io.modelcontextprotocol/clientInfo":{{"name":"c","version":"1"}}}}}}}}"#
    ))
}

/// The number of the connection that a call of `which` or `gate` reached.
pub(crate) fn connection(answer: &Message) -> usize {
    let number = answer
        .body()
        .and_then(|result| result.path(&["structuredContent", "connection"]));
    let number = number.and_then(|number| number.text().parse().ok());
    number.unwrap_or_else(|| panic!("no connection in {}", answer.text()))
}
