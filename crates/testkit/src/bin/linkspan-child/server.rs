//! The state of the server, and the handling of each message.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use linkspan_testkit::Message;
use parking_lot::{Mutex, MutexGuard};

use crate::options::Options;
use crate::watch::Watch;
use crate::{calls, legacy, modern};

/// The id of the question for roots that belongs to no call.
const AT_START: &str = "\"at-start\"";

/// One scripted server.
pub struct Server {
    pub options: Options,
    pub watch: Watch,
    pub state: Mutex<State>,
}

/// The mutable state.
#[derive(Default)]
pub struct State {
    /// The params of `initialize` as received.
    pub client: Option<String>,
    /// Questions that wait for the client, by their ids as written.
    pub asked: HashMap<String, SyncSender<Message>>,
    /// Open `subscriptions/listen` requests: id and params as written.
    pub listeners: Vec<(String, String)>,
    /// The number of questions so far.
    pub questions: u64,
    /// The client's answer to `--roots-at-start`, as written.
    pub roots: Option<String>,
}

impl Server {
    pub fn new(options: Options) -> Self {
        let watch = Watch::connect(&options, "child");
        if options.bad_start {
            eprintln!("cannot start: the quay is closed");
            std::process::exit(3);
        }
        Self {
            options,
            watch,
            state: Mutex::default(),
        }
    }

    /// Handles a message; each request gets its own thread.
    pub fn take(self: &Arc<Self>, message: Message) {
        let method = message.method.clone().unwrap_or_default();
        if message.is_response() {
            let id = message.id.clone().unwrap_or_default();
            if id == AT_START {
                self.lock().roots = message.result.clone();
            }
            if let Some(waiting) = self.lock().asked.remove(&id) {
                // The channel has room for the one answer.
                let _ = waiting.try_send(message);
            }
        } else if message.is_request() {
            if !self.may_answer(&method) {
                return;
            }
            let server = Arc::clone(self);
            match method.as_str() {
                "initialize" => legacy::initialize(&server, &message),
                // The answer means that all earlier messages have been handled.
                "ping" => calls::answer(&Call::new(server, message)),
                _ => drop(thread::spawn(move || {
                    calls::answer(&Call::new(server, message));
                })),
            }
        } else if method == "notifications/cancelled" {
            let id = message.at(&["params", "requestId"]).unwrap_or_default();
            self.lock()
                .listeners
                .retain(|(listener, _)| *listener != id);
            self.watch.cancel(&id);
            self.watch.tell("note", &format!("cancelled {id}"));
        } else if method == "notifications/initialized" && self.options.roots_at_start {
            self.ask(AT_START, "roots/list", "{}");
        }
    }

    /// Writes a line.
    pub fn write(&self, line: &str) {
        self.write_bytes(format!("{line}\n").as_bytes());
    }

    /// Writes any bytes.
    pub fn write_bytes(&self, bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        // The end of stdin shows that the client has exited.
        let _ = out.write_all(bytes);
        let _ = out.flush();
    }

    /// Sends a notification.
    pub fn note(&self, method: &str, params: &str) {
        self.write(&format!(
            r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#
        ));
    }

    /// Sends a request to the client; returns a channel for its answer.
    pub fn ask(&self, id: &str, method: &str, params: &str) -> Receiver<Message> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.lock().asked.insert(id.to_owned(), sender);
        self.write(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ));
        receiver
    }

    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn may_answer(&self, method: &str) -> bool {
        let early = !self.options.modern && self.lock().client.is_none() && method != "initialize";
        if early && self.options.die_on_probe {
            eprintln!("expected initialize, got {method}");
            std::process::exit(1);
        }
        !(method == "initialize" && self.options.mute)
    }
}

/// A request being worked on.
pub struct Call {
    pub server: Arc<Server>,
    pub message: Message,
    pub id: String,
}

impl Call {
    fn new(server: Arc<Server>, message: Message) -> Self {
        let id = message.id.clone().unwrap_or_default();
        Self {
            server,
            message,
            id,
        }
    }

    /// Whether this server has the stateless revision.
    pub fn modern(&self) -> bool {
        self.server.options.modern
    }

    /// Answers with a result of these members.
    pub fn done(&self, members: &str) {
        let kind = if self.modern() {
            r#""resultType":"complete","#
        } else {
            ""
        };
        self.result(&format!("{{{kind}{members}}}"));
    }

    /// Answers with a list, which a modern client may cache.
    pub fn list(&self, members: &str) {
        if self.modern() {
            self.done(&format!(r#"{members},{}"#, modern::CACHE))
        } else {
            self.done(members)
        }
    }

    /// Answers a `tools/call` with that as its structured content.
    pub fn structured(&self, content: &str) {
        self.done(&format!(r#""content":[],"structuredContent":{content}"#));
    }

    /// Answers with exactly this result.
    pub fn result(&self, result: &str) {
        let id = &self.id;
        self.server.write(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        ));
    }

    /// Answers with exactly this error.
    pub fn error(&self, error: &str) {
        let id = &self.id;
        self.server
            .write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
    }

    /// Waits for a gate; `false`: cancelled, so no answer is sent.
    pub fn gate(&self, gate: &str) -> bool {
        self.server.watch.gate(gate, &self.id)
    }

    /// Reports progress, if the request has a token.
    pub fn progress(&self, step: u64) {
        if let Some(token) = self.message.at(&["params", "_meta", "progressToken"]) {
            self.server.note(
                "notifications/progress",
                &format!(r#"{{"progressToken":{token},"progress":{step},"total":3}}"#),
            );
        }
    }

    /// A string argument.
    pub fn text(&self, name: &str) -> Option<String> {
        self.message.argument(name).as_str().map(str::to_owned)
    }

    /// A number argument; absent is 0.
    pub fn number(&self, name: &str) -> u64 {
        self.message.argument(name).as_u64().unwrap_or_default()
    }
}
