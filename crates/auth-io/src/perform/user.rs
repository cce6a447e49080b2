//! The part of a sign-in that a person takes: the browser, a code, or a pasted URL.

use std::sync::Arc;
use std::time::Duration;

use linkspan_auth::client::{Action, Authorize, ClientOptions, Demand, Granted, Input, SignIn};
use linkspan_auth::store::{CredentialKey, Record};
use linkspan_auth::{Secret, Timestamp};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use super::{Job, PerformError, Person, blocking, is_unknown_client, lifetime};
use crate::browser;
use crate::callback::{Callback, Expected};
use crate::prompt::{Prompt, Shown};

/// What happened in a sign-in, also in one that failed.
#[derive(Default)]
struct Attempt {
    /// The client of an earlier sign-in: its issuer and id.
    recalled: Option<(String, String)>,
    /// Whether a person was asked for something.
    is_asked: bool,
}

impl Job<'_> {
    /// A whole sign-in. A client of ours that the authorization server has forgotten is registered again, once.
    pub(super) async fn sign_in(
        &self,
        demand: &Demand,
        found: Option<&(CredentialKey, Record)>,
        client_shows_pages: bool,
        person: &mut Person<'_>,
    ) -> Result<Record, PerformError> {
        let guard = self.settings.guard();
        let mut may_register = true;
        loop {
            self.check_attempts(&guard, found.map(|(key, _)| key))
                .await?;
            let record = found.map(|(_, record)| record);
            let mut attempt = Attempt::default();
            let done = self.attempt(demand, record, client_shows_pages, person, &mut attempt);
            let error = match done.await {
                Ok(granted) => {
                    let kept = self.keep(granted).await?;
                    if attempt.is_asked {
                        let store = Arc::clone(&self.store);
                        blocking(move || store.end_login(&guard)).await?;
                    }
                    return Ok(kept);
                }
                Err(error) => error,
            };
            let is_unknown =
                matches!(&error, PerformError::SignIn(error) if is_unknown_client(error));
            // An unknown client gets a page with an error, and the browser does not come back.
            let is_unknown = is_unknown || matches!(error, PerformError::TooSlow(_));
            if let Some((issuer, client_id)) = attempt.recalled.filter(|_| is_unknown) {
                self.forget_client(&issuer, &client_id).await?;
                if may_register && !matches!(error, PerformError::TooSlow(_)) {
                    may_register = false;
                    continue;
                }
            }
            if attempt.is_asked {
                let store = Arc::clone(&self.store);
                blocking(move || store.fail_login(&guard, Timestamp::now())).await?;
            }
            return Err(error);
        }
    }

    /// Whether a sign-in may begin.
    async fn check_attempts(
        &self,
        guard: &CredentialKey,
        found: Option<&CredentialKey>,
    ) -> Result<(), PerformError> {
        if !self.settings.client.needs_user() {
            return match found {
                Some(key) => self.check_storm(key).await,
                None => Ok(()),
            };
        }
        let (store, guard, since) = (Arc::clone(&self.store), *guard, self.order.since);
        let is_wanted = self.order.is_wanted;
        let hindered = blocking(move || {
            if store.has_login_failed(&guard, since)? {
                return Ok(Some(PerformError::NotFinished));
            }
            let now = Timestamp::now();
            let pause = store.login_pause(&guard, now)?.filter(|_| !is_wanted);
            if pause.is_none() {
                store.begin_login(&guard, now)?;
            }
            Ok(pause.map(|left| PerformError::Paused(left.as_secs().max(1))))
        });
        match hindered.await? {
            Some(why) => Err(why),
            None => Ok(()),
        }
    }

    async fn attempt(
        &self,
        demand: &Demand,
        record: Option<&Record>,
        client_shows_pages: bool,
        person: &mut Person<'_>,
        attempt: &mut Attempt,
    ) -> Result<Granted, PerformError> {
        let settings = self.settings;
        let mut sign_in = self.machine(demand, record)?;
        if !settings.has_browser && !client_shows_pages && person.pasted.is_none() {
            sign_in = sign_in.without_browser();
        }
        let too_slow = || PerformError::TooSlow(settings.timeout.as_secs());
        let mut callback = None;
        let mut shown: Option<Shown> = None;
        let mut deadline = None;
        let mut action = sign_in.start()?;
        loop {
            let input = match action {
                Action::Send(request) => match self.send(request).await {
                    Ok(response) => Input::Response(response),
                    Err(error) => Input::Unreachable(error.to_string()),
                },
                Action::Recall { issuer } => {
                    let (store, own) = (Arc::clone(&self.store), issuer.clone());
                    let kept = blocking(move || store.registration(&own)).await?;
                    attempt.recalled = kept.as_ref().map(|kept| (issuer, kept.client_id.clone()));
                    Input::Recalled(kept)
                }
                Action::Listen { ports } => {
                    let bound = self.listen(ports).await?;
                    let port = bound.port;
                    callback = Some(bound);
                    Input::Listening(port)
                }
                Action::Authorize(page) => {
                    attempt.is_asked = true;
                    let prompt = self.open(&page, person).await;
                    shown = Some(settings.prompt_file().show(&prompt));
                    let waiting = self.redirected(&page, callback.take(), &mut person.pasted);
                    let answer = timeout(settings.timeout, waiting).await;
                    Input::Redirected(answer.map_err(|_| too_slow())??)
                }
                Action::Show(code) => {
                    attempt.is_asked = true;
                    let prompt = Prompt::device(&settings.shown_server(), &code);
                    (person.show)(&prompt);
                    shown = Some(settings.prompt_file().show(&prompt));
                    deadline = Some(Instant::now() + settings.timeout);
                    Input::Continue
                }
                Action::Wait(time) if deadline.is_some_and(|end| Instant::now() + time > end) => {
                    return Err(too_slow());
                }
                Action::Wait(time) => {
                    sleep(time).await;
                    Input::Continue
                }
                Action::Done(granted) => {
                    drop(shown);
                    tracing::info!(
                        "signed in at {}; {}",
                        granted.issuer,
                        lifetime(&granted.tokens)
                    );
                    return Ok(*granted);
                }
                Action::Found(_) => unreachable!("a whole sign-in was asked for"),
            };
            let next = sign_in.on(input, Timestamp::now());
            // Also of an attempt that fails now: the next one uses it.
            if let Some((issuer, client)) = sign_in.take_registered() {
                let store = Arc::clone(&self.store);
                blocking(move || store.save_registration(&issuer, client)).await?;
            }
            action = next?;
        }
    }

    fn machine(&self, demand: &Demand, record: Option<&Record>) -> Result<SignIn, PerformError> {
        let server = self.settings.server();
        let client = self.client_options()?;
        Ok(SignIn::new(client, server, demand.clone(), record))
    }

    /// The options, with the workload's JWT as it is now.
    fn client_options(&self) -> Result<Arc<ClientOptions>, PerformError> {
        let Some(file) = &self.settings.assertion_file else {
            return Ok(self.settings.client.clone());
        };
        let text = std::fs::read_to_string(file).map_err(|source| PerformError::Assertion {
            file: file.clone(),
            source,
        })?;
        let mut client = (*self.settings.client).clone();
        client.assertion = Some(Secret::new(text.trim()));
        Ok(Arc::new(client))
    }

    async fn listen(&self, mut ports: Vec<u16>) -> Result<Callback, PerformError> {
        let only = self.settings.callback_port;
        match only {
            Some(port) => ports = vec![port],
            None => ports.push(Callback::preferred(self.settings.server().as_str())),
        }
        let bound = Callback::bind(&ports, only.is_some()).await;
        bound.map_err(|error| PerformError::Callback(error.to_string()))
    }

    /// Shows the page, in a browser if there is one.
    async fn open(&self, page: &Authorize, person: &Person<'_>) -> Prompt {
        let opened = self.settings.has_browser
            && match person.opens {
                Some(open) => open(page.url.as_str()),
                None => browser::open(&page.url).await,
            };
        let prompt = Prompt::page(&self.settings.shown_server(), &page.url, opened);
        (person.show)(&prompt);
        prompt
    }

    /// The query of the answer: from the browser, or from a URL that the user pastes.
    async fn redirected(
        &self,
        page: &Authorize,
        callback: Option<Callback>,
        pasted: &mut Option<mpsc::Receiver<String>>,
    ) -> Result<String, PerformError> {
        let redirect = Url::parse(&page.redirect_uri).ok();
        let expected = Expected {
            state: page.state.clone(),
            path: redirect.map_or_else(String::new, |url| url.path().to_owned()),
            server: self.settings.shown_server().into(),
            success: self.settings.client.success_url.clone(),
        };
        let from_browser = async {
            match callback {
                Some(callback) => callback.answer(expected).await,
                None => std::future::pending().await,
            }
        };
        let from_paste = async {
            loop {
                match pasted {
                    Some(lines) => match lines.recv().await {
                        Some(line) => {
                            if let Some(query) = pasted_query(&line, &page.state) {
                                return query;
                            }
                            tracing::warn!("that is not the URL of the page after the sign-in");
                        }
                        None => *pasted = None,
                    },
                    None => sleep(Duration::MAX).await,
                }
            }
        };
        tokio::select! {
            answer = from_browser => answer.map_err(|error| PerformError::Callback(error.to_string())),
            query = from_paste => Ok(query),
        }
    }
}

/// The query of a pasted URL, if it belongs to this sign-in.
fn pasted_query(line: &str, state: &str) -> Option<String> {
    let url = Url::parse(line.trim()).ok()?;
    let is_ours = url
        .query_pairs()
        .any(|(name, value)| name == "state" && value == state);
    url.query().filter(|_| is_ours).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_url_of_this_sign_in_is_taken_from_the_clipboard() {
        let query = |line| pasted_query(line, "s");
        let right = "  http://127.0.0.1:1/callback?code=c&state=s\n";
        assert_eq!(query(right).as_deref(), Some("code=c&state=s"));
        assert_eq!(query("http://127.0.0.1:1/callback?code=c&state=x"), None);
        assert_eq!(query("hello"), None);
    }
}
