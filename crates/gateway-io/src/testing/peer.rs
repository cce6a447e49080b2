//! A server in memory that does what the test says.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use linkspan_bridge::Backend;
use linkspan_gateway::ListKind;
use linkspan_mcp::Era;
use linkspan_session::{Inbound, Port};
use linkspan_wire::{Id, Message, quote};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::timeout;

use super::LONGEST;
use super::connection::Connection;

/// A server. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Peer(Arc<Shared>);

pub(crate) struct Shared {
    pub(super) name: String,
    pub(super) era: Era,
    pub(super) state: Mutex<State>,
    heard: watch::Sender<Vec<(usize, Message)>>,
    /// What requests wait for: methods, and names that calls of the tool `gate` have as an argument.
    closed: watch::Sender<BTreeSet<String>>,
    ended: watch::Sender<usize>,
}

/// What it is at the moment.
#[derive(Default)]
pub(super) struct State {
    pub(super) opened: usize,
    /// Every new connection ends with its first message.
    pub(super) is_broken: bool,
    /// Methods that are answered with an error.
    pub(super) refused: HashMap<String, i64>,
    pub(super) lists: HashMap<&'static str, Vec<String>>,
    pub(super) instructions: Option<String>,
    pub(super) ttl: u64,
    /// Items of one page.
    pub(super) page: Option<usize>,
    /// The open connections.
    pub(super) live: Vec<Live>,
}

/// An open connection.
pub(super) struct Live {
    pub(super) number: usize,
    pub(super) tx: mpsc::Sender<Inbound>,
    /// The subscriptions of modern clients, with their filters.
    pub(super) listening: Vec<(Id, String)>,
    /// The URIs that a legacy client has subscribed to.
    pub(super) subscribed: Vec<String>,
    pub(super) over: Arc<Notify>,
}

impl Peer {
    /// A modern server with these tools.
    pub(crate) fn modern(name: &str, tools: &[&str]) -> Self {
        Self::new(name, Era::Modern, tools)
    }

    /// A legacy server with these tools.
    pub(crate) fn legacy(name: &str, tools: &[&str]) -> Self {
        Self::new(name, Era::Legacy, tools)
    }

    fn new(name: &str, era: Era, tools: &[&str]) -> Self {
        let peer = Self(Arc::new(Shared {
            name: name.to_owned(),
            era,
            state: Mutex::default(),
            heard: watch::channel(Vec::new()).0,
            closed: watch::channel(BTreeSet::new()).0,
            ended: watch::channel(0).0,
        }));
        peer.set_tools(tools);
        peer
    }

    pub(crate) fn name(&self) -> String {
        self.0.name.clone()
    }

    /// Opens connections to it.
    pub(crate) fn backend(&self) -> Backend {
        let shared = self.0.clone();
        let open = move || {
            let (port, end) = Port::pair(shared.name.clone(), 8);
            tokio::spawn(Connection::serve(shared.clone(), end));
            port
        };
        Backend::local(open, Some(self.0.era))
    }

    /// Sets its tools by name, and tells that the list has changed.
    pub(crate) fn set_tools(&self, names: &[&str]) {
        let tools = names.iter().map(|name| tool(name, ""));
        self.set(ListKind::Tools, tools.collect());
    }

