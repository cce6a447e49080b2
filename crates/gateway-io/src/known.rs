//! A value that a server tells about itself, as it was last known.

use std::sync::Arc;
use std::time::Duration;

use linkspan_session::Fault;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// For how long a value counts as the server's latest word without a promise of the server.
const RECENT: Duration = Duration::from_secs(60);
/// Readers do not wait for a fetch that has taken longer than this.
const SLOW: Duration = Duration::from_secs(10);
/// For how long they do not wait for the fetches that follow a slow one.
const AFTERWARDS: Duration = Duration::from_secs(60);

/// Until when a value need not be fetched again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// The next reader fetches it.
    Stale,
    /// Until a time.
    Until(Instant),
    /// Until the server says that it has changed.
    UntilChange,
}

#[derive(Clone)]
struct Fetching {
    began: Instant,
    /// Resolves when it has ended.
    done: watch::Receiver<bool>,
}

impl Fetching {
    fn is_slow(&self) -> bool {
        self.began.elapsed() >= SLOW
    }

    /// Without the task of the fetch there is no result.
    fn is_running(&self) -> bool {
        self.done.has_changed().is_ok()
    }
}

/// Clones share the value.
pub(crate) struct Known<T>(Arc<Mutex<State<T>>>);

struct State<T> {
    value: Option<Arc<T>>,
    freshness: Freshness,
    /// When it was fetched, unless it has been invalidated since.
    fetched: Option<Instant>,
    /// The fetch that is under way.
    fetching: Option<Fetching>,
    /// Until when fetches count as slow, because one was.
    slow_until: Option<Instant>,
    /// Counts invalidations, so that a fetch which one overtakes is not taken for fresh.
    invalidated: u64,
    /// A reader did not wait for the fetch that is under way.
    unseen: bool,
}

impl<T> Clone for Known<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State {
            value: None,
            freshness: Freshness::Stale,
            fetched: None,
            fetching: None,
            slow_until: None,
            invalidated: 0,
            unseen: false,
        })))
    }
}

impl<T: PartialEq + Send + Sync + 'static> Known<T> {
    /// The last value, fresh or not.
    pub(crate) fn last(&self) -> Option<Arc<T>> {
        self.0.lock().value.clone()
    }

    /// The value if it is fresh.
    pub(crate) fn fresh(&self) -> Option<Arc<T>> {
        let state = self.0.lock();
        state.value.clone().filter(|_| state.is_fresh())
    }

    /// The value if the server has told it lately, and has told no change since.
    pub(crate) fn recent(&self) -> Option<Arc<T>> {
        let state = self.0.lock();
        let is_recent = state.fetched.is_some_and(|at| at.elapsed() < RECENT);
        state
            .value
            .clone()
            .filter(|_| is_recent || state.is_fresh())
    }

    /// Sets a value that was saved earlier, unless a newer one is known.
    pub(crate) fn restore(&self, value: T) {
        let mut state = self.0.lock();
        if state.value.is_none() {
            state.value = Some(Arc::new(value));
            state.freshness = Freshness::UntilChange;
        }
    }

    /// The next reader fetches it again.
    pub(crate) fn invalidate(&self) {
        let mut state = self.0.lock();
        state.freshness = Freshness::Stale;
        state.fetched = None;
        state.invalidated += 1;
    }

    /// Whether the server takes so long that readers do not wait for it.
    pub(crate) fn is_slow(&self) -> bool {
        self.0.lock().is_slow()
    }

    /// Fetches the value unless that is under way, and waits until then or until `deadline`; not at all if it is slow.
    /// The fetch goes on after that. If the value is another one than before, it calls `stored`, and says whether a
    /// reader did not wait for it.
    pub(crate) async fn fetch<F>(
        &self,
        deadline: Instant,
        fetch: impl FnOnce() -> F,
        stored: impl FnOnce(bool) + Send + 'static,
    ) where
        F: Future<Output = Result<(T, Freshness), Fault>> + Send + 'static,
    {
        let (mut fetching, is_slow) = {
            let mut state = self.0.lock();
            let running = state.fetching.clone();
            let fetching = match running.filter(Fetching::is_running) {
                Some(running) => running,
                None => {
                    let (done, running) = watch::channel(false);
                    let fetching = Fetching {
                        began: Instant::now(),
                        done: running,
                    };
                    state.fetching = Some(fetching.clone());
                    let began = state.invalidated;
                    let (known, fetch) = (self.clone(), fetch());
                    tokio::spawn(async move {
                        let fetched = fetch.await;
                        known.store(fetched, began, stored);
                        let _ = done.send(true);
                    });
                    fetching
                }
            };
            (fetching, state.is_slow())
        };
        let deadline = if is_slow { Instant::now() } else { deadline };
        if timeout_at(deadline, fetching.done.wait_for(|done| *done))
            .await
            .is_err()
        {
            let mut state = self.0.lock();
            state.unseen = state.fetching.is_some();
        }
    }

    fn store(&self, fetched: Result<(T, Freshness), Fault>, began: u64, stored: impl FnOnce(bool)) {
        let mut state = self.0.lock();
        let was_slow = state.fetching.take().is_some_and(|it| it.is_slow());
        state.slow_until = was_slow.then(|| Instant::now() + AFTERWARDS);
        let unseen = std::mem::take(&mut state.unseen);
        let (value, freshness) = match fetched {
            Ok(fetched) => fetched,
            Err(why) => return tracing::debug!("not fetched: {why}"),
        };
        (state.freshness, state.fetched) = match state.invalidated == began {
            true => (freshness, Some(Instant::now())),
            false => (Freshness::Stale, None),
        };
        if state.value.as_deref() == Some(&value) {
            return;
        }
        state.value = Some(Arc::new(value));
        drop(state);
        stored(unseen);
    }
}

