//! The connections of a front: their limit, and which one is closed to make room.
//!
//! Idle connections cost a client nothing, so they must not keep requests out. When all places are taken, one idle
//! connection is closed: first those that have sent nothing, then those that have sent a part of a first request, then
//! those that wait for a next request, the oldest first. A connection that serves a request is never closed. A few
//! reserved places are used when all others serve requests: there `/healthz` is answered, and everything else is
//! refused with a 503.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::allowance::{Allowance, AllowanceGuard};

/// The number of reserved places, as a fraction of the others, and its maximum.
const RESERVED_PART: usize = 8;
const MOST_RESERVED: usize = 64;
/// How long to wait for a connection to close before another one is closed.
pub(super) const CLOSING: Duration = Duration::from_millis(100);

/// The connections of a front.
pub(super) struct Connections {
    most: usize,
    reserved: usize,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    last: u64,
    open: usize,
    serving: usize,
    /// Connections without a request, by [`Waiting`], and the handle that closes each of them.
    waiting: [BTreeMap<u64, Arc<Notify>>; 3],
}

/// Why a connection has no request, in the order in which connections are closed.
#[derive(Clone, Copy)]
enum Waiting {
    /// It has sent nothing.
    Silent,
    /// It has sent a part of a request's head.
    Incomplete,
    /// It has been answered, and may send another request.
    Between,
}

impl Connections {
    pub(super) fn new(most: usize) -> Arc<Self> {
        let most = most.max(1);
        Arc::new(Self {
            most,
            reserved: (most / RESERVED_PART).clamp(1, MOST_RESERVED),
            state: Mutex::default(),
            changed: Notify::new(),
        })
    }

    /// Waits for a free place, and closes an idle connection if there is one.
    pub(super) async fn room(&self) {
        loop {
            let changed = self.changed.notified();
            {
                let mut state = self.state();
                if state.open < self.most {
                    return;
                }
                state.close_one();
                if state.open < self.most + self.reserved {
                    return;
                }
            }
            let _ = timeout(CLOSING, changed).await;
        }
    }

    /// Closes an idle connection and waits briefly for it: the system has no more sockets.
    pub(super) async fn shrink(&self) {
        let changed = self.changed.notified();
        self.state().close_one();
        let _ = timeout(CLOSING, changed).await;
    }

