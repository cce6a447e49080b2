//! Metadata of an authorization server (RFC 8414, OpenID Connect Discovery).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::device;
use super::error::{SignInError, shown};
use crate::HttpResponse;
use crate::members::Members;
use crate::urls::is_safe;

/// What matters of the document. Endpoints are checked when they are used.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
pub(super) struct ServerMetadata {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: Option<String>,
    pub(super) token_endpoint: Option<String>,
    pub(super) registration_endpoint: Option<String>,
    pub(super) device_authorization_endpoint: Option<String>,
    pub(super) revocation_endpoint: Option<String>,
    pub(super) scopes_supported: Option<Vec<String>>,
    pub(super) code_challenge_methods_supported: Option<Vec<String>>,
    pub(super) grant_types_supported: Option<Vec<String>>,
    pub(super) token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    pub(super) client_id_metadata_document_supported: bool,
    #[serde(default)]
    pub(super) authorization_response_iss_parameter_supported: bool,
    /// Made from defaults of 2025-03-26, which had no metadata to say so.
    #[serde(default)]
    pub(super) assumed: bool,
    /// Endpoints that are there and no texts: an error only if one of them is needed.
    #[serde(skip)]
    flawed: Vec<&'static str>,
}

const ENDPOINTS: [&str; 5] = [
    "authorization_endpoint",
    "token_endpoint",
    "registration_endpoint",
    "device_authorization_endpoint",
    "revocation_endpoint",
];

/// Reads a document and checks that it is that of the issuer. Members that cannot be read count as absent.
pub(super) fn read(
    from: &Url,
    response: &HttpResponse,
    issuer: &str,
) -> Result<ServerMetadata, SignInError> {
    let unusable = |why: &str| SignInError::Metadata {
        url: from.to_string(),
        why: why.to_owned(),
    };
    let members =
        Members::read(&response.body).ok_or_else(|| unusable("it is not a JSON object"))?;
    let found = match members.text("issuer") {
        Some(found) => found,
        None if members.has("issuer") => {
            return Err(SignInError::Member {
                url: from.to_string(),
                name: "issuer",
                expected: "a text",
            });
        }
        None => return Err(unusable("it has no `issuer`")),
    };
    if !same_issuer(found, issuer) {
        return Err(SignInError::IssuerMismatch {
            expected: issuer.to_owned(),
            found: shown(found),
        });
    }
    let is_flawed = |name: &&str| members.has(name) && members.text(name).is_none();
    Ok(ServerMetadata {
        issuer: found.to_owned(),
        authorization_endpoint: members.owned("authorization_endpoint"),
        token_endpoint: members.owned("token_endpoint"),
        registration_endpoint: members.owned("registration_endpoint"),
        device_authorization_endpoint: members.owned("device_authorization_endpoint"),
        revocation_endpoint: members.owned("revocation_endpoint"),
        scopes_supported: members.texts("scopes_supported"),
        code_challenge_methods_supported: members.texts("code_challenge_methods_supported"),
        grant_types_supported: members.texts("grant_types_supported"),
        token_endpoint_auth_methods_supported: members
            .texts("token_endpoint_auth_methods_supported"),
        client_id_metadata_document_supported: members
            .flag("client_id_metadata_document_supported"),
        authorization_response_iss_parameter_supported: members
            .flag("authorization_response_iss_parameter_supported"),
        // Only our own assumption may say so.
        assumed: false,
        flawed: ENDPOINTS.into_iter().filter(is_flawed).collect(),
    })
}

/// A document that was checked before.
pub(super) fn parse(value: &Value) -> Result<ServerMetadata, serde_json::Error> {
    ServerMetadata::deserialize(value)
}

/// The same text. The one difference that is overlooked is the `/` of an empty path: resource servers often write an
/// issuer without it, and both spellings are the same URL.
pub(crate) fn same_issuer(found: &str, expected: &str) -> bool {
    let root = |text: &str| {
        let url = Url::parse(text).ok()?;
        (url.path() == "/").then(|| text.trim_end_matches('/').to_owned())
    };
    found == expected || root(found).is_some_and(|found| root(expected) == Some(found))
}

