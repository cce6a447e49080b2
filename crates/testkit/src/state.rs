//! What all threads of one fake server share.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::TcpStream;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::builder::Config;
use crate::conn::Cut;
use crate::message::Message;
use crate::request::Request;

/// How often a waiting connection checks whether its client is still connected.
const GLANCE: Duration = Duration::from_millis(40);

pub(crate) type StreamKey = usize;

pub(crate) struct Shared {
    pub config: Config,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
pub(crate) struct State {
    pub log: Vec<Arc<Request>>,
    /// Session id to its standalone stream.
    pub sessions: BTreeMap<String, StreamKey>,
    pub streams: BTreeMap<StreamKey, Stream>,
    pub gates: BTreeSet<String>,
    /// Ids of calls that the client cancelled, as the server knows them.
    pub cancelled: BTreeSet<String>,
    /// Answers to the server's own questions, by the id as the server wrote it.
    pub answers: BTreeMap<String, Message>,
    /// Protocol violations of the client.
    pub violations: Vec<String>,
    /// Events written to sockets so far.
    pub sent: usize,
    pub stopped: bool,
    pub sockets: Vec<Weak<TcpStream>>,
    next: usize,
}

/// The SSE events for one client.
#[derive(Default)]
pub(crate) struct Stream {
    pub events: VecDeque<Arc<str>>,
    /// Number of the first event still held.
    pub first: usize,
    /// Keeps sent events, so that a client can ask for them again.
    pub keep: bool,
    /// No event follows the queued ones.
    pub done: bool,
    /// Where to cut the connection: before the event of that number.
    pub cut: Option<(usize, Cut)>,
    /// The connection breaks without an answer.
    pub dead: bool,
    /// The connection that serves this stream now; an older one steps back.
    pub owner: usize,
    pub attached: bool,
}

impl Stream {
    pub fn end(&self) -> usize {
        self.first + self.events.len()
    }
}

impl State {
    pub fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    pub fn open_stream(&mut self, keep: bool) -> StreamKey {
        let key = self.number();
        self.streams.insert(
            key,
            Stream {
                keep,
                ..Stream::default()
            },
        );
        key
    }

    pub fn push(&mut self, key: StreamKey, event: &str) {
        if let Some(stream) = self.streams.get_mut(&key) {
            stream.events.push_back(event.into());
        }
    }

    /// On the standalone stream of every session.
    pub fn push_to_all(&mut self, event: &str) {
        for key in self.sessions.values().copied().collect::<Vec<_>>() {
            self.push(key, event);
        }
    }
}

impl Shared {
    pub fn new(config: Config) -> Self {
        Self {
            config,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Changes the state and wakes all threads that wait for a change.
    pub fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let value = change(&mut self.lock());
        self.changed.notify_all();
        value
    }

    /// For the server's own threads: waits until `ready` returns a value; `None` when the server stops or `gone` is
    /// true.
    pub fn until<T>(
        &self,
        mut gone: impl FnMut() -> bool,
        mut ready: impl FnMut(&mut State) -> Option<T>,
    ) -> Option<T> {
        loop {
            let mut state = self.lock();
            if let Some(value) = ready(&mut state) {
                drop(state);
                self.changed.notify_all();
                return Some(value);
            }
            if state.stopped {
                return None;
            }
            self.changed.wait_for(&mut state, GLANCE);
            drop(state);
            if gone() {
                return None;
            }
        }
    }

    /// For tests: waits until `ready` returns a value, at most `limit`.
    pub fn wait<T>(
        &self,
        limit: Duration,
        mut ready: impl FnMut(&mut State) -> Option<T>,
    ) -> Option<T> {
        let end = Instant::now() + limit;
        let mut state = self.lock();
        loop {
            if let Some(value) = ready(&mut state) {
                return Some(value);
            }
            let left = end.checked_duration_since(Instant::now())?;
            self.changed.wait_for(&mut state, left);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}
