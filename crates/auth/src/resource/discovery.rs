//! Where an issuer publishes its keys, by its metadata.

use serde::Deserialize;
use url::Url;

use crate::HttpResponse;
use crate::urls::is_safe;

#[derive(Deserialize)]
struct Document {
    issuer: String,
    jwks_uri: Option<String>,
}

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
    let document: Document =
        serde_json::from_slice(&response.body).map_err(|_| DiscoveryError::NotMetadata)?;
    if document.issuer != issuer {
        return Err(DiscoveryError::Issuer(document.issuer));
    }
    let uri = document.jwks_uri.ok_or(DiscoveryError::NoKeys)?;
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
        for bad in ["http://k/j", "file:///etc/passwd", "j"] {
            let refused = uri("https://as", bad).unwrap_err();
            assert_eq!(refused, DiscoveryError::Plain(bad.to_owned()));
        }
    }
}
