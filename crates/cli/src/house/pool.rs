//! Servers that are kept warm for requests that stand alone.
//!
//! Requests of one principal share a server. A legacy server was told once what its client can do,
//! so it is shared only among requests that declare the same, and one that was started for the roots of
//! its clients only among requests that bring the same roots. A call whose client may be asked something
//! has a server to itself among such calls; the next one gets another.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use linkspan_session::Fault;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use super::lease::{Key, Lease, Upstream};

/// Servers for one key, if calls may not overlap.
const MAX_FOR_ONE: usize = 8;
/// How long we wait for a server that leaves.
const LEAVING: Duration = Duration::from_secs(5);
/// How often we look whether one of them is free.
const LOOK: Duration = Duration::from_secs(1);
const SHORT_LOOK: Duration = Duration::from_millis(250);
/// How long a call waits for one of them.
const PATIENCE: Duration = Duration::from_secs(60);

/// A place among the servers; given back when it has ended.
pub(super) type Room = OwnedSemaphorePermit;

pub(super) struct Pool {
    upstreams: Mutex<Vec<Arc<Upstream>>>,
    /// What is being opened, for whom. Whoever needs the same waits for it, and gets its error.
    opening: Mutex<HashMap<Key, Opening>>,
    freed: Arc<Notify>,
    last: AtomicU64,
    /// A place for each server, until it has ended.
    rooms: Arc<Semaphore>,
}

/// Tells when something has been opened.
pub(super) type Opening = watch::Receiver<Option<Result<(), Fault>>>;

/// What a call needs.
pub(super) struct Want {
    pub(super) key: Key,
    /// Whether its client may be asked something in its course.
    pub(super) asks: bool,
    /// Where the call is parked that it comes back to.
    pub(super) home: Option<String>,
    /// Whether everybody shares one.
    pub(super) share: bool,
    /// Whether all calls of one client must come to the same one.
    pub(super) sticky: bool,
}

enum Found {
    Here(Lease),
    /// There is none yet.
    None,
    /// All are busy.
    Busy,
}

