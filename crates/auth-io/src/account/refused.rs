//! What a refusal of the server leads to.

use std::time::Duration;

use linkspan_auth::client::{Demand, union};
use linkspan_ports::{Again, AuthRefusal};
use linkspan_session::Fault;
use tokio::time::Instant;

use super::Account;
use crate::settings::Task;

/// Sign-ins for more scopes that one request may lead to; with the first sign-in, three.
const STEP_UPS: u32 = 2;
/// How long after a sign-in a refused token is no reason for another one.
const FRESH: Duration = Duration::from_secs(60);
/// How long an assertion or secret that was refused is not shown again.
const REFUSED: Duration = Duration::from_secs(60);
/// How long a sign-in that cannot help is not tried again.
const HOPELESS: Duration = Duration::from_secs(300);

impl Account {
    pub(super) async fn on_refused(&self, refusal: AuthRefusal) -> Result<Again, Fault> {
        let demand = Demand::read(refusal.challenges.iter().map(String::as_str));
        let is_forbidden = refusal.status == 403;
        let demand = match demand {
            Some(demand) => demand,
            // Some servers of 2025-03-26 send no challenge.
            None if !is_forbidden && refusal.challenges.is_empty() => Demand::default(),
            None => return Ok(Again::Stop),
        };
        if demand.wants_nonce() {
            // It came with the response, and was noted.
            let is_first = refusal.attempt == 0 || refusal.generation.is_some();
            return Ok(if is_first { Again::Retry } else { Again::Stop });
        }
        if demand.is_insufficient_scope() {
            return self.step_up(refusal, demand).await;
        }
        if is_forbidden {
            return Ok(Again::Stop);
        }
        let seen = self.inner.state.lock().not_offered;
        if seen.is_some_and(|at| at.elapsed() < HOPELESS) {
            return Ok(Again::Stop);
        }
        let live = self.inner.live();
        let newer = live
            .as_ref()
            .is_some_and(|live| refusal.generation.is_none_or(|seen| live.generation > seen));
        if newer && refusal.attempt == 0 {
            return Ok(Again::Retry);
        }
        // A person has just signed in, and the new token is refused as well: the server wants another one.
        let may_refresh = refusal.attempt == 0;
        let asked = self.inner.state.lock().asked;
        if !may_refresh && asked.is_some_and(|at| at.elapsed() < FRESH) {
            return Ok(Again::Stop);
        }
        let asks = !may_refresh || refusal.generation.is_none();
        let task = Task::SignIn {
            demand,
            may_refresh,
            client_shows_pages: self.inner.state.lock().client_shows_pages,
        };
        let refused = self.inner.state.lock().refused.clone();
        if let Some((failure, _)) = refused.filter(|(_, at)| at.elapsed() < REFUSED) {
            return Err(self.inner.fault(failure));
        }
        let order = self.inner.order(refusal.generation, task);
        match self.ask(order).await {
            Ok(()) => {
                if asks {
                    self.inner.state.lock().asked = Some(Instant::now());
                }
                Ok(Again::Retry)
            }
            // A server with keys of its own: its refusal says more than we could.
            Err(failure) if failure.not_offered => {
                self.inner.state.lock().not_offered = Some(Instant::now());
                Ok(Again::Stop)
            }
            Err(failure) if !self.inner.settings.client.needs_user() && !failure.transient => {
                self.inner.state.lock().refused = Some((failure.clone(), Instant::now()));
                Err(self.inner.fault(failure))
            }
            Err(failure) => Err(self.inner.fault(failure)),
        }
    }

    /// The token allows too little: asks for the scopes that are missing.
    async fn step_up(&self, refusal: AuthRefusal, demand: Demand) -> Result<Again, Fault> {
        let live = self.inner.live();
        let before = live.map(|live| live.requested.clone()).unwrap_or_default();
        let wanted = union(&before, demand.scope.as_deref().unwrap_or_default());
        {
            let mut state = self.inner.state.lock();
            let is_hopeless = state
                .hopeless
                .as_ref()
                .is_some_and(|(scopes, since)| *scopes == wanted && since.elapsed() < HOPELESS);
            if is_hopeless || refusal.attempt >= STEP_UPS {
                state.hopeless = Some((wanted, Instant::now()));
                return Ok(Again::Stop);
            }
        }
        let task = Task::SignIn {
            demand,
            may_refresh: false,
            client_shows_pages: self.inner.state.lock().client_shows_pages,
        };
        let order = self.inner.order(refusal.generation, task);
        let done = self.ask(order).await;
        done.map_err(|failure| self.inner.fault(failure))?;
        Ok(Again::Retry)
    }
}
