//! Connections that are kept warm for modern requests.
//!
//! Requests of one principal share a connection. A legacy server is initialized once with the client's capabilities, so
//! its connection is shared only among requests that declare the same capabilities and, if the server was started for
//! its clients' roots, the same roots. At most one call that may ask its client runs on a connection at a time; the
//! next one gets another connection.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use linkspan_session::Fault;
use parking_lot::Mutex;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep, timeout};

use super::lease::{Key, Lease, Upstream};
use super::needs::Needs;

/// Connections for one key, if calls may not overlap.
const MAX_FOR_ONE: usize = 8;
/// How long a new connection waits for a free slot.
const LEAVING: Duration = Duration::from_secs(5);
/// How often a waiting call looks for a free connection.
const LOOK: Duration = Duration::from_secs(1);
const SHORT_LOOK: Duration = Duration::from_millis(250);
/// How long a call waits for a free connection.
const PATIENCE: Duration = Duration::from_secs(60);

/// A place among [`PoolOptions::max_servers`](super::PoolOptions); given back when the connection has ended.
pub(super) type Slot = OwnedSemaphorePermit;

pub(super) struct WarmUpstreams {
    upstreams: Mutex<Vec<Arc<Upstream>>>,
    /// Connections that are being opened. Calls that need the same one wait for it, and share its error.
    opening: Mutex<HashMap<Key, Opening>>,
    freed: Arc<Notify>,
    last: AtomicU64,
    slots: Arc<Semaphore>,
}

/// Resolves when a connection has been opened.
pub(super) type Opening = watch::Receiver<Option<Result<(), Fault>>>;

enum Found {
    Here(Lease),
    /// No connection fits.
    None,
    /// All suitable connections are busy.
    Busy,
}

impl WarmUpstreams {
    pub(super) fn new(most: usize) -> Self {
        Self {
            upstreams: Mutex::default(),
            opening: Mutex::default(),
            freed: Arc::new(Notify::new()),
            last: AtomicU64::new(0),
            slots: Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// A connection for a call. `None` if one had to be opened first: the knowledge about the server may have changed,
    /// so the caller has to determine its needs again.
    pub(super) async fn lease(
        &self,
        needs: &Needs,
        open: impl FnOnce() -> Opening,
    ) -> Result<Option<Lease>, Fault> {
        let until = Instant::now() + PATIENCE;
        loop {
            let freed = self.freed.notified();
            match self.find(needs) {
                Found::Here(lease) => return Ok(Some(lease)),
                Found::Busy if Instant::now() >= until => {
                    return Err(Fault::Overloaded {
                        what: "every server for this client is busy with a call that may ask something",
                    });
                }
                // A parked call may also end because its client did not return.
                Found::Busy => drop(timeout(LOOK, freed).await),
                Found::None => return wait(open()).await.map(|()| None),
            }
        }
    }

    /// Opens a connection under `name` in the background, unless one is being opened. The task runs detached from the
    /// call that caused it: other calls may wait for the same connection.
    pub(super) fn open<F>(
        self: &Arc<Self>,
        name: Key,
        open: impl FnOnce(String, Slot) -> F + Send + 'static,
    ) -> Opening
    where
        F: Future<Output = Result<Arc<Upstream>, Fault>> + Send,
    {
        let mut opening = self.opening.lock();
        // An entry whose task has ended without a result does not count.
        if let Some(opening) = opening.get(&name).filter(|o| o.has_changed().is_ok()) {
            return opening.clone();
        }
        let (tell, told) = watch::channel(None);
        opening.insert(name.clone(), told.clone());
        drop(opening);
        let pool = self.clone();
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        tokio::spawn(async move {
            let opened = match pool.slot().await {
                Ok(slot) => open(number.to_string(), slot).await,
                Err(why) => Err(why),
            };
            let opened = opened.map(|upstream| pool.upstreams.lock().push(upstream));
            pool.opening.lock().remove(&name);
            let _ = tell.send(Some(opened));
        });
        told
    }

    /// A slot for one more connection. If there is none, the connection with the longest idle time is closed.
    async fn slot(&self) -> Result<Slot, Fault> {
        let until = Instant::now() + LEAVING;
        let mut evicted = false;
        while Instant::now() < until {
            let freed = self.freed.notified();
            evicted = evicted || self.slots.available_permits() > 0 || self.evict();
            let slot = self.slots.clone().acquire_owned();
            tokio::select! {
                Ok(slot) = slot => return Ok(slot),
                // A busy connection may have become idle.
                () = freed => {}
                () = sleep(SHORT_LOOK) => {}
            }
        }
        Err(Fault::Overloaded {
            what: "as many servers are running as --max-sessions allows",
        })
    }

    fn find(&self, needs: &Needs) -> Found {
        let mut all = self.upstreams.lock();
        // A server that got a client's roots during a call is not given to another client.
        let spent = |upstream: &Upstream| !needs.sticky && upstream.status.knows_roots();
        all.retain(|upstream| {
            let is_over = upstream.hub.is_closed() || (spent(upstream) && upstream.is_idle());
            !is_over
        });
        let lease = |upstream: &Arc<Upstream>| {
            Found::Here(Lease::new(upstream.clone(), needs.asks, self.freed.clone()))
        };
        let mine = |upstream: &&Arc<Upstream>| upstream.key == needs.key && !spent(upstream);
        if let Some(home) = &needs.home {
            // Only the translator that made the `requestState` can check the rest of it.
            let fits = |key: &Key| needs.share || key.fits(&needs.key);
            let at_home = all.iter().find(|u| u.home == *home && fits(&u.key));
            if let Some(upstream) = at_home {
                return lease(upstream);
            }
        }
        let clear = |upstream: &&Arc<Upstream>| !needs.asks || upstream.is_clear();
        if let Some(upstream) = all.iter().filter(mine).find(clear) {
            return lease(upstream);
        }
        let most = if needs.share { 1 } else { MAX_FOR_ONE };
        if all.iter().filter(mine).count() >= most {
            return Found::Busy;
        }
        Found::None
    }

    /// Closes the longest idle connection, if there is one.
    fn evict(&self) -> bool {
        let mut all = self.upstreams.lock();
        let idle = (0..all.len()).filter_map(|i| Some((all[i].idle_for()?, i)));
        let longest = idle.max();
        if let Some((_, i)) = longest {
            all.remove(i);
        }
        longest.is_some()
    }

    /// Closes connections that were opened for the wrong era; `true` if there were any.
    pub(super) fn drop_wrong(&self) -> bool {
        let mut all = self.upstreams.lock();
        let before = all.len();
        all.retain(|upstream| !upstream.status.is_wrong());
        all.len() < before
    }

    /// Closes connections that have been idle for this long.
    pub(super) fn reap(&self, idle: Duration) {
        self.upstreams
            .lock()
            .retain(|upstream| upstream.idle_for().is_none_or(|for_| for_ < idle));
    }

    /// The number of warm connections.
    pub(super) fn len(&self) -> usize {
        self.upstreams.lock().len()
    }

    /// Closes all connections.
    pub(super) fn clear(&self) {
        self.upstreams.lock().clear();
    }
}

/// Waits until a connection has been opened.
pub(super) async fn wait(mut opening: Opening) -> Result<(), Fault> {
    match opening.wait_for(Option::is_some).await {
        Ok(opened) => opened.clone().unwrap_or(Err(Fault::Closing)),
        Err(_) => Err(Fault::Closing),
    }
}
