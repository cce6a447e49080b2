//! One connection of a server in memory.
//!
//! | tool | does |
//! |---|---|
//! | `gate` | answers when the gate of its argument `name` is open |
//! | `die` | ends the connection without an answer |
//! | `refuse`, `fail` | a JSON-RPC error; a result that is an error |
//! | `ask` | asks the client; gives the answer back |
//! | `task` | starts a task with the id of its argument `id` |
//! | `link` | a link to the resource of its argument `uri` |
//! | any other | its name, the server, the connection and the arguments |

use std::collections::HashMap;
use std::sync::Arc;

use linkspan_gateway::ListKind;
use linkspan_mcp::{Era, SUBSCRIPTION_ID};
use linkspan_session::{Envelope, Fault, Inbound, Outbound, PortEnd};
use linkspan_wire::{Id, Json, Kind, Message, quote};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc, oneshot};

use super::peer::{Live, Shared};

pub(super) struct Connection {
    peer: Arc<Shared>,
    number: usize,
    tx: mpsc::Sender<Inbound>,
    over: Arc<Notify>,
    /// What a legacy client has been asked.
    asked: Mutex<HashMap<String, oneshot::Sender<Message>>>,
}

impl Connection {
    pub(super) async fn serve(peer: Arc<Shared>, mut end: PortEnd) {
        let over = Arc::<Notify>::default();
        let (number, is_broken) = {
            let mut state = peer.state.lock();
            state.opened += 1;
            let number = state.opened;
            state.live.push(Live {
                number,
                tx: end.tx.clone(),
                listening: Vec::new(),
                subscribed: Vec::new(),
                over: over.clone(),
            });
            (number, state.is_broken)
        };
        let connection = Arc::new(Self {
            peer: peer.clone(),
            number,
            tx: end.tx.clone(),
            over,
            asked: Mutex::default(),
        });
        loop {
            let received = tokio::select! {
                received = end.rx.recv() => received,
                () = connection.over.notified() => None,
            };
            let Some(Outbound::One(envelope)) = received else {
                break;
            };
            if is_broken {
                break;
            }
            connection.take(envelope.msg);
        }
        peer.note_end(number);
        let why = Fault::PeerClosed {
            peer: peer.name.clone(),
            why: "it has ended".to_owned(),
        };
        let _ = end.tx.send(Inbound::Closed(why)).await;
    }

    fn take(self: &Arc<Self>, msg: Message) {
        if msg.is_answer() {
            let id = msg.id().map(|id| id.text().to_owned());
            let asked = self.asked.lock().remove(&id.unwrap_or_default());
            asked.map(|asked| asked.send(msg));
            return;
        }
        self.peer.note(self.number, msg.clone());
        if msg.method() == "notifications/cancelled" {
            let cancelled = msg.params().and_then(|params| params.get("requestId"));
            let cancelled = cancelled.map(|id| id.text().to_owned());
            self.live(|live| {
                live.listening
                    .retain(|(id, _)| Some(id.text()) != cancelled.as_deref());
            });
        }
        if let Some(id) = msg.id().filter(|_| msg.kind() == Kind::Request) {
            let connection = self.clone();
            tokio::spawn(async move {
                let method = msg.method().into_owned();
                connection.peer.gate("*").await;
                connection.peer.gate(&method).await;
                if let Some(answer) = connection.answer(&id, &method, &msg).await {
                    connection.say(answer).await;
                }
            });
        }
    }

