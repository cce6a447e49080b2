//! How long a request waits while a person signs in.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::Account;
use crate::worker::Failure;

impl Account {
    /// How long a request waits for a person who has been asked to sign in; `None`: as long as the sign-in takes.
    /// A request that has waited so long fails, and was not run; the sign-in goes on.
    pub fn set_patience(&self, patience: Option<Duration>) {
        self.inner.patience.send_if_modified(|now| {
            let is_new = *now != patience;
            *now = patience;
            is_new
        });
    }

    /// The version of the credential at hand; `None` if there is none.
    pub fn generation(&self) -> Option<u64> {
        self.inner.live().map(|live| live.generation)
    }

    /// Waits for `done` as long as [`Account::set_patience`] says.
    pub(super) async fn patiently(
        &self,
        done: impl Future<Output = Result<(), Failure>>,
    ) -> Result<(), Failure> {
        tokio::select! {
            biased;
            done = done => done,
            () = self.impatience() => Err(self.under_way()),
        }
    }

    /// Resolves when a person has been asked for longer than a request waits.
    async fn impatience(&self) {
        let mut prompts = self.prompts();
        let mut patience = self.inner.patience.subscribe();
        let mut asked = None;
        loop {
            let is_asked = prompts.borrow_and_update().is_some();
            asked = is_asked.then(|| asked.unwrap_or_else(Instant::now));
            let limit = *patience.borrow_and_update();
            let until = asked
                .zip(limit)
                .and_then(|(at, limit)| at.checked_add(limit));
            tokio::select! {
                () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => return,
                // Neither of them ends before the account.
                _ = prompts.changed() => {}
                _ = patience.changed() => {}
            }
        }
    }

    fn under_way(&self) -> Failure {
        let prompt = self.inner.prompts.borrow();
        let what = prompt.as_ref().map(|prompt| match &prompt.user_code {
            Some(code) => format!("open {} in a browser and enter the code {code}", prompt.url),
            None => format!("open {} in a browser", prompt.url),
        });
        Failure {
            why: what.unwrap_or_else(|| "the sign-in is under way".to_owned()),
            hint: "sign in on that page, or run `linkspan login URL`, and call again; this call has not run"
                .to_owned(),
            transient: true,
            not_offered: false,
        }
    }
}