impl<T: Default + PartialEq + Send + Sync + 'static> Known<T> {
    /// Sets the value that needs no fetch: there is nothing.
    pub(crate) fn set_empty(&self) {
        let mut state = self.0.lock();
        state.fetched = Some(Instant::now());
        if state.value.as_deref() != Some(&T::default()) {
            state.value = Some(Arc::default());
        }
    }
}

impl<T> State<T> {
    fn is_fresh(&self) -> bool {
        match self.freshness {
            Freshness::Stale => false,
            Freshness::Until(until) => Instant::now() < until,
            Freshness::UntilChange => true,
        }
    }

    fn is_slow(&self) -> bool {
        let follows_slow = self.slow_until.is_some_and(|until| Instant::now() < until);
        follows_slow || self.fetching.as_ref().is_some_and(Fetching::is_slow)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(1500)
    }

    async fn after(delay: u64, value: u32) -> Result<(u32, Freshness), Fault> {
        tokio::time::sleep(Duration::from_millis(delay)).await;
        Ok((value, Freshness::UntilChange))
    }

    #[tokio::test(start_paused = true)]
    async fn readers_wait_for_one_fetch_and_only_until_their_deadline() {
        let known = Known::<u32>::default();
        let began = Instant::now();
        known.fetch(soon(), || after(5000, 1), |_| ()).await;
        assert_eq!(began.elapsed(), Duration::from_millis(1500));
        assert_eq!(known.last(), None);
        let second = known.fetch(soon() + Duration::from_secs(9), || after(0, 2), |_| ());
        second.await;
        assert_eq!(
            known.fresh().as_deref(),
            Some(&1),
            "the first fetch goes on"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn readers_do_not_wait_for_a_slow_fetch_and_those_that_follow_it() {
        let known = Known::<u32>::default();
        let read = async |delay| {
            let began = Instant::now();
            let fetch = || after(delay, 1);
            known.fetch(soon(), fetch, |_| ()).await;
            began.elapsed()
        };
        let mut waited = Duration::ZERO;
        for _ in 0..1000 {
            waited += read(60_000).await;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        assert!(waited < 2 * SLOW, "{waited:?}");
        tokio::time::sleep(2 * AFTERWARDS).await;
        assert_eq!(read(5000).await, Duration::from_millis(1500));
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_that_a_reader_did_not_wait_for_is_told() {
        let known = Known::<u32>::default();
        let told = Arc::new(AtomicU32::new(0));
        for (delay, value, so_far) in [(1, 1, 0), (2000, 1, 0), (2000, 2, 1), (1, 3, 1)] {
            let count = told.clone();
            let tell = move |unseen: bool| {
                count.fetch_add(unseen.into(), Ordering::Relaxed);
            };
            known.fetch(soon(), || after(delay, value), tell).await;
            tokio::time::sleep(Duration::from_secs(3)).await;
            assert_eq!(
                told.load(Ordering::Relaxed),
                so_far,
                "{value} after {delay} ms"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_during_a_fetch_makes_its_result_stale() {
        let known = Known::<u32>::default();
        let (reader, writer) = (known.clone(), known.clone());
        let fetch =
            tokio::spawn(async move { reader.fetch(soon(), || after(100, 1), |_| ()).await });
        tokio::time::sleep(Duration::from_millis(50)).await;
        writer.invalidate();
        fetch.await.unwrap();
        assert_eq!((known.fresh(), known.last().as_deref()), (None, Some(&1)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_fetch_keeps_the_last_value() {
        let known = Known::<u32>::default();
        known.restore(7);
        known.invalidate();
        let failed = async { Err(Fault::Closing) };
        known.fetch(soon(), || failed, |_| ()).await;
        assert_eq!((known.fresh(), known.last().as_deref()), (None, Some(&7)));
    }
}
