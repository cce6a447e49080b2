//! What a refusal of the server leads to.

use std::sync::atomic::Ordering;
use std::time::Duration;

use linkspan_auth::Timestamp;
use linkspan_auth::client::{Demand, union};
use linkspan_ports::{Again, AuthRefusal};
use linkspan_session::Fault;
use tokio::time::Instant;

use super::Account;
use crate::settings::Task;
use crate::worker::Failure;

/// Sign-ins for more scopes that one request may lead to; with the first sign-in, three.
const STEP_UPS: u32 = 2;
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
        if refusal.attempt == 0 && self.has_newer(&refusal) {
            return Ok(Again::Retry);
        }
        let refused = self.inner.state.lock().refused.clone();
        if let Some((failure, _)) = refused.filter(|(_, at)| at.elapsed() < REFUSED) {
            return Err(self.inner.fault(failure));
        }
        let is_wanted = self.inner.state.lock().asks_again;
        let is_hopeless = self.is_in_vain(&refusal) || self.paused().is_some();
        let needs_user = self.inner.settings.client.needs_user();
        let may_ask = refusal.may_ask || !needs_user;
        if !may_ask || is_hopeless && !is_wanted {
            return self.go_on_without_asking(&refusal, demand).await;
        }
        let task = Task::SignIn {
            demand,
            may_refresh: refusal.attempt == 0 && !is_wanted,
            may_ask: true,
            client_shows_pages: self.inner.state.lock().client_shows_pages,
        };
        let order = self.inner.order(refusal.generation, task);
        match self.ask(order).await {
            Ok(()) => Ok(Again::Retry),
            // A server with keys of its own: its refusal says more than we could.
            Err(failure) if failure.not_offered => {
                self.inner.state.lock().not_offered = Some(Instant::now());
                Ok(Again::Stop)
            }
            Err(failure) if !needs_user && !failure.transient => Err(self.not_again(failure)),
            Err(failure) => Err(self.inner.fault(failure)),
        }
    }

    /// Whether there is a newer credential than the one that was refused.
    fn has_newer(&self, refusal: &AuthRefusal) -> bool {
        let live = self.inner.live();
        live.is_some_and(|live| refusal.generation.is_none_or(|seen| live.generation > seen))
    }

    /// Whether the server refuses what the sign-in has just led to, and has never accepted it. Of a sign-in that was made
    /// before this process began it is not known what the server accepted.
    fn is_in_vain(&self, refusal: &AuthRefusal) -> bool {
        let accepted = self.inner.accepted.load(Ordering::Relaxed);
        let (live, signed_in) = {
            let state = self.inner.state.lock();
            (state.live.clone(), state.signed_in)
        };
        signed_in.is_some_and(|first| accepted < first)
            && live
                .is_some_and(|live| refusal.generation == Some(live.generation) && live.is_fresh())
    }

    /// Renews the token if that is possible, or takes one that another process has got.
    async fn go_on_without_asking(
        &self,
        refusal: &AuthRefusal,
        demand: Demand,
    ) -> Result<Again, Fault> {
        let is_in_vain = self.is_in_vain(refusal);
        self.inner.load().await;
        if self.has_newer(refusal) {
            return Ok(Again::Retry);
        }
        let can_refresh = self.inner.live().is_some_and(|live| live.can_refresh());
        let paused = self.paused();
        if can_refresh && refusal.attempt == 0 && !(is_in_vain && paused.is_some()) {
            let task = Task::SignIn {
                demand,
                may_refresh: true,
                may_ask: false,
                client_shows_pages: false,
            };
            let order = self.inner.order(refusal.generation, task);
            match self.carry_out(order).await {
                Ok(()) => return Ok(Again::Retry),
                Err(failure) if failure.transient => {
                    return Err(self.inner.fault(failure));
                }
                Err(_) => {}
            }
        }
        if is_in_vain {
            return Err(self.refused_at_once().await);
        }
        if let Some(failure) = paused {
            return Err(self.inner.fault(failure));
        }
        // The standing stream: it is asked for again later.
        if refusal.attempt > 0 {
            return Ok(Again::Stop);
        }
        Err(self.inner.fault(Failure {
            why: "a call begins the sign-in".to_owned(),
            hint: "run `linkspan login URL`".to_owned(),
            transient: true,
            not_offered: false,
        }))
    }

    /// The server refuses every token: says so, and asks no person for a while.
    async fn refused_at_once(&self) -> Fault {
        let failure = Failure {
            why: "it refuses the token that the sign-in has just led to".to_owned(),
            hint: "another sign-in leads to the same: check --scope, --client-id and the account, or tell the operator \
                   of the server (the audience of its tokens)"
                .to_owned(),
            transient: false,
            not_offered: false,
        };
        if !self.inner.settings.client.needs_user() {
            return self.not_again(failure);
        }
        if self.paused().is_none() {
            let noted = self
                .inner
                .stored(|store, settings| store.fail_login(&settings.guard(), Timestamp::now()));
            if let Err(error) = noted.await {
                tracing::warn!("{error}");
            }
            self.note_pause(&failure).await;
        }
        self.inner.fault(failure)
    }

    /// Credentials without a user are not shown again at once.
    fn not_again(&self, failure: Failure) -> Fault {
        self.inner.state.lock().refused = Some((failure.clone(), Instant::now()));
        self.inner.fault(failure)
    }

    /// The token allows too little: asks for the scopes that are missing.
    async fn step_up(&self, refusal: AuthRefusal, demand: Demand) -> Result<Again, Fault> {
        if !refusal.may_ask && self.inner.settings.client.needs_user() {
            return Ok(Again::Stop);
        }
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
            may_ask: true,
            client_shows_pages: self.inner.state.lock().client_shows_pages,
        };
        let order = self.inner.order(refusal.generation, task);
        let done = self.ask(order).await;
        done.map_err(|failure| self.inner.fault(failure))?;
        Ok(Again::Retry)
    }
}
