//! Where an issuer publishes its keys, by its metadata.

use url::Url;

use crate::HttpResponse;
use crate::members::Members;
use crate::urls::is_safe;

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum DiscoveryError {
    #[error("HTTP {0}")]
    Status(u16),
    #[error("no metadata")]
    NotMetadata,
    #[error("the metadata is that of {0:?}")]
    Issuer(String),
    #[error("the metadata has no jwks_uri")]
    NoKeys,
    #[error("jwks_uri {0:?} is neither https nor on this machine")]
    Plain(String),
}

/// Where the keys are, by a document that must be that of the issuer.
pub(super) fn jwks_uri(response: &HttpResponse, issuer: &str) -> Result<Url, DiscoveryError> {
    if !response.is_success() {
        return Err(DiscoveryError::Status(response.status));
    }
    let document = Members::read(&response.body).ok_or(DiscoveryError::NotMetadata)?;
    let found = document.text("issuer").ok_or(DiscoveryError::NotMetadata)?;
    if found != issuer {
        return Err(DiscoveryError::Issuer(found.to_owned()));
    }
    let uri = document.owned("jwks_uri").ok_or(DiscoveryError::NoKeys)?;
    let url = Url::parse(&uri).ok().filter(is_safe);
    url.ok_or(DiscoveryError::Plain(uri))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn metadata_of_another_issuer_is_not_used() {
        let answer = |issuer: &str, uri: &str| HttpResponse {
            status: 200,
            body: json!({"issuer": issuer, "jwks_uri": uri})
                .to_string()
                .into(),
            ..HttpResponse::default()
        };
        let uri = |issuer, uri| jwks_uri(&answer(issuer, uri), "https://as");
        assert_eq!(
            uri("https://as", "https://k/j").unwrap().as_str(),
            "https://k/j"
        );
        for issuer in ["https://as/", "https://AS", "https://evil"] {
            let refused = uri(issuer, "https://k/j").unwrap_err();
            assert_eq!(refused, DiscoveryError::Issuer(issuer.to_owned()));
        }
        let flawed = HttpResponse {
            status: 200,
            body: json!({"issuer": "https://as", "jwks_uri": 1})
                .to_string()
                .into(),
            ..HttpResponse::default()
        };
        assert_eq!(jwks_uri(&flawed, "https://as"), Err(DiscoveryError::NoKeys));
        for bad in ["http://k/j", "file:///etc/passwd", "j"] {
            let refused = uri("https://as", bad).unwrap_err();
            assert_eq!(refused, DiscoveryError::Plain(bad.to_owned()));
        }
    }
}
