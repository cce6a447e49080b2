//! A hub: many clients on the front of one session.
//!
//! Modern requests do not depend on each other, so different clients may use the same id and the same progress token.
//! On the hub every request has a number of its own, by which its messages are routed.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};
use std::time::Duration;

use linkspan_mcp::era::is_timeout;
use linkspan_mcp::{LOG_LEVEL, SUBSCRIPTION_ID, names};
use linkspan_wire::{Hop, Id, Kind, Message, RpcError};
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::fault::Fault;
use crate::port::{Envelope, Inbound, Outbound, Port, PortEnd};

/// Messages that may be queued for one asker. The last place is reserved for the answer.
const QUEUE: usize = 128;
/// How long a cancelled request counts as one that the server may still log about.
const STOPPING: Duration = Duration::from_secs(10);
/// Cancelled requests that are remembered.
const MAX_CANCELLED: usize = 1024;

/// The principal of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asker(pub u64);

/// The askers' side of a session. Clones share the hub; the session ends with the last clone.
#[derive(Clone)]
pub struct Hub(Arc<Shared>);

struct Shared {
    to_session: mpsc::Sender<Inbound>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    last: Hop,
    calls: HashMap<Hop, Call>,
    /// The askers of cancelled requests, and until when those count; oldest first.
    cancelled: VecDeque<(Asker, Instant)>,
    closed: bool,
}

struct Call {
    asker: Asker,
    /// The asker's own.
    id: Id,
    token: Option<String>,
    wants_logs: bool,
    listens: bool,
    tx: mpsc::Sender<Envelope>,
}

/// The messages for one request: notifications, then the answer. Dropping this cancels the request.
pub struct Asking {
    /// Ends after the answer.
    pub rx: mpsc::Receiver<Envelope>,
    /// Cancels the request when dropped before the answer.
    pub guard: Guard,
}

/// See [`Asking`].
pub struct Guard {
    number: Hop,
    hub: Weak<Shared>,
}

impl Hub {
    /// A hub, and the port that a session needs for its front.
    pub fn new(name: impl Into<String>, capacity: usize) -> (Self, Port) {
        let (port, end) = Port::pair(name, capacity);
        let state = Arc::<Mutex<State>>::default();
        let hub = Self(Arc::new(Shared {
            to_session: end.tx.clone(),
            state: state.clone(),
        }));
        tokio::spawn(pump(end, state));
        (hub, port)
    }

    /// Sends a request of that principal. Its answer has its own id. If this future is dropped before it completes, the
    /// request has not been sent.
    pub async fn ask(&self, request: Envelope, asker: Asker) -> Result<Asking, Fault> {
        // This waits for a server that does not read; the request keeps its credit meanwhile.
        let place = self.0.to_session.reserve().await;
        let place = place.map_err(|_| Fault::Closing)?;
        let (tx, rx) = mpsc::channel(QUEUE);
        let (number, msg) = {
            let mut state = self.0.state.lock();
            if state.closed {
                return Err(Fault::Closing);
            }
            state.last = state.last.next();
            let number = state.last;
            let (call, msg) = Call::new(&request.msg, asker, number, tx);
            state.calls.insert(number, call);
            (number, msg)
        };
        let guard = Guard {
            number,
            hub: Arc::downgrade(&self.0),
        };
        place.send(Inbound::Message(Envelope { msg, ..request }));
        Ok(Asking { rx, guard })
    }

    /// Whether the session has ended.
    pub fn is_closed(&self) -> bool {
        self.0.to_session.is_closed() || self.0.state.lock().closed
    }

    /// Requests that wait for their answer.
    pub fn in_flight(&self) -> usize {
        self.0.state.lock().calls.len()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let Some(hub) = self.hub.upgrade() else {
            return;
        };
        if !hub.state.lock().cancel(self.number) {
            return;
        }
        let params = format!(r#"{{"requestId":{}}}"#, self.number);
        let cancel = Message::notification(names::CANCELLED, Some(&params));
        let cancel = Inbound::Message(Envelope::new(cancel));
        if let Err(mpsc::error::TrySendError::Full(cancel)) = hub.to_session.try_send(cancel) {
            // The queue is full, so a task sends the cancellation.
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                let tx = hub.to_session.clone();
                runtime.spawn(async move {
                    let _ = tx.send(cancel).await;
                });
            }
        }
    }
}

impl Call {
    fn new(
        request: &Message,
        asker: Asker,
        number: Hop,
        tx: mpsc::Sender<Envelope>,
    ) -> (Self, Message) {
        let meta = request.params().and_then(|p| p.get("_meta"));
        let token = meta.and_then(|meta| meta.get("progressToken"));
        let call = Self {
            asker,
            id: request.id().unwrap_or_else(Id::null),
            token: token.map(|token| token.text().to_owned()),
            wants_logs: meta.is_some_and(|meta| meta.get(LOG_LEVEL).is_some()),
            listens: request.method() == names::LISTEN,
            tx,
        };
        let id = number.id();
        let msg = match token {
            Some(token) => request.with_value(token, id.text()),
            None => request.clone(),
        };
        (call, msg.with_id(id))
    }

    /// Queues a notification, unless only the place for the answer is left.
    fn tell(&self, envelope: Envelope) {
        if self.tx.capacity() > 1 {
            let _ = self.tx.try_send(envelope);
        } else {
            tracing::debug!("a client does not read; {:?} is dropped", envelope.msg);
        }
    }
}

