//! A connection to an agent over a port.
//!
//! One task reads; each request waits for its own answer. Requests of the agent are answered in tasks of
//! their own, because the user may take time to decide.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use linkspan_session::{Envelope, Inbound, Outbound, Port};
use linkspan_wire::{Hop, Id, IdKey, Kind, Message, RpcError, WireError};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::timeout;

use super::{REQUEST_CANCELLED, names};
use crate::error;

/// Requests of an agent that may be pending at once.
const MOST_QUESTIONS: usize = 64;
/// How long a notification or an answer waits for an agent that does not read.
const PATIENCE: Duration = Duration::from_secs(5);
/// The reason of a connection that was closed on our side.
const CLOSED_BY_US: &str = "linkspan closed the connection";
/// Our requests that may wait for an answer.
const MOST_WAITING: usize = 1024;

/// Receives an agent's notifications and requests.
pub trait Editor: Send + Sync + 'static {
    /// Handles a notification. Must not block for long.
    fn heard(&self, note: &Message);

    /// Answers a request; returns the result as JSON text. Dropped when the agent cancels the request.
    fn asked(
        self: Arc<Self>,
        question: Message,
    ) -> impl Future<Output = Result<String, RpcError>> + Send;
}

/// The connection to the agent has ended, with the known reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone(pub String);

/// A connection to an agent, open until it is closed or dropped.
pub struct AgentConnection {
    client: Arc<AgentClient>,
    task: Mutex<Option<JoinHandle<()>>>,
}

/// State shared by the reading task and its callers.
struct AgentClient {
    /// Taken to close: the port closes the connection when the sender is dropped.
    tx: Mutex<Option<mpsc::Sender<Outbound>>>,
    closing: Notify,
    pending: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    last: Hop,
    waiting: HashMap<Hop, oneshot::Sender<Message>>,
    ended: Option<Gone>,
}

impl AgentConnection {
    /// Opens a connection to the agent behind a port.
    pub fn begin<E: Editor>(port: Port, editor: Arc<E>) -> Self {
        let Port { tx, rx, done, .. } = port;
        let client = Arc::new(AgentClient {
            tx: Mutex::new(Some(tx)),
            closing: Notify::new(),
            pending: Mutex::default(),
        });
        let reader = Reader {
            client: client.clone(),
            editor,
            questions: JoinSet::new(),
            open: HashMap::new(),
        };
        let task = tokio::spawn(async move {
            reader.run(rx).await;
            let _ = done.await;
        });
        Self {
            client,
            task: Mutex::new(Some(task)),
        }
    }

    /// Sends a request and waits for its answer, which may be an error.
    pub async fn ask(&self, method: &str, params: &str) -> Result<Message, Gone> {
        let (tell, told) = oneshot::channel();
        let number = {
            let mut pending = self.client.pending.lock();
            if let Some(gone) = &pending.ended {
                return Err(gone.clone());
            }
            if pending.waiting.len() >= MOST_WAITING {
                return Err(Gone("too many requests wait for an answer".to_owned()));
            }
            pending.last = pending.last.next();
            let number = pending.last;
            pending.waiting.insert(number, tell);
            number
        };
        // Dropping this future removes the request.
        let _forget = Forget(&self.client, number);
        let msg = Message::request(&number.id(), method, Some(params));
        if !self.client.send(msg).await {
            return Err(self.gone());
        }
        told.await.map_err(|_| self.gone())
    }

    /// Sends a notification as soon as the agent reads.
    pub fn tell(&self, method: &str, params: &str) {
        let msg = Message::notification(method, Some(params));
        let Some(tx) = self.client.tx.lock().clone() else {
            return;
        };
        if let Err(mpsc::error::TrySendError::Full(msg)) =
            tx.try_send(Outbound::One(Envelope::new(msg)))
        {
            tokio::spawn(async move { timeout(PATIENCE, tx.send(msg)).await });
        }
    }

    /// Whether the connection is open.
    pub fn is_alive(&self) -> bool {
        self.client.pending.lock().ended.is_none()
    }

    /// Why the connection has ended.
    pub fn gone(&self) -> Gone {
        let gone = self.client.pending.lock().ended.clone();
        gone.unwrap_or_else(|| Gone("the connection has ended".to_owned()))
    }

    /// Closes the connection, and waits until the agent has ended.
    pub async fn close(&self) {
        self.client.close();
        let task = self.task.lock().take();
        if let Some(task) = task {
            let _ = task.await;
        }
    }
}

impl Drop for AgentConnection {
    /// Closes the connection.
    fn drop(&mut self) {
        self.client.close();
    }
}

impl AgentClient {
    /// Stops sending and reading.
    fn close(&self) {
        self.tx.lock().take();
        self.closing.notify_one();
    }

