//! The loop of a local server: receives requests and answers each in a task of its own.
//!
//! The loop never waits for room in the queue to the session; only the tasks do. The session limits the number
//! of requests in flight, and with that the number of tasks.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use linkspan_mcp::{Era, Revision, names};
use linkspan_session::{Credit, Envelope, Fault, Inbound, Outbound, PortEnd};
use linkspan_wire::{Hop, Id, Kind, Message, RpcError};
use tokio::task::{self, AbortHandle, JoinError, JoinSet};

use super::call::Call;
use super::caller::{ClientConnection, Notifier};
use super::workers::Workers;
use super::{Handler, Params};

pub(super) async fn run<H: Handler>(handler: Arc<H>, workers: Workers, end: PortEnd) {
    let PortEnd {
        tx,
        mut rx,
        last_word,
        done,
    } = end;
    let client = Arc::new(ClientConnection::new(tx, workers));
    handler.opened(Notifier(client.clone()));
    let mut dispatcher = Dispatcher {
        handler,
        client,
        tasks: JoinSet::new(),
        running: HashMap::new(),
        hops: HashMap::new(),
    };
    loop {
        tokio::select! {
            outbound = rx.recv() => match outbound {
                None => break,
                Some(Outbound::One(envelope)) => dispatcher.take(envelope),
                // A batch of answers; only clients send those.
                Some(Outbound::Array(_)) => {}
            },
            Some(ended) = dispatcher.tasks.join_next_with_id() => dispatcher.ended(ended),
        }
    }
    drop(dispatcher);
    drop((last_word, done));
}

struct Dispatcher<H> {
    handler: Arc<H>,
    client: Arc<ClientConnection>,
    tasks: JoinSet<()>,
    /// Requests that are being answered.
    running: HashMap<Hop, Running>,
    hops: HashMap<task::Id, Hop>,
}

/// Dropping it cancels the call: the task is aborted at once, and blocking jobs stop at their next check of the
/// flag.
struct Running {
    task: AbortHandle,
    stop: Arc<AtomicBool>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.task.abort();
    }
}

impl<H: Handler> Dispatcher<H> {
    fn take(&mut self, envelope: Envelope) {
        let Envelope { msg, credit, .. } = envelope;
        match msg.kind() {
            Kind::Request => self.request(msg, credit),
            Kind::Notification if msg.method() == names::CANCELLED => {
                let hop = msg.params().and_then(|p| Id::parse(p.get("requestId")?));
                if let Some(hop) = hop.and_then(|id| id.as_hop()) {
                    self.running.remove(&hop);
                }
            }
            Kind::Notification => self.handler.on_notification(&msg),
            Kind::Result | Kind::Error => self.client.questions.answered(msg),
        }
    }

    fn request(&mut self, msg: Message, credit: Credit) {
        let Some(hop) = msg.hop() else {
            // The session numbers all requests that it sends.
            return;
        };
        if msg.method() == names::INITIALIZE
            && let Some(capabilities) = msg.params().and_then(|p| p.get("capabilities"))
        {
            // Before the answer, because later requests need the capabilities.
            self.client.learn(capabilities);
        }
        let stop = Arc::new(AtomicBool::new(false));
        let call = Call::new(hop, self.client.clone(), stop.clone());
        let task = self
            .tasks
            .spawn(serve(self.handler.clone(), msg, credit, call));
        self.hops.insert(task.id(), hop);
        self.running.insert(hop, Running { task, stop });
    }

    fn ended(&mut self, ended: Result<(task::Id, ()), JoinError>) {
        let id = match &ended {
            Ok((id, ())) => *id,
            Err(e) => e.id(),
        };
        let Some(hop) = self.hops.remove(&id) else {
            return;
        };
        self.running.remove(&hop);
        if ended.is_err_and(|e| e.is_panic()) {
            // After a panic, the request fails with a fault.
            let tx = self.client.tx.clone();
            self.tasks.spawn(async move {
                let why = Fault::AnswerLost {
                    peer: "the server".to_owned(),
                    why: "internal error; see the log".to_owned(),
                };
                let _ = tx.send(Inbound::Failed { hop, why }).await;
            });
        }
    }
}

/// One request.
async fn serve<H: Handler>(handler: Arc<H>, msg: Message, credit: Credit, mut call: Call) {
    let answer = answer(&*handler, &msg, &mut call).await;
    // Frees the memory of a large request before its answer waits to be read.
    drop((msg, credit));
    let id = call.hop.id();
    let answer = match answer {
        Ok(result) => Message::result(&id, &result),
        Err(error) => error.answer(&id),
    };
    call.client.answer(answer, &id, call.hop).await;
}

async fn answer<H: Handler>(
    handler: &H,
    msg: &Message,
    call: &mut Call,
) -> Result<String, RpcError> {
    let params = Params::new(msg.params())?;
    match &*msg.method() {
        names::INITIALIZE => {
            let asked = params.text("protocolVersion")?;
            handler.initialize(agreed(&asked), &asked)
        }
        names::PING => Ok("{}".to_owned()),
        method => handler.answer(method, params, call).await,
    }
}

/// The requested revision if it has a handshake, else the last revision that has one.
fn agreed(asked: &str) -> Revision {
    Revision::parse(asked)
        .filter(|revision| revision.era() == Era::Legacy)
        .unwrap_or(Revision::LAST_LEGACY)
}
