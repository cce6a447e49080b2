//! A request that a local server is working on, and the line to the client who made it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use linkspan_mcp::names;
use linkspan_session::{Credit, Envelope, Inbound};
use linkspan_wire::{Id, Json, Kind, Message, RpcError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;

use super::questions::Questions;
use super::workers::{Broken, Workers};

/// Calls of one connection that work at once. Each keeps its place until its answer is on its way, so
/// that a client that does not read has no more than this many results waiting in our memory.
const PLACES: usize = 8;
/// How long a large answer waits for others to be read. They may be of clients that never read.
const PATIENCE: Duration = Duration::from_secs(10);

/// One connection.
pub(super) struct Line {
    pub(super) tx: mpsc::Sender<Inbound>,
    pub(super) questions: Questions,
    workers: Workers,
    places: Arc<Semaphore>,
    /// What the client can do, as it spelled it.
    capabilities: Mutex<String>,
}

impl Line {
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

    /// Answers the request `hop`. If too much waits to be read for too long, it is told that instead.
    pub(super) async fn answer(&self, answer: Message, id: &Id, hop: u64) {
        match timeout(PATIENCE, self.workers.budget.take(answer.len())).await {
            Ok(credit) => self.send(answer, hop, credit).await,
            Err(_) => {
                drop(answer);
                let why = "too many large answers wait to be read: read them, or try again later";
                let answer = RpcError::server(why).answer(id);
                self.send(answer, hop, Credit::default()).await
            }
        };
    }

    /// Sends what belongs to the request `hop`, when there is room for it.
    async fn send(&self, msg: Message, hop: u64, credit: Credit) -> bool {
        let envelope = Envelope {
            relates_to: Some(hop),
            credit,
            ..Envelope::new(msg)
        };
        self.tx.send(Inbound::Message(envelope)).await.is_ok()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, String> {
        self.capabilities
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request under way.
pub(crate) struct Call {
    pub(super) hop: u64,
    pub(super) line: Arc<Line>,
    stop: Arc<AtomicBool>,
    /// One of the connection's, and one of all.
    place: Option<[OwnedSemaphorePermit; 2]>,
}

impl Call {
    pub(super) fn new(hop: u64, line: Arc<Line>, stop: Arc<AtomicBool>) -> Self {
        Self {
            hop,
            line,
            stop,
            place: None,
        }
    }

    /// Whether the client has declared a capability; given as the way to it.
    pub(crate) fn client_can(&self, way: &[&str]) -> bool {
        let known = self.line.lock();
        let declared = Json::parse(&known).ok().and_then(|caps| caps.path(way));
        declared.is_some_and(|value| !matches!(value.text(), "false" | "null"))
    }

    /// Asks the client something. `None` if it refuses, or has gone.
    pub(crate) async fn ask(&mut self, method: &str) -> Option<Message> {
        // It may think for long, and others of its calls could work meanwhile.
        self.place = None;
        let (number, told) = self.line.questions.open();
        // Whoever drops us on the way takes the question back.
        let _open = Question {
            line: &self.line,
            number,
            hop: self.hop,
        };
        let question = Message::request(&Id::number(number), method, None);
        if !self.line.send(question, self.hop, Credit::default()).await {
            return None;
        }
        let answer = told.await.ok()?;
        (answer.kind() == Kind::Result).then_some(answer)
    }

    /// Does what blocks, on another thread, when there is one for it.
    ///
    /// The job must look at its [`Stop`] now and then: nothing else can end it.
    pub(crate) async fn work<T: Send + 'static>(
        &mut self,
        workers: &Workers,
        until: Option<Instant>,
        job: impl FnOnce(&Stop) -> T + Send + 'static,
    ) -> Result<T, Broken> {
        if self.place.is_none() {
            // In this order: who has many calls waits for itself first.
            let ours = self.line.places.clone().acquire_owned().await;
            let common = workers.places.clone().acquire_owned().await;
            self.place = ours.ok().zip(common.ok()).map(|(a, b)| [a, b]);
        }
        let stop = Stop {
            told: self.stop.clone(),
            until,
        };
        workers.run(move || job(&stop)).await
    }
}

/// Tells a job when it has to end.
pub(crate) struct Stop {
    told: Arc<AtomicBool>,
    until: Option<Instant>,
}

impl Stop {
    /// Whether nobody waits for the job any more.
    pub(crate) fn is_due(&self) -> bool {
        let late = self.until.is_some_and(|until| Instant::now() >= until);
        late || self.told.load(Ordering::Relaxed)
    }
}

/// A question that has been asked.
struct Question<'a> {
    line: &'a Line,
    number: u64,
    hop: u64,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        if self.line.questions.forget(self.number) {
            let params = format!(r#"{{"requestId":{}}}"#, self.number);
            let envelope = Envelope {
                relates_to: Some(self.hop),
                ..Envelope::new(Message::notification(names::CANCELLED, Some(&params)))
            };
            // A courtesy: without room for it the client answers what nobody reads.
            let _ = self.line.tx.try_send(Inbound::Message(envelope));
        }
    }
}
