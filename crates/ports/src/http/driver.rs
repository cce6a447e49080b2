//! The task that owns the connection to a remote server.
//!
//! It sends nothing itself: each exchange is a job, and the driver decides when to start it.
//!
//! * `initialize` and `initialized` are barriers: later messages wait for them, because they need the new session.
//! * Requests run concurrently. Notifications are sent in order.
//! * If the server has forgotten the session, it is opened again, once, with the client's own messages.

mod notes;
mod open;
mod posting;
mod reports;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use http::Method;
use linkspan_mcp::{Era, ParamHeaders, era_of};
use linkspan_session::{Credit, Envelope, Fault, Inbound, Outbound, PortEnd};
use linkspan_wire::{Hop, Message};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, Id as TaskId, JoinSet};
use tokio::time::{Duration, Instant, timeout};
use url::Url;

use self::notes::cancelled_hop;
use super::body::{Sent, Telling};
use super::endpoint::Endpoint;
use super::job::{self, Begun, Delivery, Refusal, Report, Role};
use super::options::Transport;
use super::request::{self, SessionContext};
use super::sending::send;
use crate::owed::Shared;
use crate::session_replay::SessionReplay;

/// Messages that may wait behind a barrier, and in the lane of notifications.
const MAX_WAITING: usize = 64;
/// Jobs at once; the session bounds requests long before.
const MAX_JOBS: usize = 10_000;
/// How long cancellations, and then the DELETE of the session, may take at the end.
const CLOSING: Duration = Duration::from_secs(1);

pub(super) struct Driver {
    endpoint: Endpoint,
    tx: mpsc::Sender<Inbound>,
    rx: mpsc::Receiver<Outbound>,
    done: oneshot::Sender<()>,

    url: Url,
    mode: Mode,
    context: SessionContext,
    /// Counts sessions, so that a job of an old one is recognised.
    generation: u64,
    replay: SessionReplay,
    /// The era of the last request; messages without an era belong to the same.
    era: Era,
    params: ParamHeaders,

    jobs: JoinSet<Report>,
    calls: HashMap<Hop, Call>,
    hops: HashMap<TaskId, Hop>,
    listening: Option<AbortHandle>,
    barrier: Barrier,
    last_serial: u64,
    /// The session and URL of a first call or `initialize`, as soon as its response begins.
    accepted: (mpsc::Sender<Begun>, mpsc::Receiver<Begun>),
    held: VecDeque<Envelope>,
    /// An `initialized` that the server has not taken, for want of a sign-in.
    unheard: Option<Delivery>,
    notes: VecDeque<Delivery>,
    /// Notifications that are being sent: one, unless the server is too slow.
    notes_out: usize,
    /// Messages that wait for a new session or stream, and how they were refused.
    parked: Vec<(Delivery, Option<Refusal>)>,
    sse_backoff: u32,
    sse_since: Instant,
    /// The newest request that was sent over HTTP+SSE.
    last_sse_hop: Hop,
    /// The answers owed on the open HTTP+SSE stream.
    sse_owed: Shared,
    /// Counts these streams.
    sse_stream: u64,
}

/// The transport of the server, as far as it is known.
enum Mode {
    Unknown,
    Streamable,
    /// HTTP+SSE, with the URL to POST to while the stream is open.
    Sse(Option<Url>),
}

/// Whether messages have to wait, and why.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Barrier {
    Open,
    /// For the message of this serial number.
    Message(u64),
    /// For a new session or stream.
    Renewal,
}

/// A request that has been sent.
struct Call {
    abort: AbortHandle,
    serial: u64,
    era: Era,
    sent: Sent,
    /// The message, where it can be sent again on another stream.
    delivery: Option<Delivery>,
}

