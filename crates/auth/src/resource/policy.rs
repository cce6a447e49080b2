//! What a protected resource accepts.

use url::Url;

use crate::jose::Algorithm;
use crate::urls::is_safe;

/// Whether tokens have to be bound to a key of the client (RFC 9449).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DpopMode {
    /// Proofs are not looked at, and bound tokens are refused.
    Off,
    /// Bound tokens need a proof, others do not.
    #[default]
    Optional,
    /// Only bound tokens are accepted.
    Required,
}

impl DpopMode {
    /// All of them, by name, with what they mean.
    pub const NAMED: [(&str, Self, &str); 3] = [
        ("required", Self::Required, "Only bound tokens are accepted"),
        (
            "optional",
            Self::Optional,
            "Bound tokens need a proof, others do not",
        ),
        ("off", Self::Off, "Bound tokens are refused"),
    ];
}

/// What a protected resource accepts.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The resource: the URL of the endpoint as clients know it.
    pub resource: String,
    /// What `aud` may be; the resource if nothing else is said.
    pub audiences: Vec<String>,
    /// The trusted issuers, as tokens spell them.
    pub issuers: Vec<String>,
    /// The accepted algorithms.
    pub algorithms: Vec<Algorithm>,
    /// The scopes that every request needs.
    pub scopes: Vec<String>,
    /// The claim that identifies the user; `sub` if nothing else is said.
    pub subject: Option<String>,
    /// Whether ID tokens are taken for access tokens.
    pub accept_id_token: bool,
    /// Whether tokens have to be bound to a key.
    pub dpop: DpopMode,
}

impl Policy {
    /// A policy that accepts tokens of these issuers for this resource.
    pub fn new(resource: impl Into<String>, issuers: Vec<String>) -> Self {
        let resource = resource.into();
        Self {
            audiences: vec![resource.clone()],
            resource,
            issuers,
            algorithms: Algorithm::ALL.to_vec(),
            scopes: Vec::new(),
            subject: None,
            accept_id_token: false,
            dpop: DpopMode::default(),
        }
    }
}

/// Why a text cannot be an issuer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IssuerError {
    /// Not a URL.
    #[error("it is not a URL")]
    NotUrl,
    /// Keys would cross the network without protection.
    #[error("it is neither https nor on this machine")]
    Plain,
    /// RFC 8414 §2 does not allow it.
    #[error("an issuer has no query, fragment or password")]
    Extra,
}

/// Checks the URL of an issuer (RFC 8414 §2). The text itself is what tokens are compared with.
pub fn check_issuer(text: &str) -> Result<Url, IssuerError> {
    let url = Url::parse(text).map_err(|_| IssuerError::NotUrl)?;
    if !is_safe(&url) {
        return Err(IssuerError::Plain);
    }
    let has_extra = url.query().is_some()
        || url.fragment().is_some()
        || !url.username().is_empty()
        || url.password().is_some();
    if has_extra {
        return Err(IssuerError::Extra);
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_is_https_or_on_this_machine() {
        for good in [
            "https://as.example",
            "https://login.example/tenant/v2.0",
            "http://localhost:9000/realms/a",
            "http://127.0.0.1:1",
            "http://[::1]:1/",
        ] {
            assert!(check_issuer(good).is_ok(), "{good}");
        }
        for (bad, why) in [
            ("as.example", IssuerError::NotUrl),
            ("http://as.example", IssuerError::Plain),
            ("http://localhost.as.example", IssuerError::Plain),
            ("ftp://as.example", IssuerError::Plain),
            ("https://as.example/?a=1", IssuerError::Extra),
            ("https://as.example/#a", IssuerError::Extra),
            ("https://me@as.example/", IssuerError::Extra),
        ] {
            assert_eq!(check_issuer(bad), Err(why), "{bad}");
        }
    }
}
