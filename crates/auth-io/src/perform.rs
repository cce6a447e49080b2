//! A refresh or a sign-in, under the lock of the credential: read, still needed?, network, write.

mod user;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_auth::client::{Demand, Granted, Refresh, Refreshed, SignInError};
use linkspan_auth::store::import::ImportError;
use linkspan_auth::store::{
    CredentialKey, CredentialLock, LockName, Record, Status, Store, StoreError, Tokens,
};
use linkspan_auth::{HttpRequest, HttpResponse, Timestamp};
use tokio::sync::mpsc;

use crate::prompt::Prompt;
use crate::settings::{Order, Settings, Task};
use crate::transport::Transport;

/// Why there is no new credential.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PerformError {
    /// The sign-in failed.
    #[error(transparent)]
    SignIn(#[from] SignInError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A refresh is not possible any more.
    #[error("the sign-in has expired")]
    NeedsLogin,
    /// The listener for the browser failed.
    #[error("{0}")]
    Callback(String),
    /// The file with the workload's JWT cannot be read.
    #[error("cannot read {}: {source}", file.display())]
    Assertion {
        /// Which one.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There are no files to import.
    #[error("there is no sign-in of mcp-remote for this server in {}", .0.display())]
    NothingToImport(PathBuf),
    /// The files to import cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The user did not sign in within the time.
    #[error("no sign-in within {0} s")]
    TooSlow(u64),
    /// The user was asked a short time ago, and that led to nothing.
    #[error("the last sign-in led to nothing; the user is not asked again for {0} s")]
    Paused(u64),
    /// The user was asked by another process or for another request, and the sign-in failed.
    #[error("the sign-in that was under way was not finished")]
    NotFinished,
    /// The server is on a Unix socket.
    #[error("a server on a Unix socket has no URL to sign in to")]
    NoUrl,
    /// The requests to the server are signed.
    #[error("--aws-sigv4 signs every request, so there is no sign-in")]
    IsSigned,
}

impl PerformError {
    /// What the user can do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::SignIn(error) => error.hint(),
            Self::Store(StoreError::Storm(_)) => {
                "something refuses the tokens again and again: see the log with --debug, and try again in a minute"
            }
            Self::Store(_) => "see what it says; `linkspan auth list` shows what is stored",
            Self::NeedsLogin | Self::TooSlow(_) | Self::NotFinished => "run `linkspan login URL`",
            Self::Paused(_) => "run `linkspan login URL`, which asks at once",
            Self::Assertion { .. } => "check --assertion-file",
            Self::NoUrl => "give commands that use it a token with --bearer-env VAR",
            Self::IsSigned => "`aws sso login` renews the keys of a profile",
            Self::Import(ImportError::NoClient) => {
                "give the client as you gave it to mcp-remote, with --client-id and --client-secret-env"
            }
            Self::NothingToImport(_) | Self::Import(_) => {
                "give the URL, --resource and -H exactly as they were given to mcp-remote, or run `linkspan login URL`"
            }
            Self::Callback(_) => {
                "give another port with --callback-port, or end the program that has it"
            }
        }
    }

    /// Whether another try may work without a change by the user.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::SignIn(error) if error.is_transient())
    }

    /// Whether a sign-in may lead to tokens where a refresh did not.
    fn needs_sign_in(&self) -> bool {
        match self {
            Self::NeedsLogin => true,
            Self::SignIn(error) => !error.is_transient(),
            _ => false,
        }
    }
}

/// How a sign-in reaches the user.
pub struct Person<'a> {
    /// Shows a prompt.
    pub show: &'a (dyn Fn(&Prompt) + Send + Sync),
    /// Starts a browser with a page, in place of our own way; says whether one was started.
    pub opens: Option<&'a (dyn Fn(&str) -> bool + Send + Sync)>,
    /// URLs that the user pastes, if there is a place to paste them.
    pub pasted: Option<mpsc::Receiver<String>>,
}

/// How long a refresh waits for another process. A person may take longer, and the old token is still good.
const REFRESH_PATIENCE: Duration = Duration::from_secs(30);