impl Driver {
    pub(super) fn new(endpoint: Endpoint, end: PortEnd) -> Self {
        let mode = match endpoint.options.transport {
            Transport::Auto => Mode::Unknown,
            Transport::Http => Mode::Streamable,
            Transport::Sse => Mode::Sse(None),
        };
        Self {
            url: endpoint.options.url.clone(),
            endpoint,
            tx: end.tx,
            rx: end.rx,
            done: end.done,
            mode,
            context: SessionContext::default(),
            generation: 0,
            replay: SessionReplay::default(),
            era: Era::Legacy,
            params: ParamHeaders::default(),
            jobs: JoinSet::new(),
            calls: HashMap::new(),
            hops: HashMap::new(),
            listening: None,
            barrier: Barrier::Open,
            last_serial: 0,
            accepted: mpsc::channel(16),
            held: VecDeque::new(),
            unheard: None,
            notes: VecDeque::new(),
            notes_out: 0,
            parked: Vec::new(),
            sse_backoff: 0,
            sse_since: Instant::now(),
            last_sse_hop: Hop(0),
            sse_owed: Shared::default(),
            sse_stream: 0,
        }
    }

    pub(super) async fn run(mut self) {
        let closed = self.tx.clone();
        loop {
            let room = self.held.len() < MAX_WAITING && self.jobs.len() < MAX_JOBS;
            tokio::select! {
                Some(ended) = self.jobs.join_next_with_id(), if !self.jobs.is_empty() => match ended {
                    Ok((task, report)) => {
                        self.forget(task);
                        self.on_report(task, report);
                    }
                    Err(broken) => self.on_broken(broken.id(), broken.is_panic()),
                },
                Some(begun) = self.accepted.1.recv() => self.on_accepted(begun),
                outbound = self.rx.recv(), if room => match outbound {
                    Some(Outbound::One(envelope)) => self.take(envelope),
                    Some(Outbound::Array(_)) => {
                        tracing::debug!("a batch of answers cannot be sent to a server");
                    }
                    None => break,
                },
                // While the queue is full, this is the only sign that the session has ended.
                () = closed.closed(), if !room => break,
            }
        }
        while let Ok(Outbound::One(envelope)) = self.rx.try_recv() {
            self.take(envelope);
        }
        self.close().await;
    }

    /// Sends a message now, or after the message that it depends on.
    fn take(&mut self, envelope: Envelope) {
        if self.barrier == Barrier::Open && self.unheard.is_some() {
            match (Role::of(&envelope.msg), self.unheard.take()) {
                (Role::Call | Role::Note, Some(initialized)) => self.start(initialized),
                (Role::Reply, initialized) => self.unheard = initialized,
                // The client begins anew.
                _ => {}
            }
        }
        let wait = match self.barrier {
            Barrier::Open => false,
            // The server may send a request during the handshake that all requests wait for.
            Barrier::Message(_) => Role::of(&envelope.msg) != Role::Reply,
            Barrier::Renewal => true,
        };
        if !wait {
            return self.send(envelope);
        }
        if let Some(envelope) = self.cancel_held(envelope) {
            self.held.push_back(envelope);
        }
    }

    /// Sends a message, or first opens the session or stream that it needs.
    fn send(&mut self, envelope: Envelope) {
        let hop = cancelled_hop(&envelope);
        let (msg, credit) = (envelope.msg, Arc::new(envelope.credit));
        if let Some(hop) = hop {
            return self.cancel(hop, Delivery::of(msg, self.era, credit));
        }
        if Role::of(&msg) == Role::Initialize {
            self.begin();
        }
        // An initialized client is a legacy one, even if a single request claims the modern era.
        let claimed = era_of(&msg);
        if claimed == Era::Modern && self.replay.initialize.is_none() {
            self.era = Era::Modern;
        }
        let era = match claimed {
            Era::Modern => Era::Modern,
            Era::Legacy => self.era,
        };
        if era == Era::Legacy {
            self.replay.note(&msg);
        }
        self.dispatch(Delivery::of(msg, era, credit));
    }

