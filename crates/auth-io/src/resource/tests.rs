//! A verifier with a fake authorization server and a clock that the test sets.

mod bound;
mod keys;
mod opaque;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use linkspan_auth::jose::SigningKey;
use linkspan_auth::resource::{Denied, Identity, Presented, ToolScopes, digest};
use linkspan_auth::{HttpRequest, HttpResponse, Timestamp, challenges};
use linkspan_ports::{Guard, GuardedRequest};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

use super::{KeyFile, KeySource, ResourceOptions, TrustedIssuer, Verifier};
use crate::{Offline, Sending, Transport, TransportError};

const ISSUER: &str = "https://as.example";
const RESOURCE: &str = "http://127.0.0.1:8808/mcp";
const METADATA: &str = "https://as.example/.well-known/oauth-authorization-server";
const JWKS: &str = "https://as.example/jwks";

/// Answers with documents, and counts how often each was asked for.
struct Server {
    documents: Mutex<HashMap<String, HttpResponse>>,
    asked: Mutex<Vec<HttpRequest>>,
    /// Requests that may be answered.
    gate: Semaphore,
}

impl Server {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            documents: Mutex::default(),
            asked: Mutex::default(),
            gate: Semaphore::new(1000),
        })
    }

    fn put(&self, url: &str, document: &Value) {
        let response = HttpResponse {
            status: 200,
            body: document.to_string().into(),
            ..HttpResponse::default()
        };
        self.documents.lock().insert(url.to_owned(), response);
    }

    fn remove(&self, url: &str) {
        self.documents.lock().remove(url);
    }

    fn count(&self, url: &str) -> usize {
        let asked = self.asked.lock();
        asked.iter().filter(|one| one.url.as_str() == url).count()
    }
}

/// A transport to a server that the test still has.
struct To(Arc<Server>);

impl Transport for To {
    fn send(&self, request: HttpRequest) -> Sending<'_> {
        let url = request.url.to_string();
        self.0.asked.lock().push(request);
        Box::pin(async move {
            let place = self
                .0
                .gate
                .acquire()
                .await
                .expect("the gate is never closed");
            place.forget();
            let documents = self.0.documents.lock();
            let gone = || TransportError::TooSlow(url.clone());
            documents.get(&url).cloned().ok_or_else(gone)
        })
    }
}

struct Issuer {
    key: SigningKey,
    kid: String,
}

impl Issuer {
    fn new(kid: &str) -> Self {
        let (key, _) = SigningKey::generate();
        let kid = kid.to_owned();
        Self { key, kid }
    }

    fn jwk(&self) -> Value {
        let mut jwk = self.key.public().unwrap().to_json();
        jwk["kid"] = self.kid.as_str().into();
        jwk
    }

    fn token(&self, changes: &Value) -> String {
        let mut claims = json!({
            "iss": ISSUER, "aud": RESOURCE, "sub": "ada", "client_id": "editor",
            "exp": START + 86_400 * 7, "scope": "base",
        });
        for (name, value) in changes.as_object().unwrap() {
            claims[name] = value.clone();
        }
        let mut header = Map::new();
        header.insert("kid".to_owned(), self.kid.as_str().into());
        header.insert("typ".to_owned(), "at+jwt".into());
        self.key.sign(header, &claims)
    }
}

const START: u64 = 1_800_000_000;

struct Setup {
    server: Arc<Server>,
    verifier: Arc<Verifier>,
    clock: Arc<AtomicU64>,
}

impl Setup {
    fn new(change: impl FnOnce(&mut ResourceOptions)) -> Self {
        let mut options = ResourceOptions {
            issuers: vec![TrustedIssuer {
                name: ISSUER.to_owned(),
                keys: KeySource::Discovered,
            }],
            path: "/mcp".to_owned(),
            scopes: vec!["base".to_owned()],
            ..ResourceOptions::default()
        };
        change(&mut options);
        let server = Server::new();
        server.put(METADATA, &json!({"issuer": ISSUER, "jwks_uri": JWKS}));
        let clock = Arc::new(AtomicU64::new(START));
        let time = clock.clone();
        let time = Arc::new(move || Timestamp(time.load(Ordering::Relaxed)));
        let transport = |_: &str| Arc::new(To(server.clone())) as Arc<dyn Transport>;
        let verifier = Verifier::new(&options, RESOURCE, &transport, time).unwrap();
        Self {
            server,
            verifier: Arc::new(verifier),
            clock,
        }
    }

    fn pass(&self, seconds: u64) {
        self.clock.fetch_add(seconds, Ordering::Relaxed);
    }

    fn publish(&self, keys: &[&Issuer]) {
        let keys: Vec<Value> = keys.iter().map(|key| key.jwk()).collect();
        self.server.put(JWKS, &json!({"keys": keys}));
    }

    async fn admit(&self, presented: Presented<'_>) -> Result<Arc<Identity>, Denied> {
        let request = GuardedRequest {
            method: "POST",
            path: "/mcp",
            presented,
        };
        let admitted = self.verifier.admit(request).await;
        admitted.map(|caller| caller.identity)
    }

    async fn bearer(&self, token: &str) -> Result<Arc<Identity>, Denied> {
        self.admit(Presented::Bearer(token)).await
    }
}

fn error_of(denied: &Denied) -> Option<String> {
    let value = denied.challenges.first()?.to_string();
    challenges(&value)[0].param("error").map(str::to_owned)
}

