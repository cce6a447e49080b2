//! After a sign-in that led to nothing no person is asked for a while: a client may send its next message at once.

use std::time::Duration;

use linkspan_auth::Timestamp;
use tokio::time::Instant;

use super::{Account, Order};
use crate::worker::Failure;

impl Account {
    /// The user wants to be asked again, after a sign-in that led to nothing.
    pub fn ask_again(&self) {
        let mut state = self.inner.state.lock();
        state.pause = None;
        state.asks_again = true;
    }

    /// Asks a person, unless it is too early for that.
    pub(super) async fn ask(&self, mut order: Order) -> Result<(), Failure> {
        let pause = self.inner.state.lock().pause.clone();
        if let Some((failure, until)) = pause {
            let left = until.saturating_duration_since(Instant::now());
            if !left.is_zero() && !self.inner.is_satisfied(&order).await {
                let hint = format!(
                    "run `linkspan login URL`: the user is not asked again by a call for {} s",
                    left.as_secs().max(1)
                );
                return Err(Failure { hint, ..failure });
            }
            self.inner.state.lock().pause = None;
        }
        order.is_wanted = std::mem::take(&mut self.inner.state.lock().asks_again);
        let done = self.carry_out(order).await;
        if let Err(failure) = &done {
            self.note_pause(failure).await;
        }
        done
    }

    /// For how long no person is asked.
    pub(super) fn paused_for(&self) -> Option<Duration> {
        let state = self.inner.state.lock();
        let (_, until) = state.pause.as_ref()?;
        let left = until.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    /// Remembers a pause, so that calls fail without another look at the store.
    pub(super) async fn note_pause(&self, failure: &Failure) {
        let now = Timestamp::now();
        let pause = self
            .inner
            .stored(move |store, settings| store.login_pause(&settings.guard(), now));
        if let Ok(Some(left)) = pause.await {
            self.inner.state.lock().pause = Some((failure.clone(), Instant::now() + left));
        }
    }
}
