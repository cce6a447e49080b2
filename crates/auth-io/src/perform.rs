//! A refresh or a sign-in, under the lock of the credential: read, still needed?, network, write.

mod user;

use std::path::PathBuf;
use std::sync::Arc;

use linkspan_auth::client::{Granted, Refresh, Refreshed, SignInError};
use linkspan_auth::store::import::ImportError;
use linkspan_auth::store::{CredentialKey, Record, Status, Store, StoreError, Tokens};
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
            Self::NeedsLogin | Self::TooSlow(_) => "run `linkspan login URL`",
            Self::Assertion { .. } => "check --assertion-file",
            Self::NothingToImport(_) | Self::Import(_) => {
                "give the URL exactly as it was given to mcp-remote, or run `linkspan login URL`"
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
}

/// How a sign-in reaches the user.
pub struct Person<'a> {
    /// Shows a prompt.
    pub show: &'a (dyn Fn(&Prompt) + Send + Sync),
    /// URLs that the user pastes, if there is a place to paste them.
    pub pasted: Option<mpsc::Receiver<String>>,
}

/// Does what is ordered, unless another process has done it meanwhile. Returns the credential that is then in the store.
pub async fn perform(
    settings: &Settings,
    order: &Order,
    transport: &dyn Transport,
    person: Person<'_>,
) -> Result<Record, PerformError> {
    let store = Arc::new(Store::open(settings.store.clone())?);
    let _lock = {
        let (store, name, patience) = (Arc::clone(&store), settings.lock(), settings.timeout);
        blocking(move || store.lock_within(name, patience)).await?
    };
    let job = Job {
        settings,
        store,
        transport,
    };
    let found = job.find().await?;
    if let Some((_, record)) = &found
        && record.status == Status::Active
        && let Some(tokens) = &record.tokens
        && order.is_satisfied_by(record.generation, &record.requested, tokens.expires)
    {
        return Ok(record.clone());
    }
    match (&order.task, found) {
        (Task::Refresh, Some((key, record))) if settings.client.needs_user() => {
            job.refresh(&key, record).await
        }
        // Grants without a user have no refresh tokens: the grant itself is repeated.
        (Task::Refresh, Some((_, record))) => {
            job.sign_in(Default::default(), Some(&record), false, person)
                .await
        }
        (Task::Refresh, None) => Err(PerformError::NeedsLogin),
        (
            Task::SignIn {
                demand,
                may_refresh,
                client_shows_pages,
            },
            found,
        ) => {
            if let Some((key, record)) = &found
                && *may_refresh
                && record.status == Status::Active
                && !demand.is_insufficient_scope()
            {
                match job.refresh(key, record.clone()).await {
                    Ok(record) => return Ok(record),
                    Err(error) if error.is_transient() => return Err(error),
                    Err(error) => tracing::debug!("no refresh: {error}"),
                }
            }
            let record = found.as_ref().map(|(_, record)| record);
            job.sign_in(demand.clone(), record, *client_shows_pages, person)
                .await
        }
    }
}

struct Job<'a> {
    settings: &'a Settings,
    store: Arc<Store>,
    transport: &'a dyn Transport,
}

impl Job<'_> {
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
        let (store, own) = (Arc::clone(&self.store), *key);
        blocking(move || store.check_storm(&own, Timestamp::now())).await?;
        let mut request = refresh.request(Timestamp::now())?;
        loop {
            let response = self.send(request).await?;
            match refresh.answered(&response, Timestamp::now()) {
                Ok(Refreshed::Tokens(tokens)) => {
                    tracing::debug!("new tokens for {}", record.server);
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

    /// The refresh token is not accepted: unless another program has renewed it, a person has to sign in.
    async fn refresh_refused(
        &self,
        key: &CredentialKey,
        record: &Record,
        error: SignInError,
    ) -> Result<Record, PerformError> {
        tracing::debug!("{error}");
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
        Err(match error {
            SignInError::Token { code, .. } if code == "invalid_grant" => PerformError::NeedsLogin,
            other => other.into(),
        })
    }

    async fn write(&self, key: &CredentialKey, record: Record) -> Result<Record, PerformError> {
        let (store, key) = (Arc::clone(&self.store), *key);
        let written = Record {
            written: Timestamp::now(),
            status: Status::Active,
            ..record
        };
        let kept = written.clone();
        let expected = written.generation;
        let generation = blocking(move || {
            let generation = store.write(&key, expected, written)?;
            if let Some(place) = store.key_place().filter(|_| store.is_key_new()) {
                tracing::warn!("the credential store is encrypted with {place}");
            }
            Ok(generation)
        })
        .await?;
        Ok(Record { generation, ..kept })
    }

    /// Keeps what a sign-in led to.
    async fn keep(&self, granted: Granted) -> Result<Record, PerformError> {
        let params = &self.settings.client.authorize_params;
        let profile = self.settings.profile();
        let key = CredentialKey::of(
            &granted.issuer,
            granted.resource.as_deref(),
            &granted.client.client_id,
            &profile,
            params,
        );
        let (store, server) = (Arc::clone(&self.store), self.settings.server().clone());
        let (issuer, client) = (granted.issuer.clone(), granted.client.clone());
        let before = blocking(move || {
            if client.dynamic {
                store.save_registration(&issuer, client)?;
            }
            store.remember(&server, &profile, &key)?;
            store.read(&key)
        })
        .await?;
        let record = Record {
            generation: before.map_or(0, |before| before.generation),
            server: self.settings.server().to_string(),
            issuer: granted.issuer,
            resource: granted.resource,
            status: Status::Active,
            client: granted.client,
            tokens: Some(granted.tokens),
            requested: granted.requested,
            metadata: Some(granted.metadata),
            dpop_key: granted.dpop_key,
            written: Timestamp::now(),
        };
        self.write(&key, record).await
    }
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
