//! The client of a connection.

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

/// Calls of one connection that run at once. A call keeps its slot until its answer is sent, so a client that
/// does not read holds at most this many results in memory.
const PLACES: usize = 8;
/// How long a large answer waits for budget. The clients that hold the budget may never read.
const PATIENCE: Duration = Duration::from_secs(10);

/// One connection.
pub(super) struct ClientConnection {
    pub(super) tx: mpsc::Sender<Inbound>,
    pub(super) questions: Questions,
    workers: Workers,
    pub(super) places: Arc<Semaphore>,
    /// The client's `capabilities` member, as JSON text.
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

    /// Answers the request `hop`. If the budget for unread answers stays exhausted for [`PATIENCE`], the answer
    /// is an error.
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

    /// Sends a message when the queue has room; `hop` is the request that it relates to, if any.
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

/// Sends notifications and requests to a client at any time. Clones share the connection.
#[derive(Clone)]
pub struct Notifier(pub(super) Arc<ClientConnection>);

impl Notifier {
    /// Sends a notification when the queue has room. `false` if the client is gone.
    pub async fn notify(&self, method: &str, params: Option<&str>) -> bool {
        let note = Message::notification(method, params);
        self.0.send(note, None, Credit::default()).await
    }

    /// Whether the client has declared the capability at this path of member names.
    pub fn client_can(&self, way: &[&str]) -> bool {
        self.0.client_can(way)
    }

    /// Sends a request that relates to no client request. An error response is an answer too; `None` if the
    /// client is gone.
    pub async fn ask(&self, method: &str, params: Option<&str>) -> Option<Message> {
        ask(&self.0, None, None, method, params).await
    }

    /// Resolves when the client is gone.
    pub async fn gone(&self) {
        self.0.tx.closed().await;
    }
}

/// The client that sent a request. Clones refer to the same client.
#[derive(Clone)]
pub struct Caller {
    pub(super) hop: Hop,
    pub(super) client: Arc<ClientConnection>,
}

impl Caller {
    /// Whether the client has declared the capability at this path of member names.
    pub fn client_can(&self, way: &[&str]) -> bool {
        self.client.client_can(way)
    }

    /// Sends a request to the client. An error response is an answer too; `None` if the client is gone.
    pub async fn ask(&self, method: &str, params: Option<&str>) -> Option<Message> {
        self.ask_as(None, method, params).await
    }

    /// As [`Caller::ask`], with `name` as the id of the question unless another open question has it.
    pub async fn ask_as(
        &self,
        name: Option<&str>,
        method: &str,
        params: Option<&str>,
    ) -> Option<Message> {
        ask(&self.client, Some(self.hop), name, method, params).await
    }

    /// Sends a notification about this request if the queue has room now.
    pub fn offer(&self, method: &str, params: &str) -> bool {
        let envelope = Envelope {
            relates_to: Some(self.hop),
            ..Envelope::new(Message::notification(method, Some(params)))
        };
        self.client.tx.try_send(Inbound::Message(envelope)).is_ok()
    }

    /// Sends a notification about this request. `false` if the client is gone.
    pub async fn notify(&self, method: &str, params: &str) -> bool {
        let note = Message::notification(method, Some(params));
        let sent = self.client.send(note, Some(self.hop), Credit::default());
        sent.await
    }
}

/// Sends a request to the client, related to the request `hop` if there is one.
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

/// An open question. Dropping it without an answer cancels it.
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
            // Best effort: if the queue is full, a later answer of the client is dropped.
            let _ = self.client.tx.try_send(Inbound::Message(envelope));
        }
    }
}
