//! What is kept of one sign-in.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::{Secret, Timestamp, without_secrets};

/// A credential: one account at one authorization server, for one protected resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Grows by one with every write. A writer that has read an older one has lost.
    pub generation: u64,
    /// The URL of the server as the user gave it, which may hold a secret.
    pub server: String,
    /// The issuer of the authorization server.
    pub issuer: String,
    /// The protected resource as its metadata publishes it; `None` if no `resource` parameter is sent.
    pub resource: Option<String>,
    /// Whether the credential can be used.
    pub status: Status,
    /// The client that we are at this issuer.
    pub client: Registration,
    /// The tokens, once there are some.
    pub tokens: Option<Tokens>,
    /// The scopes that were asked for so far.
    #[serde(default)]
    pub requested: Vec<String>,
    /// The metadata of the authorization server, as it published it.
    #[serde(default)]
    pub metadata: Option<Value>,
    /// The private key of DPoP, PKCS#8 as base64url, if tokens are bound to one.
    #[serde(default)]
    pub dpop_key: Option<Secret>,
    /// When it was last written.
    pub written: Timestamp,
    /// When its sign-in led to tokens, if that is known. Renewed tokens are of the same sign-in.
    #[serde(default)]
    pub signed_in: Option<Timestamp>,
}

impl Record {
    /// The URL of the server without the parts that may be secret.
    pub fn shown_server(&self) -> String {
        match Url::parse(&self.server) {
            Ok(url) => without_secrets(&url).into(),
            Err(_) => "a server".to_owned(),
        }
    }

    /// Everything but the secrets.
    pub fn to_public_json(&self) -> Value {
        let tokens = self.tokens.as_ref();
        serde_json::json!({
            "server": self.shown_server(),
            "issuer": self.issuer,
            "resource": self.resource,
            "client_id": self.client.client_id,
            "status": self.status,
            "scope": tokens.and_then(|it| it.scope.clone()),
            "expires": tokens.and_then(|it| it.expires),
            "refreshes": tokens.is_some_and(|it| it.refresh.is_some()),
            "dpop": tokens.is_some_and(|it| it.dpop),
        })
    }

    /// The state of the credential for a person.
    pub fn state(&self, now: Timestamp) -> String {
        let tokens = self.tokens.as_ref();
        match (self.status, tokens.and_then(|it| it.expires)) {
            (Status::NeedsLogin, _) => "expired: `linkspan login URL` signs in again".to_owned(),
            (Status::SignedOut, _) => "signed out".to_owned(),
            (Status::Active, None) => "signed in".to_owned(),
            (Status::Active, Some(at)) => {
                let renews = tokens.is_some_and(|it| it.refresh.is_some());
                let end = if renews { "is renewed" } else { "ends" };
                format!(
                    "signed in; the token {end} in {} s",
                    now.until(at).as_secs()
                )
            }
        }
    }
}

/// Whether a credential can be used. Records are marked, not deleted, so that a process that lags behind cannot
/// bring back what another one has replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Tokens are there.
    Active,
    /// The authorization server refused to refresh: a person has to sign in.
    NeedsLogin,
    /// The user has signed out.
    SignedOut,
}

/// A client as an authorization server knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// The name of the client.
    pub client_id: String,
    /// Its password, if it has one.
    #[serde(default)]
    pub client_secret: Option<Secret>,
    /// How it shows who it is at the token endpoint.
    pub auth: ClientAuth,
    /// Where the browser may be sent back to.
    #[serde(default)]
    pub redirect_uris: Vec<String>,
    /// When the password expires; `None` if it does not.
    #[serde(default)]
    pub expires: Option<Timestamp>,
    /// The scopes that it may ask for, if that is limited.
    #[serde(default)]
    pub scope: Option<String>,
    /// Whether the registration was made by us (dynamically) and may be made again.
    #[serde(default)]
    pub dynamic: bool,
}

/// How a client authenticates at the token endpoint (RFC 7591 §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientAuth {
    /// A public client.
    None,
    /// The password in `Authorization: Basic`.
    ClientSecretBasic,
    /// The password in the form.
    ClientSecretPost,
    /// A signed assertion (RFC 7523).
    PrivateKeyJwt,
}

/// What a token endpoint gave out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// The access token.
    pub access: Secret,
    /// Whether it is bound to a key: `Authorization: DPoP` in place of `Bearer`.
    #[serde(default)]
    pub dpop: bool,
    /// The refresh token.
    #[serde(default)]
    pub refresh: Option<Secret>,
    /// The ID token.
    #[serde(default)]
    pub id_token: Option<Secret>,
    /// When the access token was given out.
    pub issued: Timestamp,
    /// When the access token expires, if the server said so.
    #[serde(default)]
    pub expires: Option<Timestamp>,
    /// The scopes that were granted, if the server said so.
    #[serde(default)]
    pub scope: Option<String>,
}