/// Delivers the messages of the session.
async fn pump(mut end: PortEnd, state: Arc<Mutex<State>>) {
    // From here on, the clones of the hub keep the front open.
    let to_session = end.tx.downgrade();
    drop(end.tx);
    while let Some(outbound) = end.rx.recv().await {
        let Outbound::One(envelope) = outbound else {
            continue;
        };
        if let Some(reply) = deliver(envelope, &state)
            && let Some(tx) = to_session.upgrade()
        {
            let _ = tx.send(Inbound::Message(Envelope::new(reply))).await;
        }
    }
    let calls = {
        let mut state = state.lock();
        state.closed = true;
        std::mem::take(&mut state.calls)
    };
    for call in calls.into_values() {
        let answer = RpcError::from(&Fault::Closing).answer(&call.id);
        let _ = call.tx.try_send(Envelope::new(answer));
    }
    drop(end.last_word);
    drop(end.done);
}

/// Delivers a message to its asker. Returns a message to send to the session.
fn deliver(envelope: Envelope, state: &Mutex<State>) -> Option<Message> {
    let mut state = state.lock();
    let msg = &envelope.msg;
    match msg.kind() {
        Kind::Result | Kind::Error => {
            let number = msg.hop()?;
            let call = state.calls.remove(&number)?;
            if is_timeout(msg) {
                // The server has only been sent a cancellation.
                state.remember_cancelled(&call);
            }
            // Only the end of a subscription contains its id, so other results are not searched.
            let body = msg.body().filter(|_| call.listens);
            let msg = match body.and_then(|b| b.path(&["_meta", SUBSCRIPTION_ID])) {
                Some(spelled) => msg.with_value(spelled, call.id.text()),
                None => msg.clone(),
            };
            let msg = msg.with_id(call.id.clone());
            let _ = call.tx.try_send(Envelope { msg, ..envelope });
        }
        Kind::Request => {
            let id = msg.id()?;
            return Some(RpcError::method_not_found(&msg.method()).answer(&id));
        }
        Kind::Notification if msg.method() == names::PROGRESS => {
            let token = msg.params()?.get("progressToken")?;
            let call = state.calls.get(&Hop(token.text().parse().ok()?))?;
            let msg = msg.with_value(token, call.token.as_deref()?);
            call.tell(Envelope { msg, ..envelope });
        }
        Kind::Notification if msg.method() == names::CANCELLED => {
            // The server ends a subscription; other cancellations do not exist here.
            let number = envelope.about.as_ref()?.as_hop()?;
            let call = state
                .calls
                .extract_if(|n, call| *n == number && call.listens);
            for (_, call) in call {
                let id = &call.id;
                let end =
                    format!(r#"{{"resultType":"complete","_meta":{{"{SUBSCRIPTION_ID}":{id}}}}}"#);
                let _ = call.tx.try_send(Envelope::new(Message::result(id, &end)));
            }
        }
        Kind::Notification => {
            let call = state.owner(&envelope)?;
            let spelled = msg
                .params()
                .and_then(|p| p.path(&["_meta", SUBSCRIPTION_ID]));
            let msg = match spelled {
                Some(spelled) => msg.with_value(spelled, call.id.text()),
                None => msg.clone(),
            };
            call.tell(Envelope { msg, ..envelope });
        }
    }
    None
}

impl State {
    /// Removes a cancelled request; `false` if it was answered already.
    fn cancel(&mut self, number: Hop) -> bool {
        let Some(call) = self.calls.remove(&number) else {
            return false;
        };
        self.remember_cancelled(&call);
        true
    }

    /// Remembers the asker of a request that was just cancelled at the server.
    fn remember_cancelled(&mut self, call: &Call) {
        let now = Instant::now();
        self.cancelled.retain(|(_, until)| *until > now);
        if self.cancelled.len() >= MAX_CANCELLED {
            self.cancelled.pop_front();
        }
        if !call.listens {
            self.cancelled.push_back((call.asker, now + STOPPING));
        }
    }

    /// The request that a notification belongs to.
    fn owner(&self, envelope: &Envelope) -> Option<&Call> {
        if let Some(about) = &envelope.about {
            return self.calls.get(&about.as_hop()?);
        }
        if envelope.relates_to.is_some() {
            // Its request has ended.
            return None;
        }
        if envelope.msg.method() != names::MESSAGE {
            let only = self.calls.values().next();
            return only.filter(|_| self.calls.len() == 1);
        }
        // Over stdio a log message names no request. It belongs to the only principal with open requests, if there is
        // one; the newest of its requests is the best guess.
        let asker = self.only_asker()?;
        let wanting = self.calls.iter();
        let wanting = wanting.filter(|(_, call)| call.wants_logs && !call.listens);
        let newest = wanting.max_by_key(|(number, _)| **number);
        newest
            .map(|(_, call)| call)
            .filter(|call| call.asker == asker)
    }

    /// The principal of all requests that the server may be working on; `None` if there are several.
    fn only_asker(&self) -> Option<Asker> {
        let now = Instant::now();
        let calls = self.calls.values().filter(|call| !call.listens);
        let cancelled = self.cancelled.iter().filter(|(_, until)| *until > now);
        let mut askers = calls
            .map(|call| call.asker)
            .chain(cancelled.map(|(asker, _)| *asker));
        let first = askers.next()?;
        askers.all(|asker| asker == first).then_some(first)
    }
}