/// Does what is ordered, unless another process has done it meanwhile. Returns the credential that is then in the store.
pub async fn perform(
    settings: &Settings,
    order: &Order,
    transport: &dyn Transport,
    mut person: Person<'_>,
) -> Result<Record, PerformError> {
    let job = Job {
        settings,
        order,
        store: Arc::new(Store::open(settings.store.clone())?),
        transport,
    };
    let _lock = job.lock(settings.lock()).await?;
    // A process that was killed in a sign-in leaves its prompt behind.
    settings.prompt_file().remove();
    let mut found = job.find().await?;
    // Servers with one resource share a credential.
    let _own = match &found {
        Some((key, _)) => {
            let own = job.lock(LockName::from(key)).await?;
            found = job.find().await?;
            Some(own)
        }
        None => None,
    };
    if let Some((_, record)) = &found
        && record.status == Status::Active
        && let Some(tokens) = &record.tokens
        && order.is_satisfied_by(record.generation, &record.requested, tokens)
    {
        return Ok(record.clone());
    }
    match (&order.task, &found) {
        (Task::Refresh, Some((key, record))) if settings.client.needs_user() => {
            job.refresh(key, record.clone()).await
        }
        // Grants without a user have no refresh tokens: the grant itself is repeated.
        (Task::Refresh, Some(_)) => {
            job.sign_in(&Demand::default(), found.as_ref(), false, &mut person)
                .await
        }
        (Task::Refresh, None) => Err(PerformError::NeedsLogin),
        (
            Task::SignIn {
                demand,
                may_refresh,
                may_ask,
                client_shows_pages,
            },
            _,
        ) => {
            if let Some((key, record)) = &found
                && *may_refresh
                && record.status == Status::Active
                && !demand.is_insufficient_scope()
            {
                match job.refresh(key, record.clone()).await {
                    Err(error) if error.needs_sign_in() => tracing::debug!("no refresh: {error}"),
                    done => return done,
                }
            }
            if !may_ask {
                return Err(PerformError::NeedsLogin);
            }
            job.sign_in(demand, found.as_ref(), *client_shows_pages, &mut person)
                .await
        }
    }
}

struct Job<'a> {
    settings: &'a Settings,
    order: &'a Order,
    store: Arc<Store>,
    transport: &'a dyn Transport,
}

