//! What a sign-in needs to know, as values.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use linkspan_auth::client::{ClientOptions, Demand, Grant};
use linkspan_auth::jose::Jwt;
use linkspan_auth::store::{CredentialKey, LockName, StoreOptions, Tokens};
use linkspan_auth::{Secret, Timestamp, sha256, without_secrets};
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

    /// The server in messages: without what may be secret.
    pub(crate) fn shown_server(&self) -> Url {
        without_secrets(self.server())
    }

    /// What tells several accounts at one server apart: a client of the user's, what is added to the request, and on
    /// whose behalf a grant without a user is used.
    pub fn profile(&self) -> String {
        let client = self.client.client.as_ref().map(|client| client.id.as_str());
        let mut text = client.unwrap_or_default().to_owned();
        for (name, value) in &self.client.authorize_params {
            text.push_str(&format!("\n{name}={value}"));
        }
        if let Some(resource) = &self.client.resource {
            text.push_str(&format!("\n\nresource={resource}"));
        }
        if let Some(endpoint) = &self.client.token_endpoint {
            text.push_str(&format!("\n\ntoken-endpoint={endpoint}"));
        }
        match self.client.chosen_grant() {
            Grant::Auto | Grant::Code | Grant::Device => {}
            Grant::ClientCredentials => text.push_str("\n\nclient-credentials"),
            Grant::JwtBearer => {
                let file = self.assertion_file.as_deref().map(Path::display);
                text.push_str("\n\njwt-bearer\n");
                text.extend(file.map(|file| file.to_string()));
            }
            Grant::Enterprise => {
                let subject = self
                    .client
                    .idp
                    .as_ref()
                    .and_then(|idp| subject(&idp.id_token));
                text.push_str("\n\nenterprise\n");
                text.extend(subject);
            }
        }
        text
    }

    /// The lock that one sign-in or refresh at a time holds.
    pub(crate) fn lock(&self) -> LockName {
        LockName::server(self.server(), &self.profile())
    }

    /// Under which the attempts to sign in are counted: the credential's own key is not known before the sign-in.
    pub(crate) fn guard(&self) -> CredentialKey {
        let server = self.server().as_str();
        CredentialKey::of("", Some(server), "", &self.profile(), &[])
    }

    pub(crate) fn prompt_file(&self) -> PromptFile {
        let name = format!("{}\n{}", self.server(), self.profile());
        let name = data_encoding::HEXLOWER.encode(&sha256(name.as_bytes())[..16]);
        PromptFile::new(&self.store.folder, &name)
    }
}

/// Issuer and subject of an ID token. Its signature is for the identity provider to check.
fn subject(id_token: &Secret) -> Option<String> {
    let token = Jwt::parse(id_token.expose()).ok()?;
    let claim = |name: &str| Some(token.claims().get(name)?.as_str()?.to_owned());
    Some(format!("{}\n{}", claim("iss")?, claim("sub")?))
}

/// What is to be done, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The server; a URL may hold a secret, so it is not an argument of a command.
    pub server: String,
    /// The generation of the credential that is not good enough; a newer one is.
    pub generation: Option<u64>,
    /// When it was given. A person who refuses after that has refused this order as well.
    pub since: Timestamp,
    /// Whether the user wants it, also right after a sign-in that led to nothing.
    #[serde(default)]
    pub is_wanted: bool,
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
        /// Whether a sign-in may begin where that does not help.
        may_ask: bool,
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
            since: Timestamp::now(),
            is_wanted: true,
            task: Task::SignIn {
                demand,
                may_refresh: false,
                may_ask: true,
                client_shows_pages: false,
            },
        }
    }

    /// The generation that a new credential has to exceed.
    pub(crate) fn floor(&self) -> u64 {
        self.generation.filter(|seen| *seen < u64::MAX).unwrap_or(0)
    }

    /// Whether a credential is what the order asks for: newer than the one that is not good enough, valid, and with
    /// the scopes that the server wants. The sign-in of another process counts even if its token has expired already:
    /// a further one would lead to the same.
    pub(crate) fn is_satisfied_by(
        &self,
        generation: u64,
        requested: &[String],
        tokens: &Tokens,
    ) -> bool {
        let wanted = match &self.task {
            Task::SignIn { demand, .. } if demand.is_insufficient_scope() => {
                demand.scope.as_deref().unwrap_or_default()
            }
            _ => &[],
        };
        self.generation.is_none_or(|seen| generation > seen)
            && (tokens.expires.is_none_or(|at| Timestamp::now() < at)
                || self.task != Task::Refresh && tokens.issued >= self.since)
            && wanted.iter().all(|scope| requested.contains(scope))
    }
}

#[cfg(test)]
mod tests {
    use linkspan_auth::client::{GivenClient, Idp};
    use linkspan_auth::jose::SigningKey;
    use linkspan_auth::store::KeySource;
    use serde_json::json;

    use super::*;

    fn profile(change: impl FnOnce(&mut ClientOptions, &mut Option<PathBuf>)) -> String {
        let mut client = ClientOptions::default();
        let mut assertion_file = None;
        change(&mut client, &mut assertion_file);
        let settings = Settings {
            http: HttpOptions::new("https://h/mcp", false).unwrap(),
            client: Arc::new(client),
            assertion_file,
            store: StoreOptions {
                folder: PathBuf::new(),
                key: KeySource::File,
            },
            has_browser: false,
            callback_port: None,
            timeout: Duration::ZERO,
        };
        settings.profile()
    }

    fn id_token(subject: &str) -> Secret {
        let claims = json!({"iss": "https://idp", "sub": subject, "iat": subject.len()});
        Secret::new(SigningKey::generate().0.sign(Default::default(), &claims))
    }

    #[test]
    fn identities_of_one_client_are_told_apart() {
        let client = || {
            Some(GivenClient {
                id: "c".to_owned(),
                secret: None,
                key: None,
                auth: None,
            })
        };
        let company = |subject: &'static str| {
            move |options: &mut ClientOptions, _: &mut Option<PathBuf>| {
                options.client = client();
                options.idp = Some(Idp {
                    issuer: None,
                    token_endpoint: "https://idp/token".parse().unwrap(),
                    client_id: "i".to_owned(),
                    client_secret: None,
                    id_token: id_token(subject),
                });
            }
        };
        let workload = |file: &'static str| {
            move |options: &mut ClientOptions, path: &mut Option<PathBuf>| {
                options.client = client();
                options.grant = Grant::JwtBearer;
                *path = Some(file.into());
            }
        };
        let profiles = [
            profile(|_, _| ()),
            profile(|options, _| options.client = client()),
            profile(|options, _| {
                options.client = client();
                options.grant = Grant::ClientCredentials;
            }),
            profile(company("ada")),
            profile(company("bob")),
            profile(workload("/a.jwt")),
            profile(workload("/b.jwt")),
        ];
        let different: std::collections::BTreeSet<_> = profiles.iter().collect();
        assert_eq!(different.len(), profiles.len(), "{profiles:?}");
        assert_eq!(profile(|_, _| ()), "");
        // Another token of the same person is the same account.
        assert_eq!(profile(company("ada")), profiles[3]);
    }
}
