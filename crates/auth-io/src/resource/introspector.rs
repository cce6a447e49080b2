//! Asks the authorization server about tokens that are not JWTs, and remembers its answers for a while.

use std::sync::Arc;

use linkspan_auth::Timestamp;
use linkspan_auth::resource::{
    Digest, Expiring, Introspection, IntrospectionError, Policy, TokenError, Verified,
};
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::Clock;
use crate::{Transport, TransportError};

/// Answers of each kind that are remembered.
const MOST: usize = 4096;
/// Questions at once. Requests with the same token that wait here find the answer of the first one.
const AT_ONCE: usize = 8;
/// Requests that ask or wait for it. Anyone can make tokens up, and each is a question.
const WAITING: usize = 128;

pub(super) struct Introspector {
    introspection: Introspection,
    transport: Arc<dyn Transport>,
    accepted: Mutex<Expiring<Verified>>,
    /// Apart from the accepted ones, which made-up tokens would displace.
    refused: Mutex<Expiring<TokenError>>,
    places: Semaphore,
    queue: Semaphore,
}

/// Why there is no verdict now.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoVerdict {
    #[error("too many tokens wait for the introspection endpoint")]
    Busy,
    #[error(transparent)]
    Transport(#[from] TransportError),
    #[error(transparent)]
    Answer(#[from] IntrospectionError),
}

impl Introspector {
    pub(super) fn new(introspection: Introspection, transport: Arc<dyn Transport>) -> Self {
        Self {
            introspection,
            transport,
            accepted: Mutex::new(Expiring::new(MOST)),
            refused: Mutex::new(Expiring::new(MOST)),
            places: Semaphore::new(AT_ONCE),
            queue: Semaphore::new(WAITING),
        }
    }

    /// The verdict on a token; an error if there is none now.
    pub(super) async fn verdict(
        &self,
        token: &str,
        digest: Digest,
        policy: &Policy,
        clock: &Clock,
    ) -> Result<Result<Verified, TokenError>, NoVerdict> {
        if let Some(known) = self.known(&digest, clock()) {
            return Ok(known);
        }
        let _waits = self.queue.try_acquire().map_err(|_| NoVerdict::Busy)?;
        let _place = self.places.acquire().await;
        if let Some(known) = self.known(&digest, clock()) {
            return Ok(known);
        }
        let Some(request) = self.introspection.request(token) else {
            return Ok(Err(TokenError::NotActive));
        };
        let response = self.transport.send(request).await?;
        let now = clock();
        let verdict = self.introspection.judge(&response, policy, now)?;
        let until = Introspection::believed_until(&verdict, now);
        match verdict.clone() {
            Ok(verified) => self.accepted.lock().insert(digest, verified, until, now),
            Err(error) => self.refused.lock().insert(digest, error, until, now),
        }
        Ok(verdict)
    }

    fn known(&self, digest: &Digest, now: Timestamp) -> Option<Result<Verified, TokenError>> {
        if let Some(verified) = self.accepted.lock().get(digest, now) {
            return Some(Ok(verified.clone()));
        }
        self.refused.lock().get(digest, now).cloned().map(Err)
    }
}
