//! How we become a client of an authorization server (RFC 7591, client metadata documents).

use serde::Deserialize;

use super::client_metadata::{described, redirect_uri, redirect_uris};
use super::device;
use super::error::{SignInError, described as in_words, shown, unavailable};
use super::options::{ClientOptions, GivenClient};
use super::scope;
use super::server_metadata::ServerMetadata;
use crate::members::Members;
use crate::store::{ClientAuth, Registration};
use crate::{HttpRequest, HttpResponse, Secret, Timestamp};

/// The client to be, as far as it is known without asking the server: the user's own, or a metadata document.
pub(super) fn known(options: &ClientOptions, server: &ServerMetadata) -> Option<Registration> {
    if let Some(client) = &options.client {
        return Some(given(client, server));
    }
    let url = options.metadata_url.as_ref()?;
    server
        .client_id_metadata_document_supported
        .then(|| Registration {
            client_id: url.to_string(),
            client_secret: None,
            auth: ClientAuth::None,
            redirect_uris: Vec::new(),
            expires: None,
            scope: None,
            dynamic: false,
        })
}

fn given(client: &GivenClient, server: &ServerMetadata) -> Registration {
    let supported = server.token_endpoint_auth_methods_supported.as_deref();
    // RFC 8414: without a list, Basic is what a server supports.
    let takes = |name: &str| supported.is_some_and(|all| all.iter().any(|one| one == name));
    let auth = if let Some(auth) = client.auth {
        auth
    } else if client.key.is_some() {
        ClientAuth::PrivateKeyJwt
    } else if client.secret.is_none() {
        ClientAuth::None
    } else if takes("client_secret_post") && !takes("client_secret_basic") {
        ClientAuth::ClientSecretPost
    } else {
        ClientAuth::ClientSecretBasic
    };
    Registration {
        client_id: client.id.clone(),
        client_secret: client.secret.clone(),
        auth,
        redirect_uris: Vec::new(),
        expires: None,
        scope: None,
        dynamic: false,
    }
}

/// Whether a registration of an earlier sign-in can be used with these scopes, and with the callback on this port if
/// there is one.
pub(super) fn is_usable(
    options: &ClientOptions,
    registration: &Registration,
    port: Option<u16>,
    scope: Option<&[String]>,
    now: Timestamp,
) -> bool {
    let is_alive = registration.expires.is_none_or(|at| now < at);
    let has_scopes = registration.scope.as_deref().is_none_or(|registered| {
        let registered = scope::parse(registered);
        let mut wanted = scope.unwrap_or_default().iter();
        wanted.all(|scope| registered.contains(scope))
    });
    let has_port = port.is_none_or(|port| redirect(options, registration, port).is_some());
    is_alive && has_scopes && has_port
}

/// The registered redirect URI with this port. Others, such as those of another program, lead to no listener of ours.
pub(super) fn redirect<'a>(
    options: &ClientOptions,
    registration: &'a Registration,
    port: u16,
) -> Option<&'a String> {
    let own = redirect_uris(&options.callback_host, port, &options.callback_path);
    registration
        .redirect_uris
        .iter()
        .find(|uri| own.contains(uri))
}

/// The request to register. A server that refused both redirect URIs is asked again with `localhost` alone.
pub(super) fn request(
    options: &ClientOptions,
    server: &ServerMetadata,
    port: u16,
    scope: Option<&[String]>,
    only_localhost: bool,
) -> Result<HttpRequest, SignInError> {
    let Some(endpoint) = &server.registration_endpoint else {
        return Err(SignInError::NoRegistration(server.issuer.clone()));
    };
    let name = "registration_endpoint";
    let endpoint = server.endpoint(name, Some(endpoint), options.insecure_http)?;
    let uris = if only_localhost {
        vec![redirect_uri("localhost", port, &options.callback_path)]
    } else {
        redirect_uris(&options.callback_host, port, &options.callback_path)
    };
    let mut body = described(&options.client_name, &uris);
    body["token_endpoint_auth_method"] = wanted_auth(server).into();
    if let Some(scope) = scope {
        body["scope"] = scope.join(" ").into();
    }
    if server.has_device_codes()
        && let Some(grants) = body["grant_types"].as_array_mut()
    {
        grants.push(device::GRANT.into());
    }
    for (name, value) in &options.registration {
        body[name] = value.clone();
    }
    Ok(HttpRequest::json(endpoint, &body))
}

/// How a registered client may show itself, best first.
const AUTH_METHODS: [&str; 3] = ["none", "client_secret_basic", "client_secret_post"];

