//! What the user may say about signing in.

use serde::{Deserialize, Serialize};
use url::Url;

use super::error::SignInError;
use crate::Secret;
use crate::jose::SigningKey;
use crate::store::{ClientAuth, Tokens};

/// The path in redirect URIs, unless another one is given.
pub const CALLBACK_PATH: &str = "/callback";

/// How tokens are obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grant {
    /// What fits the other options: an assertion, an identity provider, else the browser or a device code.
    #[default]
    Auto,
    /// Authorization code with PKCE, in a browser.
    Code,
    /// A code that the user types on another device (RFC 8628).
    Device,
    /// The client's own credentials, without a user.
    ClientCredentials,
    /// The JWT of a workload (RFC 7523).
    JwtBearer,
    /// An ID token of the company's identity provider, exchanged for an assertion (ID-JAG).
    Enterprise,
}

impl Grant {
    /// All of them, by name.
    pub const NAMED: [(&str, Self); 6] = [
        ("auto", Self::Auto),
        ("code", Self::Code),
        ("device", Self::Device),
        ("client-credentials", Self::ClientCredentials),
        ("jwt-bearer", Self::JwtBearer),
        ("enterprise", Self::Enterprise),
    ];
}

/// Whether tokens are bound to a key of ours (RFC 9449).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DpopMode {
    /// If the protected resource asks for it.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

impl DpopMode {
    /// All of them, by name.
    pub const NAMED: [(&str, Self); 3] =
        [("auto", Self::Auto), ("on", Self::On), ("off", Self::Off)];
}

/// A client that the user has registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenClient {
    /// The client id.
    pub id: String,
    /// The client secret.
    pub secret: Option<Secret>,
    /// The private key for client assertions, in PEM form.
    pub key: Option<Secret>,
    /// How it authenticates at the token endpoint, if the server's metadata is not to decide.
    pub auth: Option<ClientAuth>,
}

impl GivenClient {
    /// The private key, ready to sign.
    pub(super) fn signing_key(&self) -> Result<Option<SigningKey>, SignInError> {
        let key = self
            .key
            .as_ref()
            .map(|pem| SigningKey::from_pem(pem.expose(), None));
        let unusable = |_| SignInError::Options("the private key of the client cannot be used");
        key.transpose().map_err(unusable)
    }
}

/// The company's identity provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idp {
    /// Its issuer, for messages.
    pub issuer: Option<String>,
    /// Where ID tokens are exchanged.
    pub token_endpoint: Url,
    /// The client there.
    pub client_id: String,
    /// The secret of that client, if it has one.
    pub client_secret: Option<Secret>,
    /// The ID token.
    pub id_token: Secret,
}

/// Options of a sign-in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientOptions {
    /// A client that is registered already.
    pub client: Option<GivenClient>,
    /// The URL of a client metadata document, which serves as the client id where the server supports that.
    pub metadata_url: Option<Url>,
    /// The scopes to ask for in place of those that the server names.
    pub scope: Option<Vec<String>>,
    /// How tokens are obtained.
    pub grant: Grant,
    /// The JWT of a workload.
    pub assertion: Option<Secret>,
    /// The company's identity provider.
    pub idp: Option<Idp>,
    /// Whether tokens are bound to a key.
    pub dpop: DpopMode,
    /// More parameters of the authorization request.
    pub authorize_params: Vec<(String, String)>,
    /// Whether `resource` (RFC 8707) is sent; some servers refuse it.
    pub send_resource: bool,
    /// The `resource` to send in place of the one that the server publishes.
    pub resource: Option<String>,
    /// Members of the client's metadata that replace ours in a dynamic registration.
    pub registration: serde_json::Map<String, serde_json::Value>,
    /// The token endpoint for client credentials, in place of discovery.
    pub token_endpoint: Option<Url>,
    /// Whether the ID token is sent to the server in place of the access token.
    pub use_id_token: bool,
    /// Whether plain http to other machines is allowed.
    pub insecure_http: bool,
    /// The host in redirect URIs: `127.0.0.1`, or `localhost` where a server insists on it.
    pub callback_host: String,
    /// The path in redirect URIs.
    pub callback_path: String,
    /// Where the browser is sent after the sign-in, in place of our own page.
    pub success_url: Option<Url>,
    /// The name that a user sees on the consent page.
    pub client_name: String,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            client: None,
            metadata_url: None,
            scope: None,
            grant: Grant::Auto,
            assertion: None,
            idp: None,
            dpop: DpopMode::Auto,
            authorize_params: Vec::new(),
            send_resource: true,
            resource: None,
            registration: serde_json::Map::new(),
            token_endpoint: None,
            use_id_token: false,
            insecure_http: false,
            callback_host: "127.0.0.1".to_owned(),
            callback_path: CALLBACK_PATH.to_owned(),
            success_url: None,
            client_name: "linkspan".to_owned(),
        }
    }
}

impl ClientOptions {
    /// The grant, with `Auto` resolved as far as options decide it.
    pub fn chosen_grant(&self) -> Grant {
        match self.grant {
            Grant::Auto if self.idp.is_some() => Grant::Enterprise,
            Grant::Auto if self.assertion.is_some() => Grant::JwtBearer,
            other => other,
        }
    }

    /// The endpoint that the user named: a server's metadata has no part in it.
    pub fn named_endpoint(&self) -> Option<Url> {
        let of_idp = self.idp.as_ref().map(|idp| idp.token_endpoint.clone());
        of_idp.or_else(|| self.token_endpoint.clone())
    }

    /// The tokens with the one in place of the access token that the server is to see.
    pub(super) fn shown_tokens(&self, tokens: Tokens) -> Tokens {
        match &tokens.id_token {
            Some(id_token) if self.use_id_token => Tokens {
                access: id_token.clone(),
                ..tokens
            },
            _ => tokens,
        }
    }

    /// Whether a user has to take part.
    pub fn needs_user(&self) -> bool {
        matches!(
            self.chosen_grant(),
            Grant::Auto | Grant::Code | Grant::Device
        )
    }
}
