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

/// Where the keys are, by a document that must be that of the issuer. The error says what is wrong.
pub(super) fn jwks_uri(response: &HttpResponse, issuer: &str) -> Result<Url, String> {
    if !response.is_success() {
        return Err(format!("HTTP {}", response.status));
    }
    let document: Document =
        serde_json::from_slice(&response.body).map_err(|_| "no metadata".to_owned())?;
    if document.issuer != issuer {
        return Err(format!("the metadata is that of {:?}", document.issuer));
    }
    let uri = document.jwks_uri.ok_or("the metadata has no jwks_uri")?;
    let url = Url::parse(&uri).ok().filter(is_safe);
    url.ok_or_else(|| format!("jwks_uri {uri:?} is neither https nor on this machine"))
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
            assert!(uri(issuer, "https://k/j").unwrap_err().contains("that of"));
        }
        for bad in ["http://k/j", "file:///etc/passwd", "j"] {
            assert!(
                uri("https://as", bad)
                    .unwrap_err()
                    .contains("neither https")
            );
        }
    }
}
