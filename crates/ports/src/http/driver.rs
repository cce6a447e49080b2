//! The one task that owns a remote conversation.
//!
//! It sends nothing itself: each exchange is a job, and the driver decides what starts when.
//!
//! * `initialize` and `initialized` are barriers: what follows waits until they are through, because
//!   it needs what they bring.
//! * Requests run side by side. Notifications keep their order among themselves.
//! * A server that forgot the session gets a new one, once, in the client's own words.

mod notes;
mod open;
mod posting;
mod reports;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use http::Method;
use linkspan_mcp::{Era, ParamHeaders, era_of, names};
use linkspan_session::{Credit, Envelope, Fault, Inbound, Outbound, PortEnd};
use linkspan_wire::Message;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, Id as TaskId, JoinSet};
use tokio::time::{Duration, timeout};
use url::Url;

use super::body::{Sent, Telling};
use super::endpoint::Endpoint;
use super::job::{self, Refusal, Report, Role, Ticket};
use super::memory::Memory;
use super::options::Transport;
use super::request::{self, Place};
use super::sending::send;

/// Messages that may wait behind a barrier, and in the lane of notifications.
const MAX_WAITING: usize = 64;
/// Jobs at once; the session bounds requests long before.
const MAX_JOBS: usize = 10_000;
/// How long cancellations, and then the farewell, may take at the end.
const CLOSING: Duration = Duration::from_secs(1);

pub(super) struct Driver {
    endpoint: Endpoint,
    tx: mpsc::Sender<Inbound>,
    rx: mpsc::Receiver<Outbound>,
    done: oneshot::Sender<()>,

    url: Url,
    mode: Mode,
    place: Place,
    /// Counts sessions, so that a job of an old one is recognised.
    generation: u64,
    memory: Memory,
    /// The era of the last request; messages that name none are of the same.
    era: Era,
    params: ParamHeaders,

    jobs: JoinSet<Report>,
    calls: HashMap<u64, Call>,
    hops: HashMap<TaskId, u64>,
    listening: Option<AbortHandle>,
    barrier: Barrier,
    last_serial: u64,
    /// Rings when a first call was accepted, though its answer may take long.
    accepted: (mpsc::Sender<()>, mpsc::Receiver<()>),
    held: VecDeque<Envelope>,
    notes: VecDeque<(Ticket, Option<Sent>)>,
    /// Notifications that are out: one, unless the server takes too long over them.
    notes_out: usize,
    /// Messages that wait for a new session or stream, and how they were refused.
    parked: Vec<(Ticket, Option<Refusal>)>,
    sse_backoff: u32,
    /// The newest request that went out over HTTP+SSE.
    last_sse_hop: u64,
}

/// What the server speaks, as far as we know.
enum Mode {
    Unknown,
    Streamable,
    /// HTTP+SSE, with the URL to POST to while the stream is open.
    Sse(Option<Url>),
}

/// Whether messages have to wait, and for what.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Barrier {
    Open,
    /// For the message of this serial number.
    Message(u64),
    /// For a new session or stream.
    Renewal,
}

