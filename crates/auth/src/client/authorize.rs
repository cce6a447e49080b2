//! The authorization request in the browser, and the answer that comes back (RFC 6749 §4.1, RFC 7636, RFC 9207).

use url::Url;

use super::error::{SignInError, described};
use super::options::ClientOptions;
use super::scope::OFFLINE;
use super::server_metadata::ServerMetadata;
use crate::store::Registration;
use crate::{Secret, base64url, random};

/// A page that the user has to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorize {
    /// The page.
    pub url: Url,
    /// Where the browser comes back to.
    pub redirect_uri: String,
    /// What identifies the answer; a request to the callback without it is not ours.
    pub state: String,
}

/// What is remembered until the answer is there.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    pub(super) redirect_uri: String,
    pub(super) verifier: Secret,
    state: String,
    issuer: String,
    /// Whether the answer has to name the issuer.
    names_issuer: bool,
}

const GRANT: &str = "authorization_code";

/// The page of a server where a sign-in can work: it offers codes, and protects them with PKCE.
pub(super) fn page(options: &ClientOptions, server: &ServerMetadata) -> Result<Url, SignInError> {
    let issuer = || server.issuer.clone();
    if !server.offers(GRANT) {
        return Err(SignInError::NoGrant {
            issuer: issuer(),
            grant: GRANT,
        });
    }
    let methods = server.code_challenge_methods_supported.as_deref();
    let has_pkce = methods.is_some_and(|all| all.iter().any(|one| one == "S256"));
    if !has_pkce && !server.assumed {
        return Err(SignInError::NoPkce(issuer()));
    }
    let endpoint = server.authorization_endpoint.as_ref();
    server.endpoint("authorization_endpoint", endpoint, options.insecure_http)
}

/// The request. Refuses servers without PKCE.
pub(super) fn request(
    options: &ClientOptions,
    server: &ServerMetadata,
    client: &Registration,
    redirect_uri: String,
    scope: Option<&[String]>,
    resource: Option<&str>,
) -> Result<(Authorize, Pending), SignInError> {
    let mut url = page(options, server)?;
    url.set_fragment(None);
    let (verifier, state) = (random::token(), random::token());
    let challenge = base64url::encode(&random::sha256(verifier.as_bytes()));
    let mut query = url.query_pairs_mut();
    query.extend_pairs([
        ("response_type", "code"),
        ("client_id", &client.client_id),
        ("redirect_uri", &redirect_uri),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
        ("state", &state),
    ]);
    if let Some(scope) = scope {
        query.append_pair("scope", &scope.join(" "));
        // OpenID Connect: without it the scope is to be ignored.
        let is_offline = scope.iter().any(|one| one == OFFLINE);
        let is_given = options
            .authorize_params
            .iter()
            .any(|(name, _)| name == "prompt");
        if is_offline && !is_given {
            query.append_pair("prompt", "consent");
        }
    }
    if let Some(resource) = resource {
        query.append_pair("resource", resource);
    }
    query.extend_pairs(&options.authorize_params);
    drop(query);
    let pending = Pending {
        redirect_uri: redirect_uri.clone(),
        verifier: Secret::new(verifier),
        state: state.clone(),
        issuer: server.issuer.clone(),
        names_issuer: server.authorization_response_iss_parameter_supported,
    };
    let authorize = Authorize {
        url,
        redirect_uri,
        state,
    };
    Ok((authorize, pending))
}

