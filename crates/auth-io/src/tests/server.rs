//! An authorization server with device codes and rotating refresh tokens: one that is used twice revokes all of them.

use std::sync::Arc;

use linkspan_auth::{HttpRequest, HttpResponse};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::transport::{Sending, Transport};

pub(super) const SERVER: &str = "https://server.example/mcp";
/// Another endpoint of the same resource.
pub(super) const SIBLING: &str = "https://server.example/sse";
const RESOURCE: &str = "https://server.example";
const ISSUER: &str = "https://as.example";

pub(super) struct Server(Mutex<State>);

#[derive(Default)]
struct State {
    lifetime: u64,
    /// Clients that have registered, and how many of them were forgotten.
    clients: u32,
    forgotten: u32,
    /// Sign-ins that a person was asked for.
    asked: u32,
    polls: u32,
    logins: u32,
    refreshes: u32,
    reuses: u32,
    /// Tokens that were given out; the last refresh token is the valid one.
    issued: u32,
    is_revoked: bool,
    has_no_refresh_tokens: bool,
    /// Whether errors are sent with status 200 and codes of their own.
    is_github: bool,
    /// What refreshes are answered with in place of tokens.
    refresh_failure: Option<(u16, Value)>,
    /// What the token endpoint answers in place of tokens.
    failure: Option<(u16, Value)>,
    /// What the person who was asked does.
    person: Person,
    /// All that was sent.
    heard: String,
}

#[derive(Default, Clone, Copy)]
pub(super) enum Person {
    #[default]
    SignsIn,
    /// With the second poll.
    Refuses,
    DoesNothing,
}

impl Server {
    pub(super) fn new(lifetime: u64) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State {
            lifetime,
            ..State::default()
        })))
    }

    pub(super) fn set_lifetime(&self, lifetime: u64) {
        self.0.lock().lifetime = lifetime;
    }

    pub(super) fn set_person(&self, person: Person) {
        self.0.lock().person = person;
    }

    pub(super) fn revoke(&self) {
        self.0.lock().is_revoked = true;
    }

    pub(super) fn fail(&self, failure: Option<(u16, Value)>) {
        self.0.lock().failure = failure;
    }

    pub(super) fn fail_refreshes(&self, failure: (u16, Value)) {
        self.0.lock().refresh_failure = Some(failure);
    }

    pub(super) fn give_no_refresh_tokens(&self) {
        self.0.lock().has_no_refresh_tokens = true;
    }

    /// Sends errors as GitHub does.
    pub(super) fn be_github(&self) {
        self.0.lock().is_github = true;
    }

    pub(super) fn forget_clients(&self) {
        let mut state = self.0.lock();
        state.forgotten = state.clients;
    }

    pub(super) fn heard(&self) -> String {
        self.0.lock().heard.clone()
    }

    pub(super) fn asked(&self) -> u32 {
        self.0.lock().asked
    }

    pub(super) fn logins(&self) -> u32 {
        self.0.lock().logins
    }

    pub(super) fn refreshes(&self) -> u32 {
        self.0.lock().refreshes
    }

    pub(super) fn reuses(&self) -> u32 {
        self.0.lock().reuses
    }
}

impl State {
    fn respond(&mut self, request: &HttpRequest) -> (u16, Value) {
        self.heard += &format!("{} {}\n", request.url, request.body);
        match request.url.path() {
            "/.well-known/oauth-protected-resource" => (
                200,
                json!({"resource": RESOURCE, "authorization_servers": [ISSUER]}),
            ),
            "/.well-known/oauth-authorization-server" => {
                let at = |path: &str| format!("{ISSUER}{path}");
                let metadata = json!({
                    "issuer": ISSUER,
                    "authorization_endpoint": at("/authorize"),
                    "token_endpoint": at("/token"),
                    "registration_endpoint": at("/register"),
                    "device_authorization_endpoint": at("/device"),
                    "code_challenge_methods_supported": ["S256"],
                });
                (200, metadata)
            }
            "/register" => {
                self.clients += 1;
                (
                    201,
                    json!({"client_id": format!("client-{}", self.clients)}),
                )
            }
            "/device" | "/token" if !self.knows(&request.body) => {
                (401, json!({"error": "invalid_client"}))
            }
            "/device" => {
                self.asked += 1;
                let codes = json!({
                    "device_code": "device",
                    "user_code": "CODE",
                    "verification_uri": "https://as.example/enter",
                    "interval": 1,
                });
                (200, codes)
            }
            "/token" => match self.failure.clone() {
                Some(failure) => failure,
                None => self.token(&request.body),
            },
            _ => (404, Value::Null),
        }
    }

    fn knows(&self, form: &str) -> bool {
        let form = format!("{form}&");
        let mut clients = self.forgotten + 1..=self.clients;
        clients.any(|client| form.contains(&format!("client_id=client-{client}&")))
    }

    fn token(&mut self, form: &str) -> (u16, Value) {
        if form.contains("device_code=device") {
            let status = if self.is_github { 200 } else { 400 };
            let pending = (status, json!({"error": "authorization_pending"}));
            self.polls += 1;
            return match self.person {
                Person::SignsIn if self.is_github && self.polls == 1 => pending,
                Person::DoesNothing => pending,
                Person::Refuses => {
                    self.failure = Some((400, json!({"error": "access_denied"})));
                    pending
                }
                Person::SignsIn => {
                    self.logins += 1;
                    self.is_revoked = false;
                    self.issue()
                }
            };
        }
        if let Some(failure) = &self.refresh_failure {
            return failure.clone();
        }
        let current = format!("refresh_token=refresh-{}&", self.issued);
        if self.is_revoked || !format!("{form}&").contains(&current) {
            self.reuses += u32::from(!self.is_revoked);
            self.is_revoked = true;
            return match self.is_github {
                true => (200, json!({"error": "bad_refresh_token"})),
                false => (400, json!({"error": "invalid_grant"})),
            };
        }
        self.refreshes += 1;
        self.issue()
    }

    fn issue(&mut self) -> (u16, Value) {
        self.issued += 1;
        let mut tokens = json!({
            "access_token": format!("access-{}", self.issued),
            "token_type": "Bearer",
            "expires_in": self.lifetime,
            "refresh_token": format!("refresh-{}", self.issued),
        });
        if self.has_no_refresh_tokens {
            tokens["refresh_token"].take();
        }
        (200, tokens)
    }
}

impl Transport for Server {
    fn send(&self, request: HttpRequest) -> Sending<'_> {
        let (status, body) = self.0.lock().respond(&request);
        Box::pin(async move {
            // Other tasks run while a request is on its way.
            tokio::task::yield_now().await;
            Ok(HttpResponse {
                status,
                body: body.to_string().into_bytes(),
                ..HttpResponse::default()
            })
        })
    }
}
