//! A pool of bytes that many budgets share.
//!
//! Without further rules, a few peers that do not read could take everything. So a quarter of the pool is reserved, and
//! a budget may take as much of the rest as is free: one alone gets half, two get a third each. Every budget may take a
//! small part of the reserve, so that 256 of them can always make progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::units;

/// The reserved part of the pool, and the part of it that each budget may always take.
const RESERVED: u32 = 4;
const ALWAYS: u32 = 4 * 256;

/// The bytes of all budgets that were made within it. Clones share the pool.
#[derive(Debug, Clone)]
pub struct Pool(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    total: u32,
    free: Mutex<u32>,
    freed: Notify,
    /// One message at a time may exceed its budget's part: two that are each half read would otherwise wait for each
    /// other.
    overdraft: Arc<Semaphore>,
}

/// One budget's part.
#[derive(Debug, Clone)]
pub(super) struct Share {
    pool: Pool,
    held: Arc<AtomicU32>,
}

/// The bytes of one message.
#[derive(Debug)]
pub(super) struct Taken {
    share: Share,
    units: u32,
    overdraft: Option<OwnedSemaphorePermit>,
}

impl Pool {
    /// A pool of `bytes`. One message at a time may exceed it.
    pub fn new(bytes: usize) -> Self {
        let total = units(bytes).max(ALWAYS);
        Self(Arc::new(Inner {
            total,
            free: Mutex::new(total),
            freed: Notify::new(),
            overdraft: Arc::new(Semaphore::new(1)),
        }))
    }

    pub(super) fn share(&self) -> Share {
        Share {
            pool: self.clone(),
            held: Arc::default(),
        }
    }

    fn free(&self) -> MutexGuard<'_, u32> {
        self.0.free.lock()
    }
}

impl Share {
    pub(super) fn held(&self) -> u32 {
        self.held.load(Ordering::Relaxed)
    }

    /// Waits until the message can have `units`.
    pub(super) async fn grow(&self, taken: &mut Option<Box<Taken>>, units: u32) {
        if units == 0 {
            return;
        }
        let taken = taken.get_or_insert_with(|| {
            Box::new(Taken {
                share: self.clone(),
                units: 0,
                overdraft: None,
            })
        });
        // More than this could never be free.
        let units = units.min(self.pool.0.total / RESERVED);
        loop {
            let more = units.saturating_sub(taken.units);
            if more == 0 || taken.overdraft.is_some() {
                return;
            }
            let freed = self.pool.0.freed.notified();
            tokio::pin!(freed);
            freed.as_mut().enable();
            if self.take(more) {
                taken.units += more;
                return;
            }
            let half_there = taken.units > 0;
            let overdraft = Arc::clone(&self.pool.0.overdraft);
            tokio::select! {
                biased;
                Ok(permit) = overdraft.acquire_owned(), if half_there => {
                    taken.overdraft = Some(permit);
                }
                () = freed => {}
            }
        }
    }

    fn take(&self, units: u32) -> bool {
        let mut free = self.pool.free();
        let total = self.pool.0.total;
        let wanted = self.held().saturating_add(units);
        let little = wanted <= total / ALWAYS && units <= *free;
        let fits = little || wanted <= free.saturating_sub(total / RESERVED);
        if fits {
            *free -= units;
            self.held.fetch_add(units, Ordering::Relaxed);
        }
        fits
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        *self.share.pool.free() += self.units;
        self.share.held.fetch_sub(self.units, Ordering::Relaxed);
        // The permit is released after this, so that a message that waits for it sees the current number of free units.
        self.overdraft = None;
        self.share.pool.0.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;
    use std::time::Duration;
    use tokio::time::timeout;

    const MB: usize = 1 << 20;
    const WAIT: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_budget_alone_leaves_as_much_as_it_gets_for_others() {
        let pool = Pool::new(8 * MB);
        let (one, two) = (
            Budget::within(&pool, 100 * MB),
            Budget::within(&pool, 100 * MB),
        );
        let mut held = Vec::new();
        while let Ok(credit) = timeout(WAIT, one.take(1000)).await {
            held.push(credit);
        }
        assert_eq!(held.len(), 3072, "small messages count as a unit each");
        assert!(timeout(WAIT, two.take(2 * MB)).await.is_ok());
        held.truncate(1000);
        assert!(timeout(WAIT, one.take(MB)).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn all_budgets_together_stay_within_the_pool() {
        let pool = Pool::new(8 * MB);
        let budgets: Vec<_> = (0..50).map(|_| Budget::within(&pool, MB)).collect();
        let mut held = Vec::new();
        for budget in &budgets {
            while let Ok(credit) = timeout(WAIT, budget.take(10_000)).await {
                held.push(credit);
            }
        }
        assert!(held.len() * 10_000 <= 8 * MB, "{}", held.len());
        let late = Budget::within(&pool, MB);
        assert!(timeout(WAIT, late.take(8000)).await.is_ok());
        drop(held);
        assert!(budgets.iter().all(Budget::is_whole));
        assert_eq!(*pool.free(), pool.0.total);
    }

    #[tokio::test(start_paused = true)]
    async fn of_half_read_messages_one_can_always_finish() {
        let pool = Pool::new(16 * MB);
        let budgets = [(); 6].map(|()| Budget::within(&pool, 100 * MB));
        let mut half = Vec::new();
        for budget in &budgets {
            half.push(budget.take(2 * MB).await);
        }
        let [one, two, three, ..] = &mut half[..] else {
            unreachable!()
        };
        assert!(timeout(WAIT, budgets[0].grow(one, 4 * MB)).await.is_ok());
        assert!(timeout(WAIT, budgets[1].grow(two, 4 * MB)).await.is_err());
        drop(std::mem::take(one));
        assert!(timeout(WAIT, budgets[1].grow(two, 4 * MB)).await.is_ok());
        assert!(timeout(WAIT, budgets[2].grow(three, 4 * MB)).await.is_err());
        drop(std::mem::take(two));
        assert!(timeout(WAIT, budgets[2].grow(three, 4 * MB)).await.is_ok());
    }
}