impl Pending {
    /// The code of an answer. Nothing of an answer by another issuer is shown or used, and of an answer that says one
    /// thing twice neither counts (RFC 6749 §3.1).
    pub(super) fn code(&self, query: &str) -> Result<Secret, SignInError> {
        let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
        let is_twice = |name: &str| pairs.iter().filter(|(own, _)| own == name).nth(1).is_some();
        if ["state", "iss", "error", "code"].into_iter().any(is_twice) {
            return Err(SignInError::Callback("it has a parameter twice"));
        }
        let value = |name: &str| {
            let mut pairs = pairs.iter();
            let found = pairs.find(|(own, _)| own == name);
            found.map(|(_, value)| value.as_ref())
        };
        if value("state") != Some(&self.state) {
            return Err(SignInError::Callback("it has another `state`"));
        }
        match value("iss") {
            // Compared as a text: a normalised URL may be another issuer.
            Some(issuer) if issuer != self.issuer => {
                return Err(SignInError::Callback("it comes from another issuer"));
            }
            None if self.names_issuer => {
                return Err(SignInError::Callback("it does not name its issuer"));
            }
            _ => {}
        }
        if let Some(code) = value("error") {
            return Err(SignInError::Denied {
                issuer: self.issuer.clone(),
                why: described(code, value("error_description")),
            });
        }
        value("code")
            .filter(|code| !code.is_empty())
            .map(Secret::new)
            .ok_or(SignInError::Callback("it has no code"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ClientAuth;
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::{Value, json};
    use std::collections::HashMap;

    const ISSUER: &str = "https://as.example";

    fn begun(
        change: impl Fn(&mut Value),
        scope: &[&str],
    ) -> Result<(Authorize, Pending), SignInError> {
        let mut metadata = json!({
            "issuer": ISSUER,
            "authorization_endpoint": "https://as.example/auth?tenant=1",
            "code_challenge_methods_supported": ["S256"],
        });
        change(&mut metadata);
        let server = super::super::server_metadata::parse(&metadata).unwrap();
        let client = Registration {
            client_id: "c".to_owned(),
            client_secret: None,
            auth: ClientAuth::None,
            redirect_uris: Vec::new(),
            expires: None,
            scope: None,
            dynamic: false,
        };
        let scope: Vec<String> = scope.iter().map(|one| (*one).to_owned()).collect();
        let scope = (!scope.is_empty()).then_some(&scope[..]);
        let uri = "http://127.0.0.1:1/callback".to_owned();
        request(
            &ClientOptions::default(),
            &server,
            &client,
            uri,
            scope,
            Some("https://h/mcp"),
        )
    }

    fn query(url: &Url) -> HashMap<String, String> {
        url.query_pairs().into_owned().collect()
    }

    #[test]
    fn the_request_has_pkce_state_and_the_resource_as_published() {
        let (authorize, pending) = begun(|_| {}, &[]).unwrap();
        let query = query(&authorize.url);
        assert_eq!(query["tenant"], "1");
        assert_eq!(query["resource"], "https://h/mcp");
        assert_eq!(query["code_challenge_method"], "S256");
        let challenge = random::sha256(pending.verifier.expose().as_bytes());
        assert_eq!(query["code_challenge"], base64url::encode(&challenge));
        assert_eq!(query.get("scope"), None);
        assert_eq!(query.get("prompt"), None);
        let (offline, _) = begun(|_| {}, &["a", OFFLINE]).unwrap();
        assert!(
            offline
                .url
                .as_str()
                .contains("scope=a+offline_access&prompt=consent")
        );
    }

    #[test]
    fn a_server_without_pkce_is_refused() {
        for methods in [json!(null), json!([]), json!(["plain"])] {
            let refused = begun(
                |m| m["code_challenge_methods_supported"] = methods.clone(),
                &[],
            );
            assert_eq!(refused.unwrap_err(), SignInError::NoPkce(ISSUER.to_owned()));
        }
    }

    #[test]
    fn a_page_that_is_not_https_is_not_opened() {
        for page in ["http://as.example/auth", "file:///x", "javascript:0", "x"] {
            let refused = begun(|m| m["authorization_endpoint"] = page.into(), &[]);
            assert!(
                matches!(refused, Err(SignInError::Endpoint { .. })),
                "{page}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_code_comes_only_with_an_answer_that_says_everything_once(
            parts in prop::collection::vec((
                select(vec!["state", "code", "iss", "error", "st%61te", "c%6Fde", "x", ""]),
                select(vec!["STATE", "1", "https%3A%2F%2Fas.example", "https%3A%2F%2Fevil.example", "%FF", ""]),
            ), 0..6)
        ) {
            let (_, pending) = begun(|_| {}, &[]).unwrap();
            let parts: Vec<String> = parts.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let query = parts.join("&").replace("STATE", &pending.state);
            let read: Vec<(String, String)> =
                url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
            let all = |name: &str| -> Vec<&str> {
                read.iter().filter(|(own, _)| own == name).map(|(_, value)| &**value).collect()
            };
            if let Ok(code) = pending.code(&query) {
                prop_assert_eq!(all("code"), [code.expose()]);
                prop_assert_eq!(all("state"), [&pending.state]);
                prop_assert!(all("error").is_empty());
                prop_assert!(all("iss").is_empty() || all("iss") == [ISSUER]);
            }
        }
    }

    #[test]
    fn an_answer_of_another_sign_in_or_issuer_is_refused() {
        let (_, quiet) = begun(|_| {}, &[]).unwrap();
        let says =
            |m: &mut Value| m["authorization_response_iss_parameter_supported"] = true.into();
        let (_, naming) = begun(says, &[]).unwrap();
        let with =
            |pending: &Pending, rest: &str| pending.code(&format!("state={}{rest}", pending.state));
        assert_eq!(with(&quiet, "&code=1").unwrap().expose(), "1");
        assert_eq!(
            with(&naming, "&code=1&iss=https%3A%2F%2Fas.example")
                .unwrap()
                .expose(),
            "1"
        );
        for (pending, rest) in [
            (&naming, "&code=1"),
            (&naming, "&code=1&iss=https%3A%2F%2Fevil.example"),
            (&quiet, "&code=1&iss=https%3A%2F%2Fevil.example"),
            (&quiet, "&code=1&iss=https%3A%2F%2Fas.example%2F"),
            (&naming, "&error=access_denied&error_description=secret"),
            (&quiet, "&code=1&state=again"),
            (&quiet, ""),
        ] {
            let refused = with(pending, rest).unwrap_err();
            assert!(
                matches!(refused, SignInError::Callback(_)),
                "{rest}: {refused}"
            );
        }
        assert!(quiet.code("code=1").is_err());
        // RFC 6749 §3.1: two readers could read two answers.
        for twice in [
            "&code=1&code=1",
            "&code=1&iss=https%3A%2F%2Fas.example&iss=https%3A%2F%2Fas.example",
            "&code=1&iss=https%3A%2F%2Fevil.example&iss=https%3A%2F%2Fas.example",
            "&code=1&error=access_denied&error=access_denied",
            "&code=1&%65rror=access_denied&error=x",
            "&error=access_denied&code=1&code=2",
        ] {
            let refused = with(&quiet, twice).unwrap_err();
            assert!(
                matches!(refused, SignInError::Callback(_)),
                "{twice}: {refused}"
            );
        }
        assert!(matches!(
            with(&quiet, "&error=access_denied"),
            Err(SignInError::Denied { .. })
        ));
    }
}