    /// The client shakes hands, perhaps not for the first time.
    fn begin(&mut self) {
        self.era = Era::Legacy;
        self.generation += 1;
        let before = std::mem::take(&mut self.context);
        if before.session.is_some() {
            let (endpoint, url) = (self.endpoint.clone(), self.url.clone());
            self.jobs.spawn(async move {
                delete_session(&endpoint, &url, &before).await;
                Report::Aside
            });
        }
        // Over HTTP+SSE the answer arrives on that stream.
        if !matches!(self.mode, Mode::Sse(_))
            && let Some(old) = self.listening.take()
        {
            old.abort();
        }
    }

    /// Starts the job for a message over the current transport.
    fn dispatch(&mut self, delivery: Delivery) {
        if delivery.role == Role::Note {
            return self.queue_note(delivery);
        }
        self.start(delivery);
    }

    fn start(&mut self, mut delivery: Delivery) {
        self.last_serial += 1;
        delivery.serial = self.last_serial;
        delivery.generation = self.generation;
        delivery.stream = self.sse_stream;
        match &self.mode {
            Mode::Sse(None) => {
                if delivery.role == Role::Note {
                    // It waits elsewhere now, and must not hold up its own lane.
                    self.notes_out = self.notes_out.saturating_sub(1);
                }
                self.open_sse(delivery, None);
            }
            Mode::Sse(Some(post_to)) => {
                let post_to = post_to.clone();
                self.post_sse(delivery, post_to);
            }
            Mode::Unknown | Mode::Streamable => self.post(delivery),
        }
    }

    /// Lifts the barrier and sends the messages that it held.
    fn lift(&mut self) {
        self.barrier = Barrier::Open;
        while self.barrier == Barrier::Open {
            match self.held.pop_front() {
                Some(envelope) => self.send(envelope),
                None => return,
            }
        }
    }

    fn fail(&mut self, delivery: Delivery, why: Fault) {
        let tx = self.tx.clone();
        self.jobs.spawn(async move {
            job::fail(&tx, &delivery, why).await;
            Report::Aside
        });
    }

    /// Ends all calls, waits for cancellations to be sent, and deletes the session.
    async fn close(mut self) {
        for call in self.calls.values() {
            call.abort.abort();
        }
        let notes = async {
            while self.notes_out > 0 {
                match self.jobs.join_next().await {
                    Some(Ok(Report::Posted { delivery, .. } | Report::SsePosted(delivery)))
                        if delivery.role == Role::Note =>
                    {
                        self.next_note();
                    }
                    Some(_) => {}
                    None => return,
                }
            }
        };
        let _ = timeout(CLOSING, notes).await;
        self.jobs.abort_all();
        if self.context.session.is_some() {
            delete_session(&self.endpoint, &self.url, &self.context).await;
        }
        drop(self.done);
    }
}

/// Deletes a session at the server, with a time limit.
async fn delete_session(endpoint: &Endpoint, url: &Url, context: &SessionContext) {
    let headers = request::common(endpoint, context);
    let endpoint = &endpoint.clone().in_background();
    let deleted = send(endpoint, Method::DELETE, url, &headers, Telling::empty);
    match timeout(CLOSING, deleted).await {
        Ok(Ok((response, _))) => tracing::debug!("DELETE -> {}", response.status().as_u16()),
        Ok(Err(why)) => tracing::debug!("DELETE: {why}"),
        Err(_) => tracing::debug!("DELETE took too long"),
    }
}

impl Delivery {
    fn of(msg: Message, era: Era, credit: Arc<Credit>) -> Self {
        let role = Role::of(&msg);
        let hop = match role {
            Role::Initialize | Role::Call => msg.hop(),
            _ => None,
        };
        Self {
            msg,
            hop,
            role,
            era,
            serial: 0,
            generation: 0,
            again: false,
            stream: 0,
            cuts: 0,
            _credit: credit,
        }
    }
}