    async fn answer(&self, id: &Id, method: &str, msg: &Message) -> Option<Message> {
        let is_modern = self.peer.era == Era::Modern;
        if let Some(code) = self.peer.state.lock().refused.get(method) {
            return Some(error(id, *code));
        }
        if let Some(kind) = ListKind::of_method(method) {
            return Some(Message::result(id, &self.list(kind, msg)));
        }
        match method {
            "server/discover" if is_modern => {
                let result = format!(
                    r#"{{"resultType":"complete","supportedVersions":["2026-07-28"],{}}}"#,
                    self.description()
                );
                Some(Message::result(id, &result))
            }
            "initialize" if !is_modern => {
                let result = format!(
                    r#"{{"protocolVersion":"2025-11-25",{},"serverInfo":{{"name":"s","version":"1"}}}}"#,
                    self.description()
                );
                Some(Message::result(id, &result))
            }
            "subscriptions/listen" if is_modern => {
                let filter = text(msg, &["notifications"]);
                self.live(|live| live.listening.push((id.clone(), filter.clone())));
                let params =
                    format!(r#"{{"notifications":{filter},"_meta":{{"{SUBSCRIPTION_ID}":{id}}}}}"#);
                let method = "notifications/subscriptions/acknowledged";
                Some(Message::notification(method, Some(&params)))
            }
            "resources/subscribe" | "resources/unsubscribe" if !is_modern => {
                let uri = string(msg, &["uri"]);
                self.live(|live| {
                    live.subscribed.retain(|one| *one != uri);
                    if method == "resources/subscribe" {
                        live.subscribed.push(uri.clone());
                    }
                });
                Some(Message::result(id, "{}"))
            }
            "tools/call" => self.call(id, msg).await,
            "ping" | "logging/setLevel" => Some(Message::result(id, "{}")),
            "resources/read" => {
                let (name, uri) = (&self.peer.name, text(msg, &["uri"]));
                let contents = format!(r#""contents":[{{"uri":{uri},"text":"{name}"}}]"#);
                Some(self.complete(id, &contents))
            }
            "prompts/get" | "completion/complete" | "tasks/get" | "tasks/cancel" => {
                let (name, number) = (&self.peer.name, self.number);
                let told = format!(
                    r#""server":"{name}","connection":{number},"params":{}"#,
                    text(msg, &[])
                );
                Some(self.complete(id, &told))
            }
            _ => Some(error(id, -32601)),
        }
    }

    fn description(&self) -> String {
        let instructions = &self.peer.state.lock().instructions;
        let instructions = instructions.as_deref().unwrap_or_default();
        let instructions = match instructions {
            "" => String::new(),
            text => format!(r#","instructions":{}"#, quote(text)),
        };
        format!(
            r#""capabilities":{{"tools":{{"listChanged":true}},"prompts":{{"listChanged":true}},"resources":{{"subscribe":true,"listChanged":true}},"completions":{{}}}}{instructions}"#
        )
    }

    fn list(&self, kind: ListKind, msg: &Message) -> String {
        let state = self.peer.state.lock();
        let items = state
            .lists
            .get(kind.member())
            .map_or(&[][..], Vec::as_slice);
        let from: usize = string(msg, &["cursor"]).parse().unwrap_or(0);
        let to = items.len().min(from + state.page.unwrap_or(items.len()));
        let next = match to < items.len() {
            true => format!(r#""nextCursor":"{to}","#),
            false => String::new(),
        };
        let era = match self.peer.era {
            Era::Modern => format!(
                r#","resultType":"complete","ttlMs":{},"cacheScope":"public""#,
                state.ttl
            ),
            Era::Legacy => String::new(),
        };
        format!(
            r#"{{{next}"{}":[{}]{era}}}"#,
            kind.member(),
            items[from..to].join(",")
        )
    }

    async fn call(&self, id: &Id, msg: &Message) -> Option<Message> {
        let tool = string(msg, &["name"]);
        let argument = |name: &str| string(msg, &["arguments", name]);
        match &*tool {
            "gate" => self.peer.gate(&argument("name")).await,
            "die" => {
                self.over.notify_one();
                return None;
            }
            "refuse" => return Some(error(id, -32000)),
            "fail" => return Some(self.complete(id, r#""content":[],"isError":true"#)),
            "task" => {
                let task = format!(
                    r#"{{"resultType":"task","taskId":"{}","status":"working"}}"#,
                    argument("id")
                );
                return Some(Message::result(id, &task));
            }
            "link" => {
                let link = format!(
                    r#""content":[{{"type":"resource_link","uri":"{}","name":"n"}}]"#,
                    argument("uri")
                );
                return Some(self.complete(id, &link));
            }
            "ask" => return self.ask(id, msg).await,
            _ => {}
        }
        let arguments = text(msg, &["arguments"]);
        let (name, number) = (&self.peer.name, self.number);
        Some(self.complete(
            id,
            &format!(r#""content":[],"structuredContent":{{"tool":"{tool}","server":"{name}","connection":{number},"arguments":{arguments}}}"#),
        ))
    }

    async fn ask(&self, id: &Id, msg: &Message) -> Option<Message> {
        const QUESTION: &str =
            r#"{"message":"which?","requestedSchema":{"type":"object","properties":{}}}"#;
        let answer = match self.peer.era {
            Era::Modern => {
                let answer = text(msg, &["inputResponses", "q"]);
                if answer.is_empty() {
                    let state = quote(&format!("state of {}", self.peer.name));
                    let result = format!(
                        r#"{{"resultType":"input_required","inputRequests":{{"q":{{"method":"elicitation/create","params":{QUESTION}}}}},"requestState":{state}}}"#
                    );
                    return Some(Message::result(id, &result));
                }
                answer
            }
            Era::Legacy => {
                let (sender, receiver) = oneshot::channel();
                let question = Id::number(7000 + self.asked.lock().len() as u64);
                self.asked.lock().insert(question.text().to_owned(), sender);
                let request = Message::request(&question, "elicitation/create", Some(QUESTION));
                self.say(request).await;
                let answer = receiver.await.ok()?;
                answer.body().map(|body| body.text().to_owned())?
            }
        };
        let state = text(msg, &["requestState"]);
        let state = if state.is_empty() {
            "null".to_owned()
        } else {
            state
        };
        let told =
            format!(r#""content":[],"structuredContent":{{"answer":{answer},"state":{state}}}"#);
        Some(self.complete(id, &told))
    }

    /// A complete result with these members.
    fn complete(&self, id: &Id, members: &str) -> Message {
        let kind = match self.peer.era {
            Era::Legacy => "",
            Era::Modern => r#""resultType":"complete","#,
        };
        Message::result(id, &format!("{{{kind}{members}}}"))
    }

    async fn say(&self, msg: Message) {
        // A gateway that has closed the connection needs no message.
        let _ = self.tx.send(Inbound::Message(Envelope::new(msg))).await;
    }

    fn live(&self, change: impl Fn(&mut Live)) {
        let mut state = self.peer.state.lock();
        let own = state
            .live
            .iter_mut()
            .find(|live| live.number == self.number);
        own.into_iter().for_each(change);
    }
}

/// The text of a value among the parameters; empty if there is none.
fn text(msg: &Message, path: &[&str]) -> String {
    let value = msg.params().and_then(|params| params.path(path));
    value.map_or_else(String::new, |value| value.text().to_owned())
}

/// The same for a string, without its quotes.
fn string(msg: &Message, path: &[&str]) -> String {
    let value = msg.params().and_then(|params| params.path(path));
    let text = value.and_then(Json::as_str);
    text.map_or_else(String::new, |text| text.into_owned())
}

fn error(id: &Id, code: i64) -> Message {
    let text =
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"refused"}}}}"#);
    Message::parse(text.into()).expect("it is a message")
}
