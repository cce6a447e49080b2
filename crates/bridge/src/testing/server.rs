//! An in-memory server that logs every message it receives.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use linkspan_mcp::Era;
use linkspan_session::{Envelope, Fault, Inbound, Outbound, Port, PortEnd};
use linkspan_wire::{Id, Kind, Message};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::timeout;

use super::{LONGEST, message, tools};
use crate::backend::Backend;

/// Special behaviour of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Habit {
    /// Reads nothing for this long, like a program that is slow to load.
    SlowStart(Duration),
    /// Does not answer a request before `initialize`.
    IgnoresProbe,
    /// Exits on a request before `initialize`.
    DiesOfProbe,
    /// Its first connection ends before it reads anything.
    DiesOnce,
    /// Asks for roots when it is initialized, outside any call.
    RootsAtStart,
}

/// The events of a backend's connections.
#[derive(Clone)]
pub(crate) struct Log {
    opened: Arc<AtomicUsize>,
    heard: Arc<watch::Sender<Vec<(usize, Message)>>>,
    closed: Arc<watch::Sender<Vec<usize>>>,
    gates: Arc<watch::Sender<BTreeSet<String>>>,
}

impl Log {
    fn new() -> Self {
        Self {
            opened: Arc::default(),
            heard: Arc::new(watch::channel(Vec::new()).0),
            closed: Arc::new(watch::channel(Vec::new()).0),
            gates: Arc::new(watch::channel(BTreeSet::new()).0),
        }
    }

    /// Connections so far.
    pub(crate) fn opened(&self) -> usize {
        self.opened.load(Ordering::Relaxed)
    }

    /// The methods that one connection has received.
    pub(crate) fn heard(&self, connection: usize) -> Vec<String> {
        let heard = self.heard.borrow();
        let of_it = heard.iter().filter(|(of, _)| *of == connection);
        of_it.map(|(_, msg)| msg.method().into_owned()).collect()
    }

    /// How often a method was received, by all connections.
    pub(crate) fn count(&self, method: &str) -> usize {
        let heard = self.heard.borrow();
        heard
            .iter()
            .filter(|(_, msg)| msg.method() == method)
            .count()
    }

    /// Waits for the first message that `is` accepts; also returns its connection.
    pub(crate) async fn find(&self, is: impl Fn(&Message) -> bool) -> (usize, Message) {
        self.find_all(1, is).await.remove(0)
    }

    /// Waits for this many messages that `is` accepts.
    pub(crate) async fn find_all(
        &self,
        count: usize,
        is: impl Fn(&Message) -> bool,
    ) -> Vec<(usize, Message)> {
        let mut heard = self.heard.subscribe();
        let found = |all: &[(usize, Message)]| -> Vec<(usize, Message)> {
            all.iter().filter(|(_, msg)| is(msg)).cloned().collect()
        };
        let enough = heard.wait_for(|all| found(all).len() >= count);
        let enough = timeout(LONGEST, enough).await;
        let all = enough.expect("it is received").expect("the log is kept");
        found(&all)
    }

    /// Waits for a call of that tool.
    pub(crate) async fn called(&self, tool: &str) -> (usize, Message) {
        self.find(|msg| tool_of(msg).as_deref() == Some(tool)).await
    }

    /// Waits until this many connections have ended.
    pub(crate) async fn closed(&self, count: usize) {
        let mut closed = self.closed.subscribe();
        let ended = closed.wait_for(|closed| closed.len() >= count);
        let ended = timeout(LONGEST, ended).await;
        assert!(ended.is_ok(), "{count} connections should have ended");
    }

    /// Opens a gate that tools wait for.
    pub(crate) fn open(&self, gate: &str) {
        self.gates.send_modify(|gates| {
            gates.insert(gate.to_owned());
        });
    }

    /// Waits until a gate is open.
    pub(super) async fn gate(&self, gate: &str) {
        let mut gates = self.gates.subscribe();
        let _ = gates.wait_for(|gates| gates.contains(gate)).await;
    }
}

/// The tool that a message calls.
pub(super) fn tool_of(msg: &Message) -> Option<String> {
    let name = msg.params()?.get("name")?.as_str()?;
    (msg.method() == "tools/call").then(|| name.into_owned())
}

/// A server of one era; its tools are in [`tools`].
pub(crate) fn backend(era: Era) -> (Backend, Log) {
    backend_with(era, &[])
}

/// The same, with habits of its own.
pub(crate) fn backend_with(era: Era, habits: &[Habit]) -> (Backend, Log) {
    let log = Log::new();
    let of_backend = log.clone();
    let habits: Arc<[Habit]> = habits.into();
    let open = move || {
        let (port, end) = Port::pair("the server", 8);
        let number = of_backend.opened.fetch_add(1, Ordering::Relaxed) + 1;
        let connection = Connection {
            era,
            number,
            log: of_backend.clone(),
            habits: habits.clone(),
            tx: end.tx.clone(),
            over: Notify::new(),
            state: Mutex::default(),
        };
        tokio::spawn(Arc::new(connection).serve(end));
        port
    };
    (Backend::local(open, None), log)
}