/// A server of which only the token endpoint is known.
pub(super) fn of_token_endpoint(endpoint: &Url) -> ServerMetadata {
    ServerMetadata {
        issuer: endpoint.origin().ascii_serialization(),
        token_endpoint: Some(endpoint.to_string()),
        assumed: true,
        ..ServerMetadata::default()
    }
}

/// The endpoints of 2025-03-26, for a server that publishes no metadata at all.
pub(super) fn assumed(server: &Url) -> ServerMetadata {
    let origin = server.origin().ascii_serialization();
    let at = |path: &str| Some(format!("{origin}{path}"));
    ServerMetadata {
        authorization_endpoint: at("/authorize"),
        token_endpoint: at("/token"),
        registration_endpoint: at("/register"),
        issuer: origin,
        assumed: true,
        ..ServerMetadata::default()
    }
}

impl ServerMetadata {
    /// An endpoint that may be used.
    pub(super) fn endpoint(
        &self,
        name: &'static str,
        value: Option<&String>,
        insecure_http: bool,
    ) -> Result<Url, SignInError> {
        if self.flawed.contains(&name) {
            return Err(SignInError::Member {
                url: self.issuer.clone(),
                name,
                expected: "a text",
            });
        }
        let value = value.ok_or_else(|| SignInError::NoEndpoint {
            issuer: self.issuer.clone(),
            name,
        })?;
        safe_url(value, insecure_http).ok_or_else(|| SignInError::Endpoint {
            issuer: self.issuer.clone(),
            name,
            url: shown(value),
        })
    }

    pub(super) fn token_endpoint(&self, insecure_http: bool) -> Result<Url, SignInError> {
        self.endpoint(
            "token_endpoint",
            self.token_endpoint.as_ref(),
            insecure_http,
        )
    }

    pub(super) fn device_endpoint(&self, insecure_http: bool) -> Result<Url, SignInError> {
        let endpoint = self.device_authorization_endpoint.as_ref();
        self.endpoint("device_authorization_endpoint", endpoint, insecure_http)
    }

    /// Whether it has codes for other devices.
    pub(super) fn has_device_codes(&self) -> bool {
        self.device_authorization_endpoint.is_some() && self.offers(device::GRANT)
    }

    /// Whether a grant may be asked for; a server that lists none has not said so.
    pub(super) fn offers(&self, grant: &str) -> bool {
        let mut listed = self.grant_types_supported.iter().flatten().peekable();
        listed.peek().is_none() || listed.any(|one| one == grant)
    }

    /// Whether a scope is known here.
    pub(super) fn knows_scope(&self, scope: &str) -> bool {
        let known = self.scopes_supported.iter().flatten();
        known.into_iter().any(|one| one == scope)
    }
}

/// A URL that credentials may be sent to, and that may be opened in a browser: https, or http on this machine, without
/// credentials of its own.
pub fn safe_url(text: &str, insecure_http: bool) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_safe = is_safe(&url) || insecure_http && url.scheme() == "http";
    let is_plain = url.username().is_empty() && url.password().is_none() && url.has_host();
    (is_safe && is_plain).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_issuer_is_refused_and_the_slash_of_an_empty_path_is_not_one() {
        assert!(same_issuer("https://h", "https://h/"));
        assert!(same_issuer("https://h/t", "https://h/t"));
        for other in ["https://h/t/", "https://h", "http://h/t", "https://H/t"] {
            assert!(!same_issuer(other, "https://h/t"), "{other}");
        }
    }

    #[test]
    fn only_safe_urls_are_used() {
        for url in [
            "https://h/x",
            "http://localhost:1/x",
            "http://127.0.0.1/x",
            "http://[::1]:2/",
        ] {
            assert!(safe_url(url, false).is_some(), "{url}");
        }
        for url in [
            "http://h/x",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "https://user:pw@h/",
            "http://localhost.evil.example/",
            "calc.exe",
            "",
        ] {
            assert!(safe_url(url, false).is_none(), "{url}");
        }
    }
}
