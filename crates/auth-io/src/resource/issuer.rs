//! The keys of one issuer, fetched once for all requests that wait for them.

use std::sync::Arc;

use linkspan_auth::Timestamp;
use linkspan_auth::jose::JwkSet;
use linkspan_auth::resource::{IssuerKeys, KeyFetch, Progress, Unanswered};
use parking_lot::Mutex;
use tokio::sync::watch;

use super::Clock;
use crate::Transport;

/// What a request needs of the keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Keys that are not too old.
    Fresh,
    /// Newer ones than there are: a token names an unknown key.
    Newer,
}

pub(super) struct Issuer {
    name: String,
    transport: Arc<dyn Transport>,
    state: Mutex<State>,
}

struct State {
    keys: IssuerKeys,
    /// Resolves when the fetch under way has ended.
    flight: Option<watch::Receiver<bool>>,
}

impl Issuer {
    pub(super) fn new(keys: IssuerKeys, transport: Arc<dyn Transport>) -> Arc<Self> {
        Arc::new(Self {
            name: keys.issuer().to_owned(),
            transport,
            state: Mutex::new(State { keys, flight: None }),
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn keys(&self) -> Option<Arc<JwkSet>> {
        self.state.lock().keys.keys().cloned()
    }

    /// Whether a token that was issued at this time may be signed by a key that we do not have yet.
    pub(super) fn may_be_newer(&self, issued: Option<Timestamp>) -> bool {
        self.state.lock().keys.may_be_newer(issued)
    }

    /// Fetches keys if that is needed and allowed now, or waits for the fetch that is under way. Keys that are only old
    /// are used while newer ones are fetched: an issuer that does not answer would hold up every request.
    pub(super) async fn refresh(self: &Arc<Self>, need: Need, clock: &Clock) {
        let flight = self.flight(need, clock);
        if need == Need::Fresh && self.keys().is_some() {
            return;
        }
        if let Some(mut flight) = flight {
            // An error means that the task has ended without a result, which ends the wait as well.
            let _ = flight.wait_for(|ended| *ended).await;
        }
    }

    fn flight(self: &Arc<Self>, need: Need, clock: &Clock) -> Option<watch::Receiver<bool>> {
        let now = clock();
        let mut state = self.state.lock();
        if need == Need::Fresh && state.keys.is_fresh(now) {
            return None;
        }
        if let Some(flight) = state
            .flight
            .as_ref()
            .filter(|one| one.has_changed().is_ok())
        {
            return Some(flight.clone());
        }
        let may_fetch = match need {
            Need::Fresh => state.keys.may_fetch(now),
            Need::Newer => state.keys.may_fetch_newer(now),
        };
        if !may_fetch {
            return None;
        }
        let fetch = state.keys.fetch(now)?;
        let (tell, told) = watch::channel(false);
        state.flight = Some(told.clone());
        drop(state);
        let (issuer, clock) = (self.clone(), clock.clone());
        // Detached: the request that caused it may be given up, and others wait for the same keys.
        tokio::spawn(async move {
            issuer.run(fetch, &clock).await;
            issuer.state.lock().flight = None;
            let _ = tell.send(true);
        });
        Some(told)
    }

    async fn run(&self, mut fetch: KeyFetch, clock: &Clock) {
        while let Some(request) = fetch.request() {
            let answer = self.transport.send(request).await;
            match fetch.on(answer.map_err(|error| Unanswered(error.to_string()))) {
                Progress::Next(next) => fetch = next,
                Progress::Done(fetched) => {
                    let now: Timestamp = clock();
                    tracing::debug!("{} keys of {}", fetched.keys.keys.len(), self.name);
                    return self.state.lock().keys.fetched(fetched, now);
                }
                Progress::Failed(error) => {
                    tracing::warn!("{error}");
                    break;
                }
            }
        }
        self.state.lock().keys.failed();
    }
}