/// A public client where that is possible: there is nothing that a copy of this program could keep secret.
fn wanted_auth(server: &ServerMetadata) -> &'static str {
    let supported = server.token_endpoint_auth_methods_supported.as_deref();
    let Some(supported) = supported else {
        return "none";
    };
    let mut possible = AUTH_METHODS
        .into_iter()
        .filter(|name| supported.iter().any(|one| one == name));
    possible.next().unwrap_or("none")
}

/// What we have sent, which holds where the server does not repeat it.
#[derive(Deserialize, Default)]
struct Asked {
    redirect_uris: Vec<String>,
    scope: Option<String>,
}

/// What the server answered to `sent`. Members that cannot be read count as absent.
pub(super) fn outcome(
    issuer: &str,
    sent: &HttpRequest,
    response: &HttpResponse,
) -> Result<Registration, SignInError> {
    let refused = |why| SignInError::RegistrationRefused {
        issuer: issuer.to_owned(),
        why,
    };
    if response.is_busy() {
        return Err(unavailable(&sent.url, response));
    }
    let members = Members::read(&response.body).unwrap_or_default();
    if !response.is_success() {
        return Err(refused(match members.text("error") {
            Some(code) => in_words(code, members.text("error_description")),
            None => format!("HTTP {}", response.status),
        }));
    }
    let client_id = members.text_or_number("client_id");
    let client_id = client_id.filter(|id| !id.chars().any(char::is_control));
    let client_id = client_id.ok_or_else(|| SignInError::BadAnswer {
        url: sent.url.to_string(),
        why: "a registration without a client_id",
    })?;
    let client_secret = members.owned("client_secret").map(Secret::new);
    let auth = match members.text("token_endpoint_auth_method") {
        Some(other) if !AUTH_METHODS.contains(&other) => {
            return Err(refused(format!(
                "it wants `{}` of its clients",
                shown(other)
            )));
        }
        // Some servers repeat their default and give no secret for it.
        _ if client_secret.is_none() => ClientAuth::None,
        Some("none") => ClientAuth::None,
        Some("client_secret_post") => ClientAuth::ClientSecretPost,
        // RFC 7591: the default, if there is a secret for it.
        _ => ClientAuth::ClientSecretBasic,
    };
    let asked: Asked = serde_json::from_str(&sent.body).unwrap_or_default();
    let uris = members.texts("redirect_uris");
    let expires = members.number("client_secret_expires_at");
    // A server that registers fewer scopes than it was asked for would do so again.
    let scopes =
        [asked.scope, members.words("scope")].map(|it| scope::parse(&it.unwrap_or_default()));
    let scopes = scope::union(&scopes[0], &scopes[1]);
    Ok(Registration {
        client_id,
        client_secret,
        auth,
        redirect_uris: uris
            .filter(|uris| !uris.is_empty())
            .unwrap_or(asked.redirect_uris),
        expires: expires.filter(|at| *at > 0).map(Timestamp),
        scope: (!scopes.is_empty()).then(|| scopes.join(" ")),
        dynamic: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn server(methods: Option<Value>) -> ServerMetadata {
        let mut metadata = json!({
            "issuer": "https://as.example",
            "registration_endpoint": "https://as.example/register",
        });
        if let Some(methods) = methods {
            metadata["token_endpoint_auth_methods_supported"] = methods;
        }
        super::super::server_metadata::parse(&metadata).unwrap()
    }

    fn answer(status: u16, body: &Value) -> HttpResponse {
        HttpResponse {
            status,
            body: body.to_string().into_bytes(),
            ..HttpResponse::default()
        }
    }

    #[test]
    fn a_registration_says_that_we_are_a_native_public_client() {
        let options = ClientOptions::default();
        let request = request(&options, &server(None), 4711, None, false).unwrap();
        let body: Value = serde_json::from_str(&request.body).unwrap();
        assert_eq!(body["application_type"], "native");
        assert_eq!(body["token_endpoint_auth_method"], "none");
        assert_eq!(body["redirect_uris"][0], "http://127.0.0.1:4711/callback");
        assert_eq!(body["grant_types"][1], "refresh_token");
        assert_eq!(body.get("scope"), None);
    }

    #[test]
    fn the_method_that_the_server_returns_is_used() {
        let server = server(Some(json!(["client_secret_post"])));
        let options = ClientOptions::default();
        let sent = request(&options, &server, 1, None, false).unwrap();
        for (method, auth) in [
            ("none", ClientAuth::None),
            ("client_secret_basic", ClientAuth::ClientSecretBasic),
            ("client_secret_post", ClientAuth::ClientSecretPost),
        ] {
            let body = json!({"client_id": "c", "client_secret": "s", "token_endpoint_auth_method": method});
            let registered = outcome("https://as.example", &sent, &answer(201, &body)).unwrap();
            assert_eq!(registered.auth, auth);
            // A server that does not repeat the redirect URIs has taken what it was asked.
            assert!(redirect(&options, &registered, 1).is_some());
        }
    }

    #[test]
    fn a_given_client_uses_basic_unless_the_server_takes_only_post() {
        let options = ClientOptions {
            client: Some(GivenClient {
                id: "c".to_owned(),
                secret: Some(Secret::new("s")),
                key: None,
                auth: None,
            }),
            ..ClientOptions::default()
        };
        let auth = |methods| known(&options, &server(methods)).unwrap().auth;
        assert_eq!(auth(None), ClientAuth::ClientSecretBasic);
        assert_eq!(auth(Some(json!(["none"]))), ClientAuth::ClientSecretBasic);
        let both = json!(["client_secret_post", "client_secret_basic"]);
        assert_eq!(auth(Some(both)), ClientAuth::ClientSecretBasic);
        let post = json!(["client_secret_post"]);
        assert_eq!(auth(Some(post)), ClientAuth::ClientSecretPost);
    }

    #[test]
    fn an_expired_registration_and_one_for_another_port_are_not_used() {
        let registration = Registration {
            client_id: "c".to_owned(),
            client_secret: None,
            auth: ClientAuth::None,
            redirect_uris: redirect_uris("127.0.0.1", 7, "/callback"),
            expires: Some(Timestamp(100)),
            scope: None,
            dynamic: true,
        };
        let options = ClientOptions::default();
        let usable = |port, now| is_usable(&options, &registration, port, None, Timestamp(now));
        assert!(usable(Some(7), 99) && usable(None, 99));
        assert!(!usable(Some(8), 99));
        assert!(!usable(Some(7), 100) && !usable(None, 100));
        for other in [
            "https://evil.example:7/callback",
            "http://localhost:7/oauth/callback",
        ] {
            let foreign = Registration {
                redirect_uris: vec![other.to_owned()],
                ..registration.clone()
            };
            assert!(
                !is_usable(&options, &foreign, Some(7), None, Timestamp(99)),
                "{other}"
            );
        }
        let limited = Registration {
            scope: Some("a b".to_owned()),
            ..registration.clone()
        };
        let with = |scopes: &[&str]| {
            let scopes: Vec<String> = scopes.iter().map(|it| (*it).to_owned()).collect();
            is_usable(&options, &limited, Some(7), Some(&scopes), Timestamp(99))
        };
        assert!(with(&["b"]));
        assert!(!with(&["b", "c"]));
    }

    #[test]
    fn answers_with_odd_types_are_understood() {
        let sent = request(&ClientOptions::default(), &server(None), 1, None, false).unwrap();
        let read = |body: &Value| outcome("https://as.example", &sent, &answer(201, body));
        let odd = json!({
            "client_id": 1234, "client_secret": null, "client_secret_expires_at": "1800000000",
            "redirect_uris": "http://127.0.0.1:1/callback", "scope": ["a", "b"],
            "token_endpoint_auth_method": null,
        });
        let registered = read(&odd).unwrap();
        assert_eq!(registered.client_id, "1234");
        assert_eq!(
            (registered.client_secret, registered.auth),
            (None, ClientAuth::None)
        );
        assert_eq!(registered.expires, Some(Timestamp(1_800_000_000)));
        assert_eq!(registered.scope.as_deref(), Some("a b"));
        assert_eq!(registered.redirect_uris.len(), 2);
        // A secret of no characters is none, whichever method the server names.
        for method in [
            json!(null),
            json!("client_secret_basic"),
            json!("client_secret_post"),
        ] {
            let body = json!({"client_id": "c", "client_secret": "", "token_endpoint_auth_method": method});
            let registered = read(&body).unwrap();
            assert_eq!(
                (registered.client_secret, registered.auth),
                (None, ClientAuth::None)
            );
        }
        for never in [
            json!(0),
            json!("0"),
            json!(null),
            json!(-1),
            json!("never"),
            json!([]),
        ] {
            let body = json!({"client_id": "c", "client_secret_expires_at": never});
            assert_eq!(read(&body).unwrap().expires, None, "{never}");
        }
        for bad in [
            json!(null),
            json!(""),
            json!([]),
            json!(true),
            json!("a\nb"),
        ] {
            let refused = read(&json!({"client_id": bad})).unwrap_err();
            assert!(matches!(refused, SignInError::BadAnswer { .. }), "{bad}");
        }
        assert!(read(&json!("x")).is_err());
    }

    #[test]
    fn a_refusal_says_why() {
        let sent = request(&ClientOptions::default(), &server(None), 1, None, false).unwrap();
        let body = json!({"error": "invalid_redirect_uri", "error_description": "no\u{1b}[31mway"});
        let refused = outcome("https://as.example", &sent, &answer(400, &body)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "https://as.example refused to register a client: invalid_redirect_uri: no [31mway"
        );
    }
}
