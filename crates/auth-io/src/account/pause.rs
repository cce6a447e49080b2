//! After a sign-in that led to nothing no person is asked for a while: a client may send its next message at once.

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
        if let Some(failure) = self.paused()
            && !self.inner.is_satisfied(&order).await
        {
            return Err(failure);
        }
        order.is_wanted = std::mem::take(&mut self.inner.state.lock().asks_again);
        let done = self.carry_out(order).await;
        if let Err(failure) = &done {
            self.note_pause(failure).await;
        }
        done
    }

    /// Why no person is asked now, after a sign-in that led to nothing.
    pub(super) fn paused(&self) -> Option<Failure> {
        let pause = self.inner.state.lock().pause.clone();
        let (failure, until) = pause?;
        let left = until.saturating_duration_since(Instant::now());
        let hint = format!(
            "run `linkspan login URL`: the user is not asked again by a call for {} s",
            left.as_secs().max(1)
        );
        (!left.is_zero()).then_some(Failure { hint, ..failure })
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
