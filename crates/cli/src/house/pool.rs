//! Servers that are kept warm for requests that stand alone.
//!
//! Requests of one principal share a server. A legacy server was told once what its client can do,
//! so it is shared only among requests that declare the same. A call whose client may be asked
//! something has a server to itself among such calls; the next one gets another.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use linkspan_session::Fault;
use tokio::sync::Notify;

use super::lease::{Key, Lease, Upstream};

/// Servers for one key, if calls may not overlap.
const MAX_FOR_ONE: usize = 8;
/// How often we look whether one of them is free.
const LOOK: Duration = Duration::from_secs(1);
/// How long a call waits for one of them.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Pool {
    upstreams: Mutex<Vec<Arc<Upstream>>>,
    /// Only one is opened at a time, so that a burst of requests does not start as many servers.
    opening: tokio::sync::Mutex<()>,
    freed: Arc<Notify>,
    last: AtomicU64,
    most: usize,
}

/// What a call needs.
pub(super) struct Want {
    pub(super) key: Key,
    /// Whether its client may be asked something in its course.
    pub(super) asks: bool,
    /// Where the call is parked that it comes back to.
    pub(super) home: Option<String>,
    /// Whether everybody shares one.
    pub(super) share: bool,
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
            opening: tokio::sync::Mutex::new(()),
            freed: Arc::new(Notify::new()),
            last: AtomicU64::new(0),
            most,
        }
    }

    /// An upstream for a call; opened by `open` if there is none.
    pub(super) async fn lease<F>(
        &self,
        want: &Want,
        open: impl Fn(String) -> F,
    ) -> Result<Lease, Fault>
    where
        F: Future<Output = Result<Arc<Upstream>, Fault>>,
    {
        let waiting = async {
            loop {
                let freed = self.freed.notified();
                match self.find(want) {
                    Found::Here(lease) => return Ok(lease),
                    // A parked call may also end because its client did not come back.
                    Found::Busy => drop(tokio::time::timeout(LOOK, freed).await),
                    Found::None => {
                        let _one = self.opening.lock().await;
                        match self.find(want) {
                            Found::Here(lease) => return Ok(lease),
                            Found::Busy => continue,
                            Found::None => {}
                        }
                        self.make_room()?;
                        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
                        let upstream = open(number.to_string()).await?;
                        self.all().push(upstream.clone());
                        return Ok(Lease::new(upstream, want.asks, self.freed.clone()));
                    }
                }
            }
        };
        match tokio::time::timeout(PATIENCE, waiting).await {
            Ok(leased) => leased,
            Err(_) => Err(Fault::Overloaded {
                what: "every server for this client is busy with a call that may ask something",
            }),
        }
    }

    fn find(&self, want: &Want) -> Found {
        let mut all = self.all();
        all.retain(|upstream| !upstream.hub.is_closed());
        let lease = |upstream: &Arc<Upstream>| {
            Found::Here(Lease::new(upstream.clone(), want.asks, self.freed.clone()))
        };
        let mine = |upstream: &&Arc<Upstream>| upstream.key == want.key;
        if let Some(home) = &want.home {
            // Only the machine that gave it out can tell whether the rest of it is right.
            let at_home = all.iter().filter(mine).find(|u| u.home == *home);
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

    /// Lets the longest idle one go if there are too many.
    fn make_room(&self) -> Result<(), Fault> {
        let mut all = self.all();
        if all.len() < self.most {
            return Ok(());
        }
        let longest = (0..all.len()).filter_map(|i| Some((all[i].idle_for()?, i)));
        match longest.max() {
            Some((_, i)) => {
                all.remove(i);
                Ok(())
            }
            None => Err(Fault::Overloaded {
                what: "as many servers are running as --max-sessions allows",
            }),
        }
    }

    /// Lets go what nobody has used for a while.
    pub(super) fn reap(&self, idle: Duration) {
        self.all()
            .retain(|upstream| upstream.idle_for().is_none_or(|for_| for_ < idle));
    }

    /// Lets all of them go.
    pub(super) fn clear(&self) {
        self.all().clear();
    }

    fn all(&self) -> MutexGuard<'_, Vec<Arc<Upstream>>> {
        self.upstreams
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
