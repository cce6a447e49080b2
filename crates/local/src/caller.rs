//! The client at the other end of a connection.

use std::sync::Arc;
use std::time::Duration;

use linkspan_mcp::names;
use linkspan_session::{Credit, Envelope, Inbound};
use linkspan_wire::{Hop, Id, Json, Message, RpcError};
use parking_lot::Mutex;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout;

use super::is_declared;
use super::questions::Questions;
use super::workers::Workers;

/// Calls of one connection that work at once. Each keeps its place until its answer is on its way, so
/// that a client that does not read has no more than this many results waiting in our memory.
const PLACES: usize = 8;
/// How long a large answer waits for others to be read. They may be of clients that never read.
const PATIENCE: Duration = Duration::from_secs(10);

/// One connection.
pub(super) struct ClientConnection {
    pub(super) tx: mpsc::Sender<Inbound>,
    pub(super) questions: Questions,
    workers: Workers,
    pub(super) places: Arc<Semaphore>,
    /// What the client can do, as it spelled it.
    capabilities: Mutex<String>,
}

impl ClientConnection {
    pub(super) fn new(tx: mpsc::Sender<Inbound>, workers: Workers) -> Self {
        Self {
            tx,
            questions: Questions::default(),
            workers,
            places: Arc::new(Semaphore::new(PLACES)),
            capabilities: Mutex::new("{}".to_owned()),
        }
    }

    pub(super) fn learn(&self, capabilities: Json<'_>) {
        let mut known = self.lock();
        capabilities.text().clone_into(&mut known);
    }

    fn client_can(&self, way: &[&str]) -> bool {
        let known = self.lock();
        let declared = Json::parse(&known).ok().and_then(|caps| caps.path(way));
        declared.is_some_and(is_declared)
    }

    /// Answers the request `hop`. If too much waits to be read for too long, it is told that instead.
    pub(super) async fn answer(&self, answer: Message, id: &Id, hop: Hop) {
        match timeout(PATIENCE, self.workers.budget.take(answer.len())).await {
            Ok(credit) => self.send(answer, Some(hop), credit).await,
            Err(_) => {
                drop(answer);
                let why = "too many large answers wait to be read: read them, or try again later";
                let answer = RpcError::server(why).answer(id);
                self.send(answer, Some(hop), Credit::default()).await
            }
        };
    }

    /// Sends what belongs to a request, or to none, when there is room for it.
    async fn send(&self, msg: Message, hop: Option<Hop>, credit: Credit) -> bool {
        let envelope = Envelope {
            relates_to: hop,
            credit,
            ..Envelope::new(msg)
        };
        self.tx.send(Inbound::Message(envelope)).await.is_ok()
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, String> {
        self.capabilities.lock()
    }
}

/// Speaks to a client without being asked. Clones speak to the same one.
#[derive(Clone)]
pub struct Notifier(pub(super) Arc<ClientConnection>);

impl Notifier {
    /// Tells the client something, when there is room for it. `false` if it has gone.
    pub async fn notify(&self, method: &str, params: Option<&str>) -> bool {
        let note = Message::notification(method, params);
        self.0.send(note, None, Credit::default()).await
    }

    /// Whether the client has declared a capability; given as the way to it.
    pub fn client_can(&self, way: &[&str]) -> bool {
        self.0.client_can(way)
    }

    /// Asks the client something that belongs to no request. An error is an answer too; `None` if it
    /// has gone.
    pub async fn ask(&self, method: &str, params: Option<&str>) -> Option<Message> {
        ask(&self.0, None, None, method, params).await
    }

    /// Resolves when the client has gone.
    pub async fn gone(&self) {
        self.0.tx.closed().await;
    }
}

/// The client that has made a request. Clones stand for the same client.
#[derive(Clone)]
pub struct Caller {
    pub(super) hop: Hop,
    pub(super) client: Arc<ClientConnection>,
}

impl Caller {
    /// Whether the client has declared a capability; given as the way to it.
    pub fn client_can(&self, way: &[&str]) -> bool {
        self.client.client_can(way)
    }

    /// Asks the client something. An error is an answer too; `None` if it has gone.
    pub async fn ask(&self, method: &str, params: Option<&str>) -> Option<Message> {
        self.ask_as(None, method, params).await
    }

    /// The same, under a name if no other question has it.
    pub async fn ask_as(
        &self,
        name: Option<&str>,
        method: &str,
        params: Option<&str>,
    ) -> Option<Message> {
        ask(&self.client, Some(self.hop), name, method, params).await
    }

    /// Tells the client something about its request, if there is room for it just now.
    pub fn offer(&self, method: &str, params: &str) -> bool {
        let envelope = Envelope {
            relates_to: Some(self.hop),
            ..Envelope::new(Message::notification(method, Some(params)))
        };
        self.client.tx.try_send(Inbound::Message(envelope)).is_ok()
    }

    /// Tells the client something about its request. `false` if it has gone.
    pub async fn notify(&self, method: &str, params: &str) -> bool {
        let note = Message::notification(method, Some(params));
        let sent = self.client.send(note, Some(self.hop), Credit::default());
        sent.await
    }
}

/// Asks the client something, for the sake of the request `hop` if there is one.
async fn ask(
    client: &ClientConnection,
    hop: Option<Hop>,
    name: Option<&str>,
    method: &str,
    params: Option<&str>,
) -> Option<Message> {
    let (id, told) = client.questions.open(name);
    let question = Message::request(&id, method, params);
    // Dropping this future cancels the question.
    let _open = Question { client, id, hop };
    let sent = client.send(question, hop, Credit::default());
    if !sent.await {
        return None;
    }
    told.await.ok()
}

/// A question that has been asked.
struct Question<'a> {
    client: &'a ClientConnection,
    id: Id,
    hop: Option<Hop>,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        if self.client.questions.forget(&self.id) {
            let params = format!(r#"{{"requestId":{}}}"#, self.id.text());
            let envelope = Envelope {
                relates_to: self.hop,
                ..Envelope::new(Message::notification(names::CANCELLED, Some(&params)))
            };
            // Best effort: without room for it the client's answer is dropped.
            let _ = self.client.tx.try_send(Inbound::Message(envelope));
        }
    }
}
