//! Where an issuer publishes its keys: its metadata (RFC 8414, OpenID Connect Discovery).

use serde::Deserialize;
use url::Url;

use super::policy::is_safe;
use crate::HttpResponse;

/// The places of the metadata, in the order in which they are asked. An issuer with a path has none at the root.
pub(super) fn places(issuer: &Url) -> Vec<Url> {
    let at = |path: String| {
        let mut url = issuer.clone();
        url.set_path(&path);
        url
    };
    let path = issuer.path().trim_end_matches('/');
    let mut places = vec![
        at(format!("/.well-known/oauth-authorization-server{path}")),
        at(format!("/.well-known/openid-configuration{path}")),
    ];
    if !path.is_empty() {
        places.push(at(format!("{path}/.well-known/openid-configuration")));
    }
    places
}

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

    fn places_of(issuer: &str) -> Vec<String> {
        let places = places(&Url::parse(issuer).unwrap());
        places.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_issuer_with_a_path_is_never_asked_at_the_root() {
        assert_eq!(
            places_of("https://as/t/v2.0/"),
            [
                "https://as/.well-known/oauth-authorization-server/t/v2.0",
                "https://as/.well-known/openid-configuration/t/v2.0",
                "https://as/t/v2.0/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            places_of("https://as/"),
            [
                "https://as/.well-known/oauth-authorization-server",
                "https://as/.well-known/openid-configuration",
            ]
        );
    }

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
