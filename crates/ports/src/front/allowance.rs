//! The part of the shared limits that one session, or one principal without a session, may use.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use linkspan_session::{Budget, Pool};
use parking_lot::Mutex;

use super::principal::Principal;

/// A session may use at most this many times what is free: three quarters of everything if it is alone, so that
/// something always remains for others.
const OF_WHAT_IS_FREE: usize = 3;

/// What one session, or one principal without a session, uses.
#[derive(Debug)]
pub(super) struct Allowance {
    /// Bytes of messages that no server has taken yet.
    pub(super) budget: Budget,
    /// Requests that are being read or answered.
    open: Arc<AtomicUsize>,
    /// Requests that wait for a server's answer.
    in_flight: Arc<AtomicUsize>,
}

/// Counts one use of an [`Allowance`] until it is dropped.
#[derive(Debug)]
pub(super) struct AllowanceGuard(Arc<AtomicUsize>);

impl Allowance {
    pub(super) fn new(budget: Budget) -> Self {
        Self {
            budget,
            open: Arc::default(),
            in_flight: Arc::default(),
        }
    }

    /// Counts a request; `None` if this session already has its share of the `free` places.
    pub(super) fn open(&self, free: usize) -> Option<AllowanceGuard> {
        AllowanceGuard::new(&self.open, free)
    }

    /// Counts a request that waits for an answer, with the same limit.
    pub(super) fn wait(&self, free: usize) -> Option<AllowanceGuard> {
        AllowanceGuard::new(&self.in_flight, free)
    }

    fn is_unused(&self) -> bool {
        self.budget.is_whole()
            && self.open.load(Ordering::Relaxed) == 0
            && self.in_flight.load(Ordering::Relaxed) == 0
    }
}

#[cfg(test)]
impl Default for Allowance {
    fn default() -> Self {
        Self::new(Budget::new(1 << 20))
    }
}

impl AllowanceGuard {
    fn new(count: &Arc<AtomicUsize>, free: usize) -> Option<Self> {
        let held = count.load(Ordering::Relaxed);
        (held <= free.saturating_mul(OF_WHAT_IS_FREE)).then(|| {
            count.fetch_add(1, Ordering::Relaxed);
            Self(Arc::clone(count))
        })
    }
}

impl Drop for AllowanceGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One allowance per principal: a server that does not read does not delay the requests of other principals.
pub(super) struct Allowances {
    each: usize,
    pool: Pool,
    known: Mutex<HashMap<Principal, Arc<Allowance>>>,
}

impl Allowances {
    /// `each` is the limit of one principal in bytes; `pool` is the limit of all.
    pub(super) fn new(each: usize, pool: Pool) -> Self {
        Self {
            each,
            pool,
            known: Mutex::default(),
        }
    }

    /// A new allowance for a session.
    pub(super) fn one(&self) -> Arc<Allowance> {
        Arc::new(Allowance::new(Budget::within(&self.pool, self.each)))
    }

    /// The allowance of a principal.
    pub(super) fn of(&self, who: &Principal) -> Arc<Allowance> {
        let mut known = self.known.lock();
        if let Some(allowance) = known.get(who) {
            return Arc::clone(allowance);
        }
        if known.len() == known.capacity() {
            known.retain(|_, one| Arc::strong_count(one) > 1 || !one.is_unused());
        }
        let allowance = self.one();
        known.insert(who.clone(), Arc::clone(&allowance));
        allowance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_principal_with_something_in_flight_is_not_forgotten() {
        let allowances = Allowances::new(1 << 20, Pool::new(64 << 20));
        let who = |name: &str| Principal::of_credentials(name.as_bytes());
        let credit = allowances.of(&who("busy")).budget.take(1 << 20).await;
        for n in 0..1000 {
            allowances.of(&who(&n.to_string()));
        }
        assert!(allowances.known.lock().len() < 10);
        assert!(!allowances.of(&who("busy")).is_unused());
        drop(credit);
        assert!(allowances.of(&who("busy")).is_unused());
    }

    #[test]
    fn one_alone_has_three_quarters_and_the_next_three_quarters_of_the_rest() {
        let (one, two) = (Allowance::default(), Allowance::default());
        let mut free = 1000;
        let mut take = |of: &Allowance| {
            let guards = std::iter::from_fn(|| {
                let guard = of.open(free)?;
                free -= 1;
                Some(guard)
            });
            guards.collect::<Vec<_>>()
        };
        let (first, second) = (take(&one), take(&two));
        assert_eq!((first.len(), second.len()), (751, 187));
    }
}