#[tokio::test]
async fn a_request_without_credentials_is_told_where_to_sign_in() {
    let setup = Setup::new(|_| ());
    let denied = setup.admit(Presented::Nothing).await.unwrap_err();
    assert_eq!(denied.status, 401);
    assert_eq!(
        denied.challenges[0].to_string(),
        r#"Bearer resource_metadata="http://127.0.0.1:8808/.well-known/oauth-protected-resource/mcp", scope="base""#
    );
    assert!(setup.server.asked.lock().is_empty());
}

#[tokio::test]
async fn the_metadata_is_at_both_places() {
    let setup = Setup::new(|_| ());
    let root = "/.well-known/oauth-protected-resource";
    for path in [root, "/.well-known/oauth-protected-resource/mcp"] {
        let document = setup.verifier.document(path).unwrap();
        let document: Value = serde_json::from_slice(&document).unwrap();
        assert_eq!(document["resource"], RESOURCE);
        assert_eq!(document["authorization_servers"], json!([ISSUER]));
        assert_eq!(document["scopes_supported"], json!(["base"]));
    }
    assert!(setup.verifier.document("/mcp").is_none());
    assert!(setup.verifier.document("/.well-known/jwks.json").is_none());
}

#[tokio::test]
async fn a_token_that_was_verified_is_remembered_and_not_beyond_its_end() {
    let setup = Setup::new(|_| ());
    let key = Issuer::new("1");
    setup.publish(&[&key]);
    let token = key.token(&json!({"exp": START + 100}));
    let first = setup.bearer(&token).await.unwrap();
    let again = setup.bearer(&token).await.unwrap();
    assert!(
        Arc::ptr_eq(&first, &again),
        "the same value, not verified again"
    );
    setup.pass(100 + 60);
    let denied = setup.bearer(&token).await.unwrap_err();
    assert_eq!(error_of(&denied).as_deref(), Some("invalid_token"));
}

#[tokio::test]
async fn scopes_are_checked_for_every_request_and_for_tools() {
    let setup = Setup::new(|options| {
        options.tools = ToolScopes::parse(["wipe*=admin"]).unwrap();
    });
    let key = Issuer::new("1");
    setup.publish(&[&key]);
    let denied = setup.bearer(&key.token(&json!({"scope": "other"}))).await;
    let denied = denied.unwrap_err();
    assert_eq!(
        (denied.status, error_of(&denied).as_deref()),
        (403, Some("insufficient_scope"))
    );
    let identity = setup.bearer(&key.token(&json!({}))).await.unwrap();
    let permit = |tool: &str| {
        let tools = [tool.to_owned()];
        setup.verifier.permit(&identity, Default::default(), &tools)
    };
    assert_eq!(permit("list"), Ok(()));
    let denied = permit("wipe_all").unwrap_err();
    let value = denied.challenges[0].to_string();
    assert!(value.contains(r#"scope="base admin""#), "{value}");
}

#[tokio::test]
async fn api_keys_are_accepted_with_and_without_issuers() {
    let hash: String = digest(b"k3y").iter().map(|b| format!("{b:02x}")).collect();
    let file = json!({"ci": {"hash": hash, "scopes": ["base"]}}).to_string();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    std::fs::write(&path, file).unwrap();
    let keys = || Arc::new(KeyFile::open(&path).unwrap());
    let both = Setup::new(|options| options.keys = keys());
    assert_eq!(both.bearer("k3y").await.unwrap().subject, "ci");
    let alone = Setup::new(|options| {
        options.keys = keys();
        options.issuers.clear();
    });
    assert_eq!(alone.bearer("k3y").await.unwrap().subject, "ci");
    std::fs::write(&path, "{}").unwrap();
    both.pass(1);
    assert!(both.bearer("k3y").await.is_err(), "it was revoked");
    let denied = alone.bearer("other").await.unwrap_err();
    assert_eq!(denied.challenges[0].param("resource_metadata"), None);
    assert_eq!(error_of(&denied).as_deref(), Some("invalid_token"));
    let root = "/.well-known/oauth-protected-resource";
    assert!(alone.verifier.document(root).is_none());
    assert!(alone.server.asked.lock().is_empty());
}

#[tokio::test]
async fn fixed_keys_need_no_network() {
    let key = Issuer::new("1");
    let set = json!({"keys": [key.jwk()]}).to_string();
    let set = linkspan_auth::jose::JwkSet::parse(set.as_bytes()).unwrap();
    let options = ResourceOptions {
        issuers: vec![TrustedIssuer {
            name: ISSUER.to_owned(),
            keys: KeySource::Fixed(set),
        }],
        path: "/mcp".to_owned(),
        ..ResourceOptions::default()
    };
    let time = Arc::new(|| Timestamp(START));
    let transport = |_: &str| Arc::new(Offline) as Arc<dyn Transport>;
    let verifier = Verifier::new(&options, RESOURCE, &transport, time).unwrap();
    let token = key.token(&json!({}));
    let request = GuardedRequest {
        method: "GET",
        path: "/mcp",
        presented: Presented::Bearer(&token),
    };
    assert_eq!(
        verifier.admit(request).await.unwrap().identity.subject,
        "ada"
    );
}

#[tokio::test]
async fn a_caller_is_admitted_until_its_token_expires() {
    let setup = Setup::new(|_| ());
    let key = Issuer::new("1");
    setup.publish(&[&key]);
    let token = key.token(&json!({"exp": START + 1000}));
    for passed in [0, 400] {
        setup.pass(passed);
        let request = GuardedRequest {
            method: "GET",
            path: "/mcp",
            presented: Presented::Bearer(&token),
        };
        let lasts = setup.verifier.admit(request).await.unwrap().lasts;
        assert_eq!(lasts.unwrap().as_secs(), 1060 - passed);
    }
}
