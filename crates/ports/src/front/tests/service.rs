//! A service whose servers do what the method names.

use std::sync::atomic::{AtomicUsize, Ordering};

use linkspan_session::{Envelope, Fault, Inbound, Outbound, Port};
use linkspan_wire::{Id, Message, RpcError};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc};

use super::super::{Answering, FrontService, Principal};

#[derive(Default)]
pub(super) struct Play {
    pub(super) admitted: AtomicUsize,
    /// The methods of modern requests.
    pub(super) asked: Mutex<Vec<String>>,
    /// Notified when a modern request is cancelled or done.
    pub(super) dropped: std::sync::Arc<Notify>,
    /// Sessions that the front has closed.
    pub(super) closed: std::sync::Arc<Notify>,
    /// Lets "slow" go on.
    pub(super) go: std::sync::Arc<Notify>,
}

impl FrontService for Play {
    fn admit(&self, front: Port, _: &Principal) {
        self.admitted.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(serve(front, self.go.clone(), self.closed.clone()));
    }

    async fn ask(&self, call: Envelope, _: &Principal) -> Result<Answering, Fault> {
        let method = call.msg.method().into_owned();
        self.asked.lock().push(method.clone());
        let (tx, rx) = mpsc::channel(8);
        let id = call.msg.id().unwrap();
        let go = self.go.clone();
        tokio::spawn(async move {
            let answer = match &*method {
                "notify" => {
                    let note = Message::notification("notifications/x", None);
                    let _ = tx.send(Envelope::new(note)).await;
                    Message::result(&id, "{}")
                }
                "subscriptions/listen" => {
                    let note = Message::notification("notifications/x", None);
                    let _ = tx.send(Envelope::new(note)).await;
                    return tx.closed().await;
                }
                "slow" => {
                    go.notified().await;
                    drop(call);
                    Message::result(&id, "{}")
                }
                "tools/list" => Message::result(&id, TOOLS),
                "tools/call" => Message::result(&id, "{}"),
                "capability" => RpcError::new(-32021, "no").answer(&id),
                "params" => RpcError::invalid_params("no").answer(&id),
                "vanish" => return,
                other => RpcError::method_not_found(other).answer(&id),
            };
            let _ = tx.send(Envelope::new(answer)).await;
        });
        Ok(Answering::new(rx, Tells(self.dropped.clone())))
    }
}

const TOOLS: &str = r#"{"tools":[{"name":"q","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]}"#;

struct Tells(std::sync::Arc<Notify>);

impl Drop for Tells {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

async fn serve(mut port: Port, go: std::sync::Arc<Notify>, closed: std::sync::Arc<Notify>) {
    let tx = port.tx.clone();
    let say = async |msg: Message| tx.send(Outbound::One(Envelope::new(msg))).await.is_ok();
    let mut waits: Option<Id> = None;
    while let Some(inbound) = port.rx.recv().await {
        let msg = match inbound {
            Inbound::Message(envelope) => envelope.msg,
            Inbound::Batch(entries) => {
                let ids = entries.into_iter().flatten().filter_map(|m| m.id());
                let answers: Vec<_> = ids.map(|id| Message::result(&id, "{}").text()).collect();
                let array = format!("[{}]", answers.join(","));
                let _ = tx.send(Outbound::Array(array.into())).await;
                continue;
            }
            _ => break,
        };
        let (method, id) = (msg.method().into_owned(), msg.id());
        if msg.is_answer() {
            if let Some(id) = waits.take() {
                say(Message::result(&id, msg.body().unwrap().text())).await;
            }
            continue;
        }
        if method == "notifications/change" {
            say(Message::notification(
                "notifications/tools/list_changed",
                None,
            ))
            .await;
        }
        if method == "notifications/stop_reading" {
            go.notified().await;
        }
        let Some(id) = id else { continue };
        match &*method {
            "initialize" => match msg.params().and_then(|p| p.get("protocolVersion")) {
                Some(version) => {
                    let result = format!(r#"{{"protocolVersion":{}}}"#, version.text());
                    say(Message::result(&id, &result)).await;
                }
                None => {
                    say(RpcError::invalid_params("no version").answer(&id)).await;
                }
            },
            "progress" => {
                let token = msg
                    .params()
                    .unwrap()
                    .path(&["_meta", "progressToken"])
                    .unwrap();
                let params = format!(r#"{{"progressToken":{},"progress":1}}"#, token.text());
                say(Message::notification(
                    "notifications/progress",
                    Some(&params),
                ))
                .await;
                say(Message::result(&id, "{}")).await;
            }
            "ask" => {
                say(Message::request(
                    &Id::number(900),
                    "elicitation/create",
                    Some("{}"),
                ))
                .await;
                waits = Some(id);
            }
            "slow" => {
                let (tx, go) = (tx.clone(), go.clone());
                tokio::spawn(async move {
                    go.notified().await;
                    let answer = Message::result(&id, r#"{"slow":true}"#);
                    let _ = tx.send(Outbound::One(Envelope::new(answer))).await;
                });
            }
            "flood_standing" => {
                let params = format!(r#"{{"uri":"{}"}}"#, "x".repeat(8000));
                for _ in 0..4000 {
                    let news = "notifications/resources/updated";
                    if !say(Message::notification(news, Some(&params))).await {
                        break;
                    }
                }
                say(Message::result(&id, "{}")).await;
            }
            "flood" => {
                let params = format!(r#"{{"text":"{}"}}"#, "x".repeat(8000));
                for _ in 0..2000 {
                    if !say(Message::notification(
                        "notifications/message",
                        Some(&params),
                    ))
                    .await
                    {
                        break;
                    }
                }
                say(Message::result(&id, "{}")).await;
            }
            "die" => return,
            _ => {
                say(Message::result(
                    &id,
                    msg.params().map_or("{}", |p| p.text()),
                ))
                .await;
            }
        }
    }
    closed.notify_one();
}