    /// Sends a message once there is room; `false` if the connection has ended.
    async fn send(&self, msg: Message) -> bool {
        let tx = self.tx.lock().clone();
        match tx {
            Some(tx) => tx.send(Outbound::One(Envelope::new(msg))).await.is_ok(),
            None => false,
        }
    }
}

/// Removes a pending request when its future is dropped.
struct Forget<'a>(&'a AgentClient, Hop);

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.0.pending.lock().waiting.remove(&self.1);
    }
}

struct Reader<E> {
    client: Arc<AgentClient>,
    editor: Arc<E>,
    questions: JoinSet<IdKey>,
    /// The pending requests of the agent.
    open: HashMap<IdKey, AbortHandle>,
}

impl<E: Editor> Reader<E> {
    async fn run(mut self, mut rx: mpsc::Receiver<Inbound>) {
        let why = loop {
            tokio::select! {
                inbound = rx.recv() => match inbound {
                    Some(Inbound::Closed(why)) => break why.to_string(),
                    None => break "the connection has ended".to_owned(),
                    Some(inbound) => {
                        let answers = self.take(inbound);
                        let answering = async {
                            for answer in answers {
                                self.client.send(answer).await;
                            }
                        };
                        // Bounds an agent that sends many requests: it is not read until it has read their
                        // answers.
                        tokio::select! {
                            biased;
                            _ = timeout(PATIENCE, answering) => {}
                            () = self.client.closing.notified() => break CLOSED_BY_US.to_owned(),
                        }
                    }
                },
                () = self.client.closing.notified() => break CLOSED_BY_US.to_owned(),
                Some(ended) = self.questions.join_next() => {
                    if let Ok(key) = ended {
                        self.open.remove(&key);
                    }
                }
            }
        };
        let mut pending = self.client.pending.lock();
        pending.ended = Some(Gone(why));
        // Dropping the senders fails the pending requests.
        pending.waiting.clear();
        drop(pending);
        self.client.tx.lock().take();
    }

    /// Handles an event; returns the immediate answers.
    fn take(&mut self, inbound: Inbound) -> Vec<Message> {
        match inbound {
            Inbound::Message(envelope) => self.message(envelope.msg).into_iter().collect(),
            Inbound::Bad(why) => self.bad(&why).into_iter().collect(),
            // Agents send no batches, but a batch may contain the answer to a pending request.
            Inbound::Batch(entries) => {
                let take = |entry| match entry {
                    Ok(msg) => self.message(msg),
                    Err(why) => self.bad(&why),
                };
                entries.into_iter().filter_map(take).collect()
            }
            Inbound::Failed { .. } | Inbound::Lost { .. } | Inbound::Closed(_) => Vec::new(),
        }
    }

    /// An invalid message can still be answered if its id is readable, and may be an answer itself.
    fn bad(&self, why: &WireError) -> Option<Message> {
        tracing::warn!("the agent sent an invalid message: {why}");
        if let Some(number) = why.answered_hop() {
            self.answered(number, why.to_rpc().answer(&number.id()));
        }
        Some(why.to_rpc().answer(&why.asked()?))
    }

    fn message(&mut self, msg: Message) -> Option<Message> {
        match msg.kind() {
            Kind::Result | Kind::Error => {
                if let Some(number) = msg.hop() {
                    self.answered(number, msg);
                }
            }
            Kind::Notification if msg.method() == names::CANCEL_REQUEST => {
                let id = msg.params().and_then(|p| Id::parse(p.get("requestId")?));
                if let Some(task) = id.as_ref().and_then(|id| self.open.remove(&id.key())) {
                    task.abort();
                    let error = RpcError::new(REQUEST_CANCELLED, "Request cancelled");
                    return id.map(|id| error.answer(&id));
                }
            }
            Kind::Notification => self.editor.heard(&msg),
            Kind::Request => return self.question(msg),
        }
        None
    }

    fn answered(&self, number: Hop, msg: Message) {
        let waiting = self.client.pending.lock().waiting.remove(&number);
        if let Some(waiting) = waiting {
            let _ = waiting.send(msg);
        }
    }

    fn question(&mut self, msg: Message) -> Option<Message> {
        let id = msg.id()?;
        if self.open.len() >= MOST_QUESTIONS {
            return Some(error::overloaded("questions of the agent").answer(&id));
        }
        let (client, editor, key) = (self.client.clone(), self.editor.clone(), id.key());
        let task = self.questions.spawn(async move {
            let key = id.key();
            let answer = match editor.asked(msg).await {
                Ok(result) => Message::result(&id, &result),
                Err(error) => error.answer(&id),
            };
            client.send(answer).await;
            key
        });
        self.open.insert(key, task);
        None
    }
}

#[cfg(test)]
mod tests;
