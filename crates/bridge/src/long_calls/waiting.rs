//! Calls of `wait_for` that wait.

use std::sync::Arc;
use std::time::Instant;

use linkspan_mcp::Era;
use linkspan_session::{Envelope, Later, now, sleep_until};
use linkspan_wire::Id;
use tokio::sync::oneshot;

use super::Shared;
use super::call::{Look, Owner};
use super::progress::Progress;
use super::results;

/// A call of `wait_for` that has not been answered.
pub(super) struct Wait {
    pub(super) handle: String,
    pub(super) id: Id,
    pub(super) progress: Option<Progress>,
    /// Dropping it ends the wait. Closed with the answer.
    pub(super) goes_on: oneshot::Sender<()>,
}

impl Wait {
    pub(super) fn is_over(&self) -> bool {
        self.goes_on.is_closed()
    }
}

/// What is waited for.
pub(super) struct Wanted {
    pub(super) handle: String,
    pub(super) owner: Owner,
    pub(super) id: Id,
    pub(super) era: Era,
    /// The name of `wait_for` in the client's list.
    pub(super) wait_for: String,
    /// When the client is told that the call still runs.
    pub(super) until: Instant,
}

/// The answer to a call of `wait_for`, at the latest when `ends` resolves. The call may run in another session.
pub(super) fn answer(shared: Arc<Shared>, wanted: Wanted, ends: oneshot::Receiver<()>) -> Later {
    Box::pin(async move {
        let look = look(&shared, &wanted, ends).await;
        let names = (&*wanted.handle, &*wanted.wait_for);
        let answer = results::waited(&wanted.id, wanted.era, look, now(), names);
        Envelope {
            about: Some(wanted.id),
            ..Envelope::new(answer)
        }
    })
}

async fn look(shared: &Shared, wanted: &Wanted, mut ends: oneshot::Receiver<()>) -> Look {
    let mut has_ended = false;
    loop {
        let changed = shared.changed.notified();
        tokio::pin!(changed);
        // A change between the look and the wait must not be missed.
        changed.as_mut().enable();
        let now = now();
        let look = shared.kept.lock().look(&wanted.handle, &wanted.owner, now);
        if !matches!(look, Look::Running { .. }) || now >= wanted.until || has_ended {
            return look;
        }
        tokio::select! {
            () = changed => {}
            _ = &mut ends => has_ended = true,
            () = sleep_until(Some(wanted.until)) => {}
        }
    }
}
