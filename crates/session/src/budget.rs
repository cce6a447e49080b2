//! Bytes in flight are borrowed from a budget and given back when the message has been delivered.
//!
//! A queue of 64 messages is no bound when one message may have 256 MB. So whoever reads from a
//! peer takes credit for what it reads; the credit travels in the envelope and comes back when that
//! is dropped. A peer that does not read makes its counterpart wait, not our memory grow.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Permits are counted in KiB so that 4 TiB fit a `u32`.
const UNIT: usize = 1024;

/// Messages below this cost nothing: the number of them is bounded elsewhere.
const FREE: usize = 64 * 1024;

/// How many bytes one reader may have in flight.
#[derive(Debug, Clone)]
pub struct Budget {
    units: Arc<Semaphore>,
    total: u32,
}

/// Bytes that are in flight. Dropping it gives them back.
#[derive(Debug, Default)]
pub struct Credit(Option<OwnedSemaphorePermit>);

impl Budget {
    /// A budget of `bytes`.
    pub fn new(bytes: usize) -> Self {
        let total = units(bytes).max(1);
        Self {
            units: Arc::new(Semaphore::new(total as usize)),
            total,
        }
    }

    /// Waits until `bytes` are free. A message larger than the whole budget takes all of it.
    pub async fn take(&self, bytes: usize) -> Credit {
        let mut credit = Credit::default();
        self.grow(&mut credit, bytes).await;
        credit
    }

    /// Raises a credit to `bytes` in all.
    pub async fn grow(&self, credit: &mut Credit, bytes: usize) {
        if bytes <= FREE {
            return;
        }
        let held = credit.units();
        let more = units(bytes).min(self.total).saturating_sub(held);
        if more == 0 {
            return;
        }
        // The semaphore is never closed, so this only waits.
        if let Ok(permit) = Arc::clone(&self.units).acquire_many_owned(more).await {
            match &mut credit.0 {
                Some(have) => have.merge(permit),
                none => *none = Some(permit),
            }
        }
    }
}

impl Credit {
    fn units(&self) -> u32 {
        self.0.as_ref().map_or(0, |p| p.num_permits() as u32)
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
    async fn credit_comes_back_when_the_message_is_gone() {
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
    async fn small_messages_never_wait() {
        let budget = Budget::new(MB);
        let _all = budget.take(MB).await;
        budget.take(1000).await;
    }
}
