//! What a protected resource is told.

use std::sync::Arc;

use linkspan_auth::jose::JwkSet;
use linkspan_auth::resource::{
    Challenger, DpopMode, IdentitySigner, Introspection, IssuerError, IssuerKeys, Policy,
    PublicUrl, ResourceMetadata, ToolScopes,
};
use url::Url;

use super::KeyFile;

/// What a protected resource accepts. Without issuers, API keys are all that is accepted.
#[derive(Debug, Clone, Default)]
pub struct ResourceOptions {
    /// The authorization servers whose tokens are accepted.
    pub issuers: Vec<TrustedIssuer>,
    /// The URL of the endpoint as clients know it, if that is not the address that is listened on.
    pub public_url: Option<PublicUrl>,
    /// The path of the endpoint here.
    pub path: String,
    /// What `aud` of a token may be, in place of the URL.
    pub audiences: Vec<String>,
    /// The scopes that every request needs.
    pub scopes: Vec<String>,
    /// The scopes that calls of tools need besides.
    pub tools: ToolScopes,
    /// Where to ask about tokens that are not JWTs.
    pub introspection: Option<Introspection>,
    /// Whether tokens have to be bound to a key.
    pub dpop: DpopMode,
    /// The claim that identifies the user, if that is not `sub`.
    pub subject: Option<String>,
    /// Whether ID tokens are taken for access tokens.
    pub accept_id_token: bool,
    /// API keys.
    pub keys: Arc<KeyFile>,
    /// Signs what upstream servers are told about callers; its keys are published.
    pub signer: Option<Arc<IdentitySigner>>,
}

/// An authorization server whose tokens are accepted.
#[derive(Debug, Clone)]
pub struct TrustedIssuer {
    /// Its name, as tokens spell it.
    pub name: String,
    /// Where its keys come from.
    pub keys: KeySource,
}

/// Where the keys of an issuer come from.
#[derive(Debug, Clone)]
pub enum KeySource {
    /// From where its metadata says.
    Discovered,
    /// From this URL.
    At(Url),
    /// They are these.
    Fixed(JwkSet),
}

impl TrustedIssuer {
    pub(super) fn keys(&self) -> Result<IssuerKeys, IssuerError> {
        match &self.keys {
            KeySource::Discovered => IssuerKeys::discovered(&self.name),
            KeySource::At(url) => Ok(IssuerKeys::at(&self.name, url.clone())),
            KeySource::Fixed(keys) => Ok(IssuerKeys::fixed(&self.name, keys.clone())),
        }
    }
}

impl ResourceOptions {
    pub(super) fn policy(&self, resource: &PublicUrl) -> Policy {
        let issuers = self.issuers.iter().map(|issuer| issuer.name.clone());
        let mut policy = Policy::new(resource.as_str(), issuers.collect());
        if !self.audiences.is_empty() {
            policy.audiences.clone_from(&self.audiences);
        }
        policy.scopes.clone_from(&self.scopes);
        policy.subject.clone_from(&self.subject);
        policy.accept_id_token = self.accept_id_token;
        policy.dpop = self.dpop;
        policy
    }

    pub(super) fn challenger(&self, resource: &PublicUrl) -> Challenger {
        let metadata = resource.sibling(&resource.metadata_path());
        Challenger {
            metadata: (!self.issuers.is_empty()).then_some(metadata),
            scopes: self.scopes.clone(),
            tools: self.tools.clone(),
            dpop: if self.issuers.is_empty() {
                DpopMode::Off
            } else {
                self.dpop
            },
        }
    }

    pub(super) fn metadata(&self, resource: &PublicUrl, jwks: Option<&str>) -> ResourceMetadata {
        ResourceMetadata {
            resource_name: Some(resource.host()),
            jwks_uri: jwks.map(|path| resource.sibling(path)),
            ..ResourceMetadata::of(&self.policy(resource))
        }
    }
}