impl Job<'_> {
    async fn lock(&self, name: LockName) -> Result<CredentialLock, PerformError> {
        let store = Arc::clone(&self.store);
        let patience = match self.order.task {
            Task::Refresh => REFRESH_PATIENCE.min(self.settings.timeout),
            Task::SignIn { .. } => self.settings.timeout,
        };
        Ok(blocking(move || store.lock_within(name, patience)).await?)
    }

    /// Whether tokens may be requested again so soon.
    async fn check_storm(&self, key: &CredentialKey) -> Result<(), PerformError> {
        let (store, key) = (Arc::clone(&self.store), *key);
        Ok(blocking(move || store.check_storm(&key, Timestamp::now())).await?)
    }

    async fn find(&self) -> Result<Option<(CredentialKey, Record)>, PerformError> {
        let (store, server) = (Arc::clone(&self.store), self.settings.server().clone());
        let profile = self.settings.profile();
        Ok(blocking(move || store.find(&server, &profile)).await?)
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, SignInError> {
        let sent = self.transport.send(request).await;
        sent.map_err(|error| SignInError::Unreachable(error.to_string()))
    }

    /// Renews the tokens of a record.
    async fn refresh(&self, key: &CredentialKey, record: Record) -> Result<Record, PerformError> {
        let started = Refresh::start(&record, &self.settings.client, None)?;
        let Some(mut refresh) = started else {
            return Err(PerformError::NeedsLogin);
        };
        self.check_storm(key).await?;
        let mut request = refresh.request(Timestamp::now())?;
        loop {
            let response = self.send(request).await?;
            match refresh.answered(&response, Timestamp::now()) {
                Ok(Refreshed::Tokens(tokens)) => {
                    tracing::debug!("new tokens for {}", record.shown_server());
                    return self
                        .write(
                            key,
                            Record {
                                tokens: Some(*tokens),
                                ..record
                            },
                        )
                        .await;
                }
                Ok(Refreshed::Again(again)) => request = again,
                Err(error) if error.is_transient() => return Err(error.into()),
                Err(error) => return self.refresh_refused(key, &record, error).await,
            }
        }
    }

    /// A refusal of the refresh token, or of a client that we have registered, needs a person, unless another program
    /// has renewed the tokens. Other errors say nothing about the refresh token, and leave the record as it is.
    async fn refresh_refused(
        &self,
        key: &CredentialKey,
        record: &Record,
        error: SignInError,
    ) -> Result<Record, PerformError> {
        tracing::debug!("{error}");
        let is_client_gone = record.client.dynamic && is_unknown_client(&error);
        if !is_grant_over(&error) && !is_client_gone {
            return Err(error.into());
        }
        if is_client_gone {
            self.forget_client(&record.issuer, &record.client.client_id)
                .await?;
        }
        let (store, own) = (Arc::clone(&self.store), *key);
        let now = blocking(move || store.read(&own)).await?;
        if let Some(now) = now
            && now.generation > record.generation
            && now.status == Status::Active
        {
            return Ok(now);
        }
        let (store, own, seen) = (Arc::clone(&self.store), *key, record.generation);
        let marked =
            blocking(move || store.mark(&own, seen, Status::NeedsLogin, Timestamp::now())).await;
        if let Err(error) = marked {
            tracing::debug!("{error}");
        }
        Err(PerformError::NeedsLogin)
    }

    /// Forgets a client that the authorization server does not know any more.
    async fn forget_client(&self, issuer: &str, client_id: &str) -> Result<(), PerformError> {
        let (issuer, client_id) = (issuer.to_owned(), client_id.to_owned());
        let store = Arc::clone(&self.store);
        Ok(blocking(move || store.forget_registration(&issuer, &client_id)).await?)
    }

    /// Writes renewed tokens. A sign-in that was kept meanwhile is newer.
    async fn write(&self, key: &CredentialKey, record: Record) -> Result<Record, PerformError> {
        let (store, key) = (Arc::clone(&self.store), *key);
        let written = Record {
            written: Timestamp::now(),
            status: Status::Active,
            ..record
        };
        let kept = written.clone();
        let expected = written.generation;
        match blocking(move || store.write(&key, expected, written)).await {
            Ok(generation) => Ok(Record { generation, ..kept }),
            Err(StoreError::Conflict { current }) if current.status == Status::Active => {
                Ok(*current)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps what a sign-in led to.
    async fn keep(&self, granted: Granted) -> Result<Record, PerformError> {
        let server = self.settings.server().clone();
        let profile = self.settings.profile();
        let key = CredentialKey::of(
            &granted.issuer,
            granted.resource.as_deref(),
            &granted.client.client_id,
            &profile,
            &self.settings.client.authorize_params,
        );
        let record = Record {
            generation: 0,
            server: server.to_string(),
            issuer: granted.issuer,
            resource: granted.resource,
            status: Status::Active,
            client: granted.client,
            tokens: Some(granted.tokens),
            requested: granted.requested,
            metadata: Some(granted.metadata),
            dpop_key: granted.dpop_key,
            written: Timestamp::now(),
            signed_in: Some(Timestamp::now()),
        };
        let (store, floor) = (Arc::clone(&self.store), self.order.floor());
        let kept = record.clone();
        let generation = blocking(move || {
            let generation = store.keep(&server, &profile, &key, floor, kept)?;
            if let Some(place) = store.key_place().filter(|_| store.is_key_new()) {
                tracing::warn!("the credential store is encrypted with {place}");
            }
            Ok(generation)
        })
        .await?;
        Ok(Record {
            generation,
            ..record
        })
    }
}

/// Whether the authorization server does not know the client, or not any more.
fn is_unknown_client(error: &SignInError) -> bool {
    let SignInError::Token { code, .. } = error else {
        return false;
    };
    matches!(code.as_str(), "invalid_client" | "unauthorized_client")
}

/// Whether the authorization server does not take the refresh token any more. Servers have codes of their own for that,
/// such as `bad_refresh_token`; those of RFC 6749 §5.2 and RFC 8707 about the request or the client are known.
fn is_grant_over(error: &SignInError) -> bool {
    const OTHERS: [&str; 8] = [
        "invalid_request",
        "invalid_client",
        "unauthorized_client",
        "unsupported_grant_type",
        "invalid_scope",
        "invalid_target",
        "invalid_dpop_proof",
        "use_dpop_nonce",
    ];
    matches!(error, SignInError::Token { code, .. } if !code.is_empty() && !OTHERS.contains(&&**code))
}

/// Tokens in a few words, for a log.
pub(crate) fn lifetime(tokens: &Tokens) -> String {
    match tokens.expires {
        Some(at) => format!("valid for {} s", Timestamp::now().until(at).as_secs()),
        None => "valid until it is refused".to_owned(),
    }
}

/// File access, away from the thread that moves messages.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(broken) => std::panic::resume_unwind(broken.into_panic()),
    }
}
