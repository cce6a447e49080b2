//! What a sign-in needs to know, as values.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_auth::client::{ClientOptions, Demand};
use linkspan_auth::store::{LockName, StoreOptions};
use linkspan_auth::{Timestamp, sha256};
use linkspan_ports::HttpOptions;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::prompt::PromptFile;

/// Settings of the sign-in at one server.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The server, and how it is reached.
    pub http: HttpOptions,
    /// How tokens are obtained.
    pub client: Arc<ClientOptions>,
    /// The JWT of a workload, read anew for each sign-in: such files are replaced while we run.
    pub assertion_file: Option<PathBuf>,
    /// Where credentials are kept.
    pub store: StoreOptions,
    /// Whether a browser can be shown on this machine.
    pub has_browser: bool,
    /// The only port that the browser may be sent back to.
    pub callback_port: Option<u16>,
    /// How long a person may take, and another process that signs in.
    pub timeout: Duration,
}

impl Settings {
    /// The server.
    pub fn server(&self) -> &Url {
        self.http.url()
    }

    /// What tells several accounts at one server apart: a client of the user's, and what is added to the request.
    pub fn profile(&self) -> String {
        let client = self.client.client.as_ref().map(|client| client.id.as_str());
        let params = &self.client.authorize_params;
        if client.is_none() && params.is_empty() {
            return String::new();
        }
        let mut text = client.unwrap_or_default().to_owned();
        for (name, value) in params {
            text.push_str(&format!("\n{name}={value}"));
        }
        text
    }

    /// The lock that one sign-in or refresh at a time holds.
    pub(crate) fn lock(&self) -> LockName {
        LockName::server(self.server(), &self.profile())
    }

    pub(crate) fn prompt_file(&self) -> PromptFile {
        let name = format!("{}\n{}", self.server(), self.profile());
        let name = data_encoding::HEXLOWER.encode(&sha256(name.as_bytes())[..16]);
        PromptFile::new(&self.store.folder, &name)
    }
}

/// What is to be done, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The server; a URL may hold a secret, so it is not an argument of a command.
    pub server: String,
    /// The generation of the credential that is not good enough; a newer one is.
    pub generation: Option<u64>,
    /// What is to be done.
    pub task: Task,
}

/// What is to be done with a credential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// The access token expires soon: renew it, without a user.
    Refresh,
    /// The server refused.
    SignIn {
        /// What it said.
        demand: Demand,
        /// Whether a refresh token may help.
        may_refresh: bool,
        /// Whether the client can show a page to the user.
        client_shows_pages: bool,
    },
}

impl Order {
    /// A sign-in that a user asks for, whatever is stored.
    pub fn sign_in(settings: &Settings, demand: Demand) -> Self {
        Self {
            server: settings.server().to_string(),
            generation: Some(u64::MAX),
            task: Task::SignIn {
                demand,
                may_refresh: false,
                client_shows_pages: false,
            },
        }
    }

    /// Whether a credential is what the order asks for: newer than the one that is not good enough, valid, and with
    /// the scopes that the server wants.
    pub(crate) fn is_satisfied_by(
        &self,
        generation: u64,
        requested: &[String],
        expires: Option<Timestamp>,
    ) -> bool {
        let wanted = match &self.task {
            Task::SignIn { demand, .. } if demand.is_insufficient_scope() => {
                demand.scope.as_deref().unwrap_or_default()
            }
            _ => &[],
        };
        self.generation.is_none_or(|seen| generation > seen)
            && expires.is_none_or(|at| Timestamp::now() < at)
            && wanted.iter().all(|scope| requested.contains(scope))
    }
}
