//! Asks the authorization server about tokens that are not JWTs, and remembers its answers for a while.

use std::sync::Arc;

use linkspan_auth::Timestamp;
use linkspan_auth::resource::{Digest, Expiring, Introspection, Policy, TokenError, Verified};
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::Clock;
use crate::Transport;

/// Answers that are remembered.
const MOST: usize = 4096;
/// Questions at once. Requests with the same token that wait here find the answer of the first one.
const AT_ONCE: usize = 8;

pub(super) struct Introspector {
    introspection: Introspection,
    transport: Arc<dyn Transport>,
    answers: Mutex<Expiring<Result<Verified, TokenError>>>,
    places: Semaphore,
}

impl Introspector {
    pub(super) fn new(introspection: Introspection, transport: Arc<dyn Transport>) -> Self {
        Self {
            introspection,
            transport,
            answers: Mutex::new(Expiring::new(MOST)),
            places: Semaphore::new(AT_ONCE),
        }
    }

    /// The verdict on a token; an error if there is none now.
    pub(super) async fn verdict(
        &self,
        token: &str,
        digest: Digest,
        policy: &Policy,
        clock: &Clock,
    ) -> Result<Result<Verified, TokenError>, String> {
        if let Some(known) = self.known(&digest, clock()) {
            return Ok(known);
        }
        let _place = self.places.acquire().await;
        if let Some(known) = self.known(&digest, clock()) {
            return Ok(known);
        }
        let Some(request) = self.introspection.request(token) else {
            return Ok(Err(TokenError::NotActive));
        };
        let response = self.transport.send(request).await;
        let response = response.map_err(|error| error.to_string())?;
        let now = clock();
        let verdict = self.introspection.judge(&response, policy, now);
        let verdict = verdict.map_err(|error| error.to_string())?;
        let until = Introspection::believed_until(&verdict, now);
        let mut answers = self.answers.lock();
        answers.insert(digest, verdict.clone(), until, now);
        Ok(verdict)
    }

    fn known(&self, digest: &Digest, now: Timestamp) -> Option<Result<Verified, TokenError>> {
        self.answers.lock().get(digest, now).cloned()
    }
}