/// One connection, as its tools see it.
pub(super) struct Connection {
    pub(super) era: Era,
    pub(super) number: usize,
    pub(super) log: Log,
    habits: Arc<[Habit]>,
    tx: mpsc::Sender<Inbound>,
    /// Notified when a tool ends the server.
    pub(super) over: Notify,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The capabilities in `initialize`, as spelled.
    capabilities: Option<String>,
    /// The answer to its question for roots at the start, as spelled.
    roots: Option<String>,
    asked: HashMap<String, oneshot::Sender<Message>>,
    questions: usize,
}

impl Connection {
    async fn serve(self: Arc<Self>, mut end: PortEnd) {
        let dies = self.habits.contains(&Habit::DiesOnce) && self.number == 1;
        for habit in self.habits.iter() {
            if let Habit::SlowStart(time) = habit {
                tokio::time::sleep(*time).await;
            }
        }
        if !dies {
            self.listen(&mut end).await;
        }
        let why = Fault::PeerClosed {
            peer: "the server".to_owned(),
            why: "it has ended".to_owned(),
        };
        self.say_inbound(Inbound::Closed(why)).await;
        let closed = |closed: &mut Vec<usize>| closed.push(self.number);
        self.log.closed.send_modify(closed);
    }

    /// Handles messages until the connection ends.
    async fn listen(self: &Arc<Self>, end: &mut PortEnd) {
        loop {
            let received = tokio::select! {
                received = end.rx.recv() => received,
                () = self.over.notified() => None,
            };
            let Some(Outbound::One(envelope)) = received else {
                break;
            };
            let msg = envelope.msg;
            let heard = (self.number, msg.clone());
            self.log.heard.send_modify(|all| all.push(heard));
            if !self.take(msg).await {
                break;
            }
        }
    }

    /// Handles a message; `false` if it ends the connection.
    async fn take(self: &Arc<Self>, msg: Message) -> bool {
        let method = msg.method().into_owned();
        if msg.is_answer() {
            self.answered(&msg);
        } else if method == "notifications/initialized" && self.does(Habit::RootsAtStart) {
            let question = r#"{"jsonrpc":"2.0","id":"at-start","method":"roots/list"}"#;
            self.say(message(question)).await;
        } else if let Some(id) = msg.id().filter(|_| msg.kind() == Kind::Request) {
            let is_early = self.era == Era::Legacy && self.state.lock().capabilities.is_none();
            let is_probe = is_early && method != "initialize";
            if is_probe && self.does(Habit::DiesOfProbe) {
                return false;
            }
            if is_probe && self.does(Habit::IgnoresProbe) {
                return true;
            }
            if method == "tools/call" {
                let connection = self.clone();
                tokio::spawn(async move { tools::run(&connection, &id, &msg).await });
            } else {
                self.say(self.answer(&id, &msg)).await;
            }
        }
        true
    }

    fn does(&self, habit: Habit) -> bool {
        self.habits.contains(&habit)
    }

    fn answered(&self, msg: &Message) {
        let id = msg.id().unwrap_or_else(Id::null).text().to_owned();
        let mut state = self.state.lock();
        if id == r#""at-start""# && msg.kind() == Kind::Result {
            state.roots = msg.body().map(|body| body.text().to_owned());
        }
        if let Some(waiting) = state.asked.remove(&id) {
            let _ = waiting.send(msg.clone());
        }
    }

    fn answer(&self, id: &Id, msg: &Message) -> Message {
        let result = match (self.era, &*msg.method()) {
            (Era::Legacy, "initialize") => {
                let capabilities = msg.params().and_then(|p| p.get("capabilities"));
                let capabilities = capabilities.map_or("{}", |c| c.text());
                self.state.lock().capabilities = Some(capabilities.to_owned());
                r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}"#
            }
            (Era::Modern, "server/discover") => {
                r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"logging":{}}}"#
            }
            (Era::Legacy, "ping" | "logging/setLevel") => "{}",
            (Era::Legacy, "tools/list") => r#"{"tools":[]}"#,
            _ => {
                let text = format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"unknown method"}}}}"#
                );
                return message(&text);
            }
        };
        Message::result(id, result)
    }

    /// Sends a message.
    pub(super) async fn say(&self, msg: Message) {
        self.say_inbound(Inbound::Message(Envelope::new(msg))).await;
    }

    async fn say_inbound(&self, inbound: Inbound) {
        // A bridge that has closed the connection needs no message.
        let _ = self.tx.send(inbound).await;
    }

    /// Asks the client; returns its result or error as spelled, or `None` when the connection has ended.
    pub(super) async fn ask(
        &self,
        key: Option<&str>,
        method: &str,
        params: &str,
    ) -> Option<String> {
        let (id, receiver) = {
            let mut state = self.state.lock();
            state.questions += 1;
            let key = key.map_or_else(|| format!("question-{}", state.questions), str::to_owned);
            let (sender, receiver) = oneshot::channel();
            let id = format!("{key:?}");
            state.asked.insert(id.clone(), sender);
            (id, receiver)
        };
        self.say(message(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        )))
        .await;
        let answer = receiver.await.ok()?;
        answer.body().map(|body| body.text().to_owned())
    }

    /// The client's capabilities.
    pub(super) fn capabilities(&self) -> String {
        let state = self.state.lock();
        state.capabilities.clone().unwrap_or("null".to_owned())
    }

    /// The roots that it got at its start.
    pub(super) fn roots(&self) -> String {
        let state = self.state.lock();
        state.roots.clone().unwrap_or("null".to_owned())
    }
}