/// A request that is out.
struct Call {
    abort: AbortHandle,
    serial: u64,
    era: Era,
    sent: Sent,
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
            place: Place::default(),
            generation: 0,
            memory: Memory::default(),
            era: Era::Legacy,
            params: ParamHeaders::default(),
            jobs: JoinSet::new(),
            calls: HashMap::new(),
            hops: HashMap::new(),
            listening: None,
            barrier: Barrier::Open,
            last_serial: 0,
            accepted: mpsc::channel(1),
            held: VecDeque::new(),
            notes: VecDeque::new(),
            notes_out: 0,
            parked: Vec::new(),
            sse_backoff: 0,
            last_sse_hop: 0,
        }
    }

    pub(super) async fn run(mut self) {
        loop {
            let room = self.held.len() < MAX_WAITING && self.jobs.len() < MAX_JOBS;
            tokio::select! {
                Some(ended) = self.jobs.join_next_with_id(), if !self.jobs.is_empty() => match ended {
                    Ok((task, report)) => {
                        self.forget(task);
                        self.on_report(report);
                    }
                    Err(broken) => self.on_broken(broken.id(), broken.is_panic()),
                },
                Some(()) = self.accepted.1.recv() => self.on_accepted(),
                outbound = self.rx.recv(), if room => match outbound {
                    Some(Outbound::One(envelope)) if self.barrier != Barrier::Open => self.held.push_back(envelope),
                    Some(Outbound::One(envelope)) => self.send(envelope),
                    Some(Outbound::Array(_)) => {
                        tracing::debug!("a batch of answers has no place on this side");
                    }
                    None => break,
                },
            }
        }
        self.close().await;
    }

    /// Sends one message, or starts what has to come before it.
    fn send(&mut self, envelope: Envelope) {
        let (msg, credit) = (envelope.msg, Arc::new(envelope.credit));
        if let Some(hop) = envelope.relates_to
            && msg.method() == names::CANCELLED
        {
            return self.cancel(hop, Ticket::of(msg, self.era, credit));
        }
        let role = Role::of(&msg);
        if role == Role::Initialize {
            self.era = Era::Legacy;
            self.place = Place::default();
            if let Some(old) = self.listening.take() {
                old.abort();
            }
        } else if era_of(&msg) == Era::Modern {
            self.era = Era::Modern;
        }
        if self.era == Era::Legacy {
            self.memory.note(&msg);
        }
        self.dispatch(Ticket::of(msg, self.era, credit));
    }

    /// Starts the job for a message over whatever transport the server speaks.
    fn dispatch(&mut self, ticket: Ticket) {
        if ticket.role == Role::Note {
            return self.queue_note(ticket, None);
        }
        self.start(ticket, None);
    }

    fn start(&mut self, mut ticket: Ticket, after: Option<Sent>) {
        self.last_serial += 1;
        ticket.serial = self.last_serial;
        ticket.generation = self.generation;
        match &self.mode {
            Mode::Sse(None) => self.open_sse(ticket, None),
            Mode::Sse(Some(post_to)) => {
                let post_to = post_to.clone();
                self.post_sse(ticket, after, post_to);
            }
            Mode::Unknown | Mode::Streamable => self.post(ticket, after),
        }
    }

    /// Goes on with what a barrier held up.
    fn lift(&mut self) {
        self.barrier = Barrier::Open;
        while self.barrier == Barrier::Open {
            match self.held.pop_front() {
                Some(envelope) => self.send(envelope),
                None => return,
            }
        }
    }

    fn fail(&mut self, ticket: Ticket, why: Fault) {
        let tx = self.tx.clone();
        self.jobs.spawn(async move {
            job::fail(&tx, &ticket, why).await;
            Report::Aside
        });
    }

    /// Ends everything that is out, lets cancellations through, and takes leave of the session.
    async fn close(mut self) {
        for call in self.calls.values() {
            call.abort.abort();
        }
        let notes = async {
            while self.notes_out > 0 {
                match self.jobs.join_next().await {
                    Some(Ok(Report::Posted { ticket, .. } | Report::SsePosted(ticket)))
                        if ticket.role == Role::Note =>
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
        if self.place.session.is_some() {
            let headers = request::common(&self.endpoint, &self.place);
            let farewell = send(
                &self.endpoint,
                Method::DELETE,
                &self.url,
                &headers,
                Telling::empty,
            );
            match timeout(CLOSING, farewell).await {
                Ok(Ok((response, _))) => {
                    tracing::debug!("DELETE -> {}", response.status().as_u16());
                }
                Ok(Err(why)) => tracing::debug!("DELETE: {why}"),
                Err(_) => tracing::debug!("DELETE took too long"),
            }
        }
        drop(self.done);
    }
}

impl Ticket {
    fn of(msg: Message, era: Era, credit: Arc<Credit>) -> Self {
        let role = Role::of(&msg);
        let hop = match role {
            Role::Initialize | Role::Call => msg.id().and_then(|id| id.as_hop()),
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
            _credit: credit,
        }
    }
}
