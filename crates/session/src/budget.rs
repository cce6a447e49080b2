//! A budget limits the bytes in flight. They are returned when the message has been delivered.
//!
//! A queue of 64 messages is no limit when one message may have 256 MB. So the task that reads from a peer takes credit
//! for what it reads; the credit travels in the envelope and is returned when that is dropped. If a peer does not read,
//! its counterpart has to wait, and memory does not grow.

mod pool;

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub use self::pool::Pool;
use self::pool::{Share, Taken};

/// Permits are counted in KiB so that 4 TiB fit a `u32`.
const UNIT: usize = 1024;

/// Messages below this size cost nothing: their number is bounded elsewhere.
const FREE: usize = 64 * 1024;

/// The bytes that one reader may have in flight.
#[derive(Debug, Clone)]
pub struct Budget {
    units: Arc<Semaphore>,
    total: u32,
    /// One message at a time may exceed the budget, so that it can finish: two messages that are each half read would
    /// otherwise wait for each other.
    overdraft: Arc<Semaphore>,
    /// Messages of up to that many bytes cost nothing.
    free: usize,
    /// The part of a pool, if there is one; small messages count there, too.
    share: Option<Share>,
}

/// Bytes in flight. Dropping the credit returns them.
#[derive(Debug, Default)]
pub struct Credit {
    units: Option<OwnedSemaphorePermit>,
    overdraft: Option<OwnedSemaphorePermit>,
    taken: Option<Box<Taken>>,
}

impl Budget {
    /// A budget of `bytes`.
    pub fn new(bytes: usize) -> Self {
        Self::with_free(bytes, FREE)
    }

    /// A budget of `bytes` that counts small messages too: for owners of many queues.
    pub fn strict(bytes: usize) -> Self {
        Self::with_free(bytes, 0)
    }

    /// A budget of `bytes` that also takes them, even for small messages, from a pool.
    pub fn within(pool: &Pool, bytes: usize) -> Self {
        Self {
            share: Some(pool.share()),
            ..Self::new(bytes)
        }
    }

    fn with_free(bytes: usize, free: usize) -> Self {
        let total = units(bytes).max(1);
        Self {
            free,
            share: None,
            units: Arc::new(Semaphore::new(total as usize)),
            total,
            overdraft: Arc::new(Semaphore::new(1)),
        }
    }

    /// Whether no credit is in use.
    pub fn is_whole(&self) -> bool {
        let overdrawn = self.overdraft.available_permits() == 0;
        let shared = self.share.as_ref().is_some_and(|share| share.held() > 0);
        !overdrawn && !shared && self.units.available_permits() == self.total as usize
    }

    /// Waits until `bytes` are free. A message larger than the whole budget takes all of it.
    pub async fn take(&self, bytes: usize) -> Credit {
        let mut credit = Credit::default();
        self.grow(&mut credit, bytes).await;
        credit
    }

    /// Raises a credit to `bytes` in all.
    pub async fn grow(&self, credit: &mut Credit, bytes: usize) {
        // First what only this budget's messages wait for: no other should wait meanwhile.
        self.grow_own(credit, bytes).await;
        if let Some(share) = &self.share {
            share.grow(&mut credit.taken, units(bytes)).await;
        }
    }

    async fn grow_own(&self, credit: &mut Credit, bytes: usize) {
        if bytes <= self.free {
            return;
        }
        if credit.overdraft.is_some() {
            return;
        }
        let held = credit.units();
        let more = units(bytes).min(self.total).saturating_sub(held);
        if more == 0 {
            return;
        }
        // A message without credit can wait; one that is half read may have to overdraw.
        let overdraw = async {
            match held {
                0 => std::future::pending().await,
                _ => Arc::clone(&self.overdraft).acquire_owned().await,
            }
        };
        // The semaphores are never closed.
        tokio::select! {
            biased;
            Ok(permit) = Arc::clone(&self.units).acquire_many_owned(more) => {
                match &mut credit.units {
                    Some(have) => have.merge(permit),
                    none => *none = Some(permit),
                }
            }
            Ok(permit) = overdraw => credit.overdraft = Some(permit),
            else => {}
        }
    }
}

impl Credit {
    fn units(&self) -> u32 {
        self.units.as_ref().map_or(0, |p| p.num_permits() as u32)
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::timeout;

    const MB: usize = 1 << 20;

    #[tokio::test(start_paused = true)]
    async fn credit_returns_when_the_message_is_dropped() {
        let budget = Budget::new(2 * MB);
        let first = budget.take(MB).await;
        let _second = budget.take(MB).await;
        let wait = Duration::from_secs(1);
        assert!(timeout(wait, budget.take(MB)).await.is_err());
        drop(first);
        assert!(timeout(wait, budget.take(MB)).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_above_the_whole_budget_still_passes_alone() {
        let budget = Budget::new(MB);
        let mut credit = budget.take(MB / 2).await;
        budget.grow(&mut credit, 10 * MB).await;
        assert!(
            timeout(Duration::from_secs(1), budget.take(MB / 2))
                .await
                .is_err()
        );
        drop(credit);
        budget.take(MB).await;
    }

    #[tokio::test(start_paused = true)]
    async fn two_messages_that_are_half_there_do_not_wait_for_each_other() {
        let budget = Budget::new(3 * MB);
        let mut one = budget.take(MB).await;
        let mut two = budget.take(MB).await;
        let wait = Duration::from_secs(1);
        budget.grow(&mut one, 2 * MB).await;
        assert!(timeout(wait, budget.grow(&mut one, 3 * MB)).await.is_ok());
        assert!(timeout(wait, budget.grow(&mut two, 3 * MB)).await.is_err());
        drop(one);
        assert!(timeout(wait, budget.grow(&mut two, 3 * MB)).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn small_messages_never_wait() {
        let budget = Budget::new(MB);
        let _all = budget.take(MB).await;
        budget.take(1000).await;
    }
}
