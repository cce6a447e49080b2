//! How long the account itself keeps a request that waits for a person.

use std::sync::atomic::{AtomicBool, Ordering};

use linkspan_auth::client::ClientOptions;
use linkspan_auth::store::{KeySource, StoreOptions};
use linkspan_auth::{HttpRequest, HttpResponse};
use linkspan_auth_io::{Performer, Sending, Settings, Transport};
use linkspan_ports::{Again, AuthRefusal, Authorizer, HttpOptions};
use linkspan_session::Fault;
use linkspan_wire::quote;
use tempfile::TempDir;
use tokio::time::{Instant, timeout};

use super::*;

pub(super) const SERVER: &str = "https://mcp.example/mcp";

/// An authorization server with codes for another device; a person may enter them.
pub(super) struct Issuer {
    /// The resource that it protects.
    resource: String,
    pub(super) is_entered: AtomicBool,
}

impl Issuer {
    pub(super) fn of(resource: &str) -> Arc<Self> {
        Arc::new(Self {
            resource: resource.to_owned(),
            is_entered: AtomicBool::new(false),
        })
    }
}

impl Transport for Issuer {
    fn send(&self, request: HttpRequest) -> Sending<'_> {
        let is_entered = self.is_entered.load(Ordering::Relaxed);
        let (status, body) = match request.url.path() {
            "/.well-known/oauth-protected-resource/mcp" => {
                let resource = quote(&self.resource);
                let body = format!(
                    r#"{{"resource":{resource},"authorization_servers":["https://as.example"]}}"#
                );
                return respond(200, body);
            }
            "/.well-known/oauth-authorization-server" => (
                200,
                r#"{"issuer":"https://as.example","authorization_endpoint":"https://as.example/authorize","token_endpoint":"https://as.example/token","registration_endpoint":"https://as.example/register","device_authorization_endpoint":"https://as.example/device","code_challenge_methods_supported":["S256"]}"#,
            ),
            "/register" => (201, r#"{"client_id":"client"}"#),
            "/device" => (
                200,
                r#"{"device_code":"device","user_code":"CODE","verification_uri":"https://as.example/enter","expires_in":3600,"interval":1}"#,
            ),
            "/token" if is_entered => (
                200,
                r#"{"access_token":"access","token_type":"Bearer","expires_in":3600}"#,
            ),
            "/token" => (400, r#"{"error":"authorization_pending"}"#),
            _ => (404, "null"),
        };
        respond(status, body.to_owned())
    }
}

fn respond<'a>(status: u16, body: String) -> Sending<'a> {
    Box::pin(async move {
        Ok(HttpResponse {
            status,
            body: body.into_bytes(),
            ..HttpResponse::default()
        })
    })
}

pub(super) fn account(folder: &TempDir, issuer: &Arc<Issuer>) -> linkspan_auth_io::Account {
    let settings = Settings {
        http: HttpOptions::new(&issuer.resource, false).unwrap(),
        client: Arc::new(ClientOptions::default()),
        assertion_file: None,
        store: StoreOptions {
            folder: folder.path().join("auth"),
            key: KeySource::File,
        },
        has_browser: false,
        callback_port: None,
        timeout: Duration::from_secs(300),
    };
    linkspan_auth_io::Account::new(settings, Performer::Here(issuer.clone()))
}

/// What a request without credentials meets.
async fn refused(account: &linkspan_auth_io::Account) -> Result<Again, Fault> {
    let refusal = AuthRefusal {
        status: 401,
        challenges: vec!["Bearer".to_owned()],
        date: None,
        generation: None,
        attempt: 0,
        may_ask: true,
    };
    account.refused(refusal).await
}

#[tokio::test(start_paused = true)]
async fn a_request_fails_with_the_page_and_the_next_one_works_after_the_sign_in() {
    let folder = tempfile::tempdir().unwrap();
    let issuer = Issuer::of(SERVER);
    let account = account(&folder, &issuer);
    account.set_patience(Some(PATIENCE));
    for _ in 0..2 {
        let begun = Instant::now();
        let Err(Fault::NotSignedIn { why, hint, url, .. }) = refused(&account).await else {
            panic!("it was not refused for want of a sign-in");
        };
        let waited = begun.elapsed();
        assert!(
            waited >= PATIENCE && waited < PATIENCE + LOOK * 10,
            "{waited:?}"
        );
        assert_eq!(url.as_deref(), Some("https://as.example/enter"));
        assert!(
            why.contains("https://as.example/enter") && why.contains("CODE"),
            "{why}"
        );
        assert!(hint.contains("call again"), "{hint}");
        // The sign-in goes on.
        assert!(account.prompts().borrow().is_some());
    }
    issuer.is_entered.store(true, Ordering::Relaxed);
    assert_eq!(refused(&account).await, Ok(Again::Retry));
    assert!(account.generation().is_some());
    assert!(account.prompts().borrow().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_may_wait_longer_waits_until_it_may_not() {
    let folder = tempfile::tempdir().unwrap();
    let issuer = Issuer::of(SERVER);
    let account = account(&folder, &issuer);
    let request = refused(&account);
    tokio::pin!(request);
    let waited = timeout(PATIENCE * 3, &mut request).await;
    assert!(waited.is_err(), "{waited:?}");
    // As after a question that was declined: it has waited long enough already.
    account.set_patience(Some(PATIENCE));
    let fault = timeout(LOOK, &mut request).await;
    assert!(
        matches!(fault, Ok(Err(Fault::NotSignedIn { .. }))),
        "{fault:?}"
    );
}
