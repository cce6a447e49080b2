//! What a user says about a sign-in, and the mistakes in it.

use std::io;
use std::path::{Path, PathBuf};

use linkspan_auth::Secret;
use linkspan_auth::client::{ClientOptions, GivenClient, Idp, safe_url};
use linkspan_auth::jose::{KeyError, SigningKey};
use url::Url;

/// What a user says, as texts and names of files.
#[derive(Debug, Clone, Default)]
pub struct ClientSettings {
    /// The id of a client that is registered already.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<Secret>,
    /// The file with its private key (PEM).
    pub client_key: Option<PathBuf>,
    /// The file with the JWT of a workload.
    pub assertion_file: Option<PathBuf>,
    /// The scopes to ask for; each text may have several, with spaces or commas between them.
    pub scopes: Vec<String>,
    /// The company's identity provider.
    pub idp: IdpSettings,
}

/// What a user says about an identity provider.
#[derive(Debug, Clone, Default)]
pub struct IdpSettings {
    /// Its issuer.
    pub issuer: Option<String>,
    /// Its token endpoint.
    pub token_endpoint: Option<Url>,
    /// The client that asks there.
    pub client_id: Option<String>,
    /// The secret of that client.
    pub client_secret: Option<Secret>,
    /// An ID token of the user.
    pub id_token: Option<Secret>,
}

/// What is wrong with the settings of a client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientSettingsError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file has no key that can sign.
    #[error("{}: {source}", file.display())]
    Key {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        source: KeyError,
    },
    /// An identity provider that would get the ID token without protection.
    #[error("`{0}` is neither https nor on this machine")]
    Plain(String),
    /// An identity provider of which something is missing.
    #[error("flags of the identity provider are missing")]
    Idp,
}

impl ClientSettingsError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Read { .. } | Self::Key { .. } => None,
            Self::Plain(_) => Some("--idp-token-endpoint takes an https URL"),
            Self::Idp => {
                Some("--idp-token-endpoint, --idp-client-id and --idp-id-token-env belong together")
            }
        }
    }
}

impl ClientSettings {
    /// Reads the files and checks what belongs together; all else is as in `others`.
    ///
    /// # Errors
    /// If a file cannot be used, or an identity provider is not complete or not safe to ask.
    pub fn options(self, others: ClientOptions) -> Result<ClientOptions, ClientSettingsError> {
        let client = match self.client_id {
            None => None,
            Some(id) => Some(GivenClient {
                id,
                secret: self.client_secret,
                key: self.client_key.as_deref().map(signing_key).transpose()?,
                auth: None,
            }),
        };
        let assertion = self.assertion_file.as_deref().map(read).transpose()?;
        let scopes = self.scopes.iter().flat_map(|it| it.split([' ', ',']));
        let scopes: Vec<String> = scopes
            .filter(|scope| !scope.is_empty())
            .map(str::to_owned)
            .collect();
        Ok(ClientOptions {
            client,
            scope: (!scopes.is_empty()).then_some(scopes),
            assertion: assertion.map(|text| Secret::new(text.trim())),
            idp: self.idp.complete(others.insecure_http)?,
            ..others
        })
    }
}

impl IdpSettings {
    fn complete(self, insecure_http: bool) -> Result<Option<Idp>, ClientSettingsError> {
        match (self.token_endpoint, self.client_id, self.id_token) {
            (None, None, None) => Ok(None),
            (Some(endpoint), Some(client_id), Some(id_token)) => {
                let safe = safe_url(endpoint.as_str(), insecure_http);
                let unsafe_url = || ClientSettingsError::Plain(origin(&endpoint));
                Ok(Some(Idp {
                    issuer: self.issuer,
                    token_endpoint: safe.ok_or_else(unsafe_url)?,
                    client_id,
                    client_secret: self.client_secret,
                    id_token,
                }))
            }
            _ => Err(ClientSettingsError::Idp),
        }
    }
}

/// A URL as far as it holds no secret.
fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

fn signing_key(file: &Path) -> Result<Secret, ClientSettingsError> {
    let pem = read(file)?;
    SigningKey::from_pem(&pem, None).map_err(|source| ClientSettingsError::Key {
        file: file.to_owned(),
        source,
    })?;
    Ok(Secret::new(pem))
}

fn read(file: &Path) -> Result<String, ClientSettingsError> {
    std::fs::read_to_string(file).map_err(|source| ClientSettingsError::Read {
        file: file.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_may_be_separated_by_spaces_and_commas() {
        let settings = ClientSettings {
            scopes: vec!["a b".to_owned(), "c,,d ".to_owned()],
            ..ClientSettings::default()
        };
        let options = settings.options(ClientOptions::default()).unwrap();
        assert_eq!(options.scope.unwrap(), ["a", "b", "c", "d"]);
        let none = ClientSettings::default().options(ClientOptions::default());
        assert!(none.unwrap().scope.is_none());
    }

    #[test]
    fn an_id_token_is_not_sent_without_tls() {
        let told = |endpoint: &str, insecure_http| {
            let settings = ClientSettings {
                idp: IdpSettings {
                    token_endpoint: endpoint.parse().ok(),
                    client_id: Some("me".to_owned()),
                    id_token: Some(Secret::new("t")),
                    ..IdpSettings::default()
                },
                ..ClientSettings::default()
            };
            let others = ClientOptions {
                insecure_http,
                ..ClientOptions::default()
            };
            settings
                .options(others)
                .err()
                .map(|error| error.to_string())
        };
        let refused = "`http://idp.example` is neither https nor on this machine";
        assert_eq!(
            told("http://idp.example/token?k=v", false).as_deref(),
            Some(refused)
        );
        assert_eq!(told("http://idp.example/token", true), None);
        assert_eq!(told("http://127.0.0.1:1/token", false), None);
        assert_eq!(told("https://idp.example/token", false), None);
    }

    #[test]
    fn an_identity_provider_is_complete_or_absent() {
        let settings = ClientSettings {
            idp: IdpSettings {
                client_id: Some("me".to_owned()),
                ..IdpSettings::default()
            },
            ..ClientSettings::default()
        };
        let error = settings.options(ClientOptions::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "flags of the identity provider are missing"
        );
        assert!(error.hint().is_some_and(|hint| hint.contains("together")));
    }

    #[test]
    fn a_file_that_is_no_key_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key.pem");
        let told = |file: &Path| {
            let settings = ClientSettings {
                client_id: Some("me".to_owned()),
                client_key: Some(file.to_owned()),
                ..ClientSettings::default()
            };
            let error = settings.options(ClientOptions::default()).unwrap_err();
            error.to_string()
        };
        assert!(told(&file).starts_with(&format!("cannot read {}: ", file.display())));
        std::fs::write(&file, "no key").unwrap();
        assert!(told(&file).starts_with(&format!("{}: ", file.display())));
    }
}
