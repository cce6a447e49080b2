//! The part of a sign-in that a person takes: the browser, a code, or a pasted URL.

use std::sync::Arc;
use std::time::Duration;

use linkspan_auth::client::{Action, Authorize, ClientOptions, Demand, Input, SignIn};
use linkspan_auth::store::{CredentialKey, Record};
use linkspan_auth::{Secret, Timestamp};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use url::Url;

use super::{Job, PerformError, Person, blocking, lifetime};
use crate::browser;
use crate::callback::Callback;
use crate::prompt::{Prompt, Shown};

impl Job<'_> {
    /// A whole sign-in.
    pub(super) async fn sign_in(
        &self,
        demand: Demand,
        record: Option<&Record>,
        client_shows_pages: bool,
        mut person: Person<'_>,
    ) -> Result<Record, PerformError> {
        let settings = self.settings;
        let server = settings.server().clone();
        if settings.client.needs_user() {
            // One guard per server: the credential's own key is not known before the sign-in.
            let guard = CredentialKey::of("", Some(server.as_str()), "", &settings.profile(), &[]);
            let store = Arc::clone(&self.store);
            blocking(move || store.begin_login(&guard, Timestamp::now())).await?;
        }
        let client = self.client_options()?;
        let mut sign_in = SignIn::new(client, &server, demand, record);
        if !settings.has_browser && !client_shows_pages && person.pasted.is_none() {
            sign_in = sign_in.without_browser();
        }
        let mut callback = None;
        let mut shown: Option<Shown> = None;
        let mut action = sign_in.start()?;
        loop {
            let input = match action {
                Action::Send(request) => match self.send(request).await {
                    Ok(response) => Input::Response(response),
                    Err(error) => Input::Unreachable(error.to_string()),
                },
                Action::Recall { issuer } => {
                    let store = Arc::clone(&self.store);
                    Input::Recalled(blocking(move || store.registration(&issuer)).await?)
                }
                Action::Listen { ports } => {
                    let bound = self.listen(ports).await?;
                    let port = bound.port;
                    callback = Some(bound);
                    Input::Listening(port)
                }
                Action::Authorize(page) => {
                    let prompt = self.open(&page, &person).await;
                    shown = Some(settings.prompt_file().show(&prompt));
                    let waiting = self.redirected(&page, callback.take(), &mut person.pasted);
                    let seconds = settings.timeout.as_secs();
                    let answer = timeout(settings.timeout, waiting).await;
                    Input::Redirected(answer.map_err(|_| PerformError::TooSlow(seconds))??)
                }
                Action::Show(code) => {
                    let prompt = Prompt::device(&server, &code);
                    (person.show)(&prompt);
                    shown = Some(settings.prompt_file().show(&prompt));
                    Input::Continue
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
                    return self.keep(*granted).await;
                }
                Action::Found(_) => unreachable!("a whole sign-in was asked for"),
            };
            action = sign_in.on(input, Timestamp::now())?;
        }
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
        let opened = self.settings.has_browser && browser::open(&page.url).await;
        let prompt = Prompt::page(self.settings.server(), &page.url, opened);
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
        let server = self.settings.server().as_str();
        let from_browser = async {
            match callback {
                Some(callback) => callback.answer(&page.state, server).await,
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