    /// Sets its resources by URI, and tells that the list has changed.
    pub(crate) fn set_resources(&self, uris: &[&str]) {
        let items = uris
            .iter()
            .map(|uri| format!(r#"{{"uri":"{uri}","name":"n"}}"#));
        self.set(ListKind::Resources, items.collect());
    }

    /// Sets a list, and tells that it has changed.
    pub(crate) fn set(&self, kind: ListKind, items: Vec<String>) {
        self.0.state.lock().lists.insert(kind.member(), items);
        self.0.tell_changed(kind);
    }

    /// Changes what it is.
    pub(crate) fn set_instructions(&self, text: &str) {
        self.0.state.lock().instructions = Some(text.to_owned());
    }

    /// Promises that lists stay the same for this many milliseconds.
    pub(crate) fn set_ttl(&self, ttl: u64) {
        self.0.state.lock().ttl = ttl;
    }

    /// Lists so many items on each page.
    pub(crate) fn set_page(&self, items: usize) {
        self.0.state.lock().page = Some(items);
    }

    /// Whether every new connection ends with its first message.
    pub(crate) fn set_broken(&self, is_broken: bool) {
        self.0.state.lock().is_broken = is_broken;
    }

    /// Ends all connections.
    pub(crate) fn end_connections(&self) {
        for live in &self.0.state.lock().live {
            live.over.notify_one();
        }
    }

    /// Tells subscribers that a resource has changed.
    pub(crate) fn updated(&self, uri: &str) {
        let params = |id: &str| {
            let meta = match id {
                "" => String::new(),
                id => format!(r#","_meta":{{"{}":{id}}}"#, linkspan_mcp::SUBSCRIPTION_ID),
            };
            format!(r#"{{"uri":{}{meta}}}"#, quote(uri))
        };
        let is_wanted = |filter: &str| filter.contains(&quote(uri));
        self.0
            .tell("notifications/resources/updated", is_wanted, params);
    }

    /// Requests of this method, all for `*`, and calls of `gate` with this name are not answered until it is opened.
    pub(crate) fn hold(&self, gate: &str) {
        let gate = gate.to_owned();
        self.0.closed.send_modify(|closed| {
            closed.insert(gate);
        });
    }

    /// Requests of this method are answered with the error for an unknown method.
    pub(crate) fn refuse(&self, method: &str) {
        self.refuse_with(method, -32601);
    }

    /// Requests of this method are answered with an error of this code.
    pub(crate) fn refuse_with(&self, method: &str, code: i64) {
        let mut state = self.0.state.lock();
        state.refused.insert(method.to_owned(), code);
    }

    /// Opens a gate.
    pub(crate) fn open(&self, gate: &str) {
        self.0.closed.send_modify(|closed| {
            closed.remove(gate);
        });
    }

    /// Connections so far.
    pub(crate) fn opened(&self) -> usize {
        self.0.state.lock().opened
    }

    /// Waits until this many connections have ended.
    pub(crate) async fn ended(&self, count: usize) {
        let mut ended = self.0.ended.subscribe();
        let enough = timeout(LONGEST, ended.wait_for(|ended| *ended >= count)).await;
        assert!(enough.is_ok(), "{count} connections should have ended");
    }

    /// The subscriptions that it has.
    pub(crate) fn subscriptions(&self) -> usize {
        let state = self.0.state.lock();
        let of = |live: &Live| live.listening.len() + live.subscribed.len();
        state.live.iter().map(of).sum()
    }

    /// The messages of a method that it has received, with the number of their connection.
    pub(crate) fn heard(&self, method: &str) -> Vec<(usize, Message)> {
        let heard = self.0.heard.borrow();
        let of_method = heard.iter().filter(|(_, msg)| msg.method() == method);
        of_method.cloned().collect()
    }

    /// Waits for so many messages of a method.
    pub(crate) async fn hears(&self, method: &str, count: usize) -> Vec<(usize, Message)> {
        let mut heard = self.0.heard.subscribe();
        let enough = heard.wait_for(|all| {
            let of_method = all.iter().filter(|(_, msg)| msg.method() == method);
            of_method.count() >= count
        });
        let enough = timeout(LONGEST, enough).await;
        assert!(enough.is_ok(), "{count} of {method} should have come");
        drop(enough);
        self.heard(method)
    }

    /// The names of the tools that were called.
    pub(crate) fn called(&self) -> Vec<String> {
        let name = |(_, msg): &(usize, Message)| {
            let name = msg.params()?.get("name")?.as_str()?;
            Some(name.into_owned())
        };
        self.heard("tools/call").iter().filter_map(name).collect()
    }
}

impl Shared {
    pub(super) fn note(&self, connection: usize, msg: Message) {
        self.heard
            .send_modify(|heard| heard.push((connection, msg)));
    }

    pub(super) fn note_end(&self, connection: usize) {
        let mut state = self.state.lock();
        state.live.retain(|live| live.number != connection);
        drop(state);
        self.ended.send_modify(|ended| *ended += 1);
    }

    /// Waits until a gate is open.
    pub(super) async fn gate(&self, gate: &str) {
        let mut closed = self.closed.subscribe();
        let _ = closed.wait_for(|closed| !closed.contains(gate)).await;
    }

    fn tell_changed(&self, kind: ListKind) {
        let wanted = match kind {
            ListKind::Tools => "toolsListChanged",
            ListKind::Prompts => "promptsListChanged",
            ListKind::Resources | ListKind::Templates => "resourcesListChanged",
        };
        let params = |id: &str| match id {
            "" => "{}".to_owned(),
            id => format!(
                r#"{{"_meta":{{"{}":{id}}}}}"#,
                linkspan_mcp::SUBSCRIPTION_ID
            ),
        };
        let is_wanted = |filter: &str| filter.contains(wanted) || filter == "legacy";
        self.tell(kind.changed(), is_wanted, params);
    }

    /// Sends a notification to the subscriptions with a filter that is wanted, and to legacy clients.
    fn tell(
        &self,
        method: &str,
        is_wanted: impl Fn(&str) -> bool,
        params: impl Fn(&str) -> String,
    ) {
        let state = self.state.lock();
        for live in &state.live {
            let send = |params: String| {
                let note = Message::notification(method, Some(&params));
                let note = linkspan_session::Envelope::new(note);
                let sent = live.tx.try_send(Inbound::Message(note));
                sent.unwrap_or_else(|why| tracing::debug!("not told: {why}"));
            };
            for (id, _) in live.listening.iter().filter(|(_, one)| is_wanted(one)) {
                send(params(id.text()));
            }
            let is_subscribed = live.subscribed.iter().any(|uri| is_wanted(&quote(uri)));
            if self.era == Era::Legacy && (is_subscribed || is_wanted("legacy")) {
                send(params(""));
            }
        }
    }
}

/// The definition of a tool, with further members.
pub(crate) fn tool(name: &str, more: &str) -> String {
    format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}{more}}}"#)
}