impl Pool {
    pub(super) fn new(most: usize) -> Self {
        Self {
            upstreams: Mutex::default(),
            opening: Mutex::default(),
            freed: Arc::new(Notify::new()),
            last: AtomicU64::new(0),
            rooms: Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// An upstream for a call. `None` if one had to be opened first: what is known of the server may be
    /// something else now, so the caller has to say again what it wants.
    pub(super) async fn lease(
        &self,
        want: &Want,
        open: impl FnOnce() -> Opening,
    ) -> Result<Option<Lease>, Fault> {
        let until = Instant::now() + PATIENCE;
        loop {
            let freed = self.freed.notified();
            match self.find(want) {
                Found::Here(lease) => return Ok(Some(lease)),
                Found::Busy if Instant::now() >= until => {
                    return Err(Fault::Overloaded {
                        what: "every server for this client is busy with a call that may ask something",
                    });
                }
                // A parked call may also end because its client did not come back.
                Found::Busy => drop(timeout(LOOK, freed).await),
                Found::None => return wait(open()).await.map(|()| None),
            }
        }
    }

    /// Begins to open an upstream under `slot`, unless somebody has. It is nobody's request: whoever
    /// caused it may leave, and others wait for the same.
    pub(super) fn open<F>(
        self: &Arc<Self>,
        slot: Key,
        open: impl FnOnce(String, Room) -> F + Send + 'static,
    ) -> Opening
    where
        F: Future<Output = Result<Arc<Upstream>, Fault>> + Send,
    {
        let mut opening = lock(&self.opening);
        // One whose task is gone without a word is none.
        if let Some(opening) = opening.get(&slot).filter(|o| o.has_changed().is_ok()) {
            return opening.clone();
        }
        let (tell, told) = watch::channel(None);
        opening.insert(slot.clone(), told.clone());
        drop(opening);
        let pool = self.clone();
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        tokio::spawn(async move {
            let opened = match pool.room().await {
                Ok(room) => open(number.to_string(), room).await,
                Err(why) => Err(why),
            };
            let opened = opened.map(|upstream| lock(&pool.upstreams).push(upstream));
            lock(&pool.opening).remove(&slot);
            let _ = tell.send(Some(opened));
        });
        told
    }

    /// A place for one more server; the longest idle one makes room if there is none.
    async fn room(&self) -> Result<Room, Fault> {
        let until = Instant::now() + LEAVING;
        let mut one_leaves = false;
        while Instant::now() < until {
            let freed = self.freed.notified();
            one_leaves = one_leaves || self.rooms.available_permits() > 0 || self.evict();
            let room = self.rooms.clone().acquire_owned();
            tokio::select! {
                Ok(room) = room => return Ok(room),
                // One that was busy may be idle now.
                () = freed => {}
                () = sleep(SHORT_LOOK) => {}
            }
        }
        Err(Fault::Overloaded {
            what: "as many servers are running as --max-sessions allows",
        })
    }

    fn find(&self, want: &Want) -> Found {
        let mut all = lock(&self.upstreams);
        // One that was told a client's roots in the course of a call is not given to another client.
        let spent = |upstream: &Upstream| !want.sticky && upstream.figures.knows_roots();
        all.retain(|upstream| {
            let is_over = upstream.hub.is_closed() || (spent(upstream) && upstream.is_idle());
            !is_over
        });
        let lease = |upstream: &Arc<Upstream>| {
            Found::Here(Lease::new(upstream.clone(), want.asks, self.freed.clone()))
        };
        let mine = |upstream: &&Arc<Upstream>| upstream.key == want.key && !spent(upstream);
        if let Some(home) = &want.home {
            // Only the machine that gave it out can tell whether the rest of it is right.
            let fits = |key: &Key| want.share || key.fits(&want.key);
            let at_home = all.iter().find(|u| u.home == *home && fits(&u.key));
            if let Some(upstream) = at_home {
                return lease(upstream);
            }
        }
        let clear = |upstream: &&Arc<Upstream>| !want.asks || upstream.is_clear();
        if let Some(upstream) = all.iter().filter(mine).find(clear) {
            return lease(upstream);
        }
        let most = if want.share { 1 } else { MAX_FOR_ONE };
        if all.iter().filter(mine).count() >= most {
            return Found::Busy;
        }
        Found::None
    }

    /// Lets the longest idle one go, if there is one.
    fn evict(&self) -> bool {
        let mut all = lock(&self.upstreams);
        let idle = (0..all.len()).filter_map(|i| Some((all[i].idle_for()?, i)));
        let longest = idle.max();
        if let Some((_, i)) = longest {
            all.remove(i);
        }
        longest.is_some()
    }

    /// Lets go what was opened for the wrong era; `true` if there was such a thing.
    pub(super) fn drop_wrong(&self) -> bool {
        let mut all = lock(&self.upstreams);
        let before = all.len();
        all.retain(|upstream| !upstream.figures.is_wrong());
        all.len() < before
    }

    /// Lets go what nobody has used for a while.
    pub(super) fn reap(&self, idle: Duration) {
        lock(&self.upstreams).retain(|upstream| upstream.idle_for().is_none_or(|for_| for_ < idle));
    }

    /// How many are kept warm.
    pub(super) fn len(&self) -> usize {
        lock(&self.upstreams).len()
    }

    /// Lets all of them go.
    pub(super) fn clear(&self) {
        lock(&self.upstreams).clear();
    }
}

/// Waits for what somebody opens.
pub(super) async fn wait(mut opening: Opening) -> Result<(), Fault> {
    match opening.wait_for(Option::is_some).await {
        Ok(opened) => opened.clone().unwrap_or(Err(Fault::Closing)),
        Err(_) => Err(Fault::Closing),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