    /// Counts a connection that was accepted.
    pub(super) fn add(self: &Arc<Self>) -> Arc<Connection> {
        let told = Arc::new(Notify::new());
        let mut state = self.state();
        state.open += 1;
        state.last += 1;
        let number = state.last;
        state.wait(number, Waiting::Silent, &told);
        drop(state);
        Arc::new(Connection {
            all: Arc::clone(self),
            number,
            told,
            heard: AtomicBool::new(false),
            served: AtomicBool::new(false),
            serving: AtomicBool::new(false),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    fn wait(&mut self, number: u64, why: Waiting, told: &Arc<Notify>) {
        self.waiting[why as usize].insert(number, Arc::clone(told));
    }

    fn forget(&mut self, number: u64) -> bool {
        let mut removed = false;
        for waiting in &mut self.waiting {
            removed |= waiting.remove(&number).is_some();
        }
        removed
    }

    /// Closes the idle connection that comes first in the order of [`Waiting`].
    fn close_one(&mut self) {
        let oldest = self.waiting.iter_mut().find_map(BTreeMap::pop_first);
        if let Some((_, told)) = oldest {
            told.notify_one();
        }
    }
}

/// A connection. Dropping it frees its place.
pub(super) struct Connection {
    all: Arc<Connections>,
    number: u64,
    told: Arc<Notify>,
    heard: AtomicBool,
    served: AtomicBool,
    serving: AtomicBool,
}

impl Connection {
    /// Bytes were read from the connection.
    pub(super) fn heard(&self) {
        if self.heard.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut state = self.all.state();
        if state.forget(self.number) {
            state.wait(self.number, Waiting::Incomplete, &self.told);
        }
    }

    /// Resolves when the connection has to close.
    pub(super) async fn told_to_close(&self) {
        self.told.notified().await;
    }

    /// Whether the connection has served a request: a response may then still be written.
    pub(super) fn has_served(&self) -> bool {
        self.served.load(Ordering::Relaxed)
    }

    /// Whether the connection serves a request.
    pub(super) fn is_serving(&self) -> bool {
        self.serving.load(Ordering::Relaxed)
    }

    /// Marks the connection as serving a request.
    pub(super) fn serve(self: &Arc<Self>) -> Serving {
        self.served.store(true, Ordering::Relaxed);
        self.serving.store(true, Ordering::Relaxed);
        let mut state = self.all.state();
        state.forget(self.number);
        state.serving += 1;
        Serving {
            connection: Arc::clone(self),
            counted: OnceLock::new(),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut state = self.all.state();
        state.open -= 1;
        state.forget(self.number);
        drop(state);
        self.all.changed.notify_waiters();
    }
}

/// A request that is being served, until its response has been written.
pub(super) struct Serving {
    connection: Arc<Connection>,
    counted: OnceLock<AllowanceGuard>,
}

impl Serving {
    /// Whether the request was accepted in a reserved place.
    pub(super) fn is_reserved(&self) -> bool {
        let all = &self.connection.all;
        all.state().serving > all.most
    }

    /// Counts the request for this session or principal; `false` if its share is used up.
    pub(super) fn charge(&self, to: &Arc<Allowance>) -> bool {
        let all = &self.connection.all;
        let free = all.most.saturating_sub(all.state().serving);
        match to.open(free) {
            Some(guard) => {
                let _ = self.counted.set(guard);
                true
            }
            None => false,
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let connection = &self.connection;
        let mut state = connection.all.state();
        state.serving -= 1;
        connection.serving.store(false, Ordering::Relaxed);
        state.wait(connection.number, Waiting::Between, &connection.told);
        drop(state);
        connection.all.changed.notify_waiters();
    }
}

/// How many connections this process may have: half of its files, because servers need some as well.
pub(super) fn affordable(wanted: usize) -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit};
        if let Some(files) = getrlimit(Resource::Nofile).current {
            let files = usize::try_from(files).unwrap_or(usize::MAX);
            return wanted.min(files / 2).max(1);
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn is_told(connection: &Connection) -> bool {
        let soon = Duration::from_millis(1);
        timeout(soon, connection.told_to_close()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_has_sent_less_is_closed_first_and_one_with_a_request_never() {
        let all = Connections::new(4);
        let between = all.add();
        drop(between.serve());
        let served = all.add();
        let _request = served.serve();
        let incomplete = all.add();
        incomplete.heard();
        let silent = all.add();
        for (next, what) in [
            (silent, "silent"),
            (incomplete, "half"),
            (between, "between"),
        ] {
            all.room().await;
            assert!(is_told(&next).await, "{what}");
            assert!(!is_told(&served).await);
            drop(next);
            assert_eq!(all.state().open, 3, "{what}");
            // A connection that serves a request takes the place.
            let new = all.add();
            std::mem::forget(new.serve());
            std::mem::forget(new);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_of_a_kind_is_closed_first() {
        let all = Connections::new(2);
        let (first, second) = (all.add(), all.add());
        all.room().await;
        assert!(is_told(&first).await && !is_told(&second).await);
    }

    #[tokio::test(start_paused = true)]
    async fn when_all_are_served_a_few_more_are_let_in_and_no_more() {
        let all = Connections::new(8);
        let connections: Vec<_> = (0..8).map(|_| all.add()).collect();
        let served: Vec<_> = connections.iter().map(Connection::serve).collect();
        assert!(served.iter().all(|one| !one.is_reserved()));
        all.room().await;
        let reserved = all.add();
        let request = reserved.serve();
        assert!(request.is_reserved());
        let minute = Duration::from_secs(60);
        let second = timeout(minute, all.room()).await;
        assert!(second.is_err(), "there is one reserved place for eight");
        drop(request);
        let leaves = async {
            reserved.told_to_close().await;
            drop(reserved);
        };
        let room = timeout(minute, all.room());
        assert!(tokio::join!(room, leaves).0.is_ok(), "it has been answered");
    }

    #[tokio::test]
    async fn one_client_cannot_have_all_requests() {
        let all = Connections::new(16);
        let one = Arc::new(Allowance::default());
        let mut held = Vec::new();
        loop {
            let serving = all.add().serve();
            if !serving.charge(&one) {
                break;
            }
            held.push(serving);
        }
        assert!((8..16).contains(&held.len()), "{}", held.len());
        let other = Arc::new(Allowance::default());
        assert!(all.add().serve().charge(&other));
        held.pop();
        assert!(all.add().serve().charge(&one));
    }
}
