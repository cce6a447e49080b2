//! A protected resource, an authorization server and a user, in memory.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use url::Url;

use super::super::{Action, Granted, Input, SignIn};
use crate::client::{ClientOptions, Demand, DeviceCode, GivenClient, SignInError};
use crate::store::{Record, Registration, Status};
use crate::{HttpRequest, HttpResponse, Secret, Timestamp};

pub(super) const SERVER: &str = "https://server.example/mcp";
pub(super) const ISSUER: &str = "https://as.example";
const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
const METADATA: &str = "/.well-known/oauth-authorization-server";

/// A challenge with these parameters.
pub(super) fn demand(params: &str) -> Demand {
    Demand::read([format!("Bearer {params}").as_str()]).unwrap()
}

/// Options with a client of the user's.
pub(super) fn given(id: &str, secret: Option<&str>) -> ClientOptions {
    ClientOptions {
        client: Some(GivenClient {
            id: id.to_owned(),
            secret: secret.map(Secret::new),
            key: None,
            auth: None,
        }),
        ..ClientOptions::default()
    }
}

pub(super) struct World {
    answers: HashMap<String, (u16, String)>,
    requests: Vec<HttpRequest>,
    refused_redirect: Option<&'static str>,
    /// What polls are refused with.
    polls: VecDeque<&'static str>,
    /// Hosts that cannot be reached.
    pub(super) down: Vec<&'static str>,
    pub(super) token_type: &'static str,
    pub(super) kept: Option<Registration>,
    pub(super) port: u16,
    pub(super) offered_ports: Vec<u16>,
    pub(super) has_browser: bool,
    pub(super) pages: Vec<Url>,
    pub(super) shown: Option<DeviceCode>,
    pub(super) waits: Vec<Duration>,
    /// What answers other than successes say about it.
    pub(super) retry_after: Option<u64>,
    now: u64,
}

impl World {
    pub(super) const PORT: u16 = 4711;

    /// A server that publishes nothing.
    pub(super) fn bare() -> Self {
        Self {
            answers: HashMap::new(),
            requests: Vec::new(),
            refused_redirect: None,
            polls: VecDeque::new(),
            down: Vec::new(),
            token_type: "Bearer",
            kept: None,
            port: Self::PORT,
            offered_ports: Vec::new(),
            has_browser: true,
            pages: Vec::new(),
            shown: None,
            waits: Vec::new(),
            retry_after: None,
            now: 1000,
        }
    }

    /// A server with all metadata.
    pub(super) fn modern() -> Self {
        let mut world = Self::bare();
        let resource = json!({"resource": SERVER, "authorization_servers": [ISSUER]});
        let metadata = json!({
            "issuer": ISSUER,
            "authorization_endpoint": format!("{ISSUER}/authorize"),
            "token_endpoint": format!("{ISSUER}/token"),
            "registration_endpoint": format!("{ISSUER}/register"),
            "code_challenge_methods_supported": ["S256"],
        });
        world.answer(RESOURCE, 200, &resource.to_string());
        world.answer(METADATA, 200, &metadata.to_string());
        world
    }

    pub(super) fn answer(&mut self, path: &str, status: u16, body: &str) {
        let answer = (status, body.to_owned());
        self.answers.insert(path.to_owned(), answer);
    }

    pub(super) fn resource(&mut self, change: impl FnOnce(&mut Value)) {
        self.change(RESOURCE, change);
    }

    pub(super) fn server(&mut self, change: impl FnOnce(&mut Value)) {
        self.change(METADATA, change);
    }

    fn change(&mut self, path: &str, change: impl FnOnce(&mut Value)) {
        let (_, body) = self.answers.get_mut(path).unwrap();
        let mut document: Value = serde_json::from_str(body).unwrap();
        change(&mut document);
        *body = document.to_string();
    }

    pub(super) fn move_document(&mut self, from: &str, to: &str) {
        let document = self.answers.remove(from).unwrap();
        self.answers.insert(to.to_owned(), document);
    }

    /// The resource describes itself at the root of its origin.
    pub(super) fn resource_at_root(&mut self) {
        self.change("/.well-known/oauth-protected-resource", |it| {
            it["resource"] = "https://server.example".into();
        });
    }

    pub(super) fn move_issuer(&mut self, issuer: &str) {
        self.resource(|it| it["authorization_servers"] = json!([issuer]));
        self.server(|it| it["issuer"] = issuer.into());
        self.kept = None;
    }

    pub(super) fn refuse_registrations_with(&mut self, host: &'static str) {
        self.refused_redirect = Some(host);
    }

    pub(super) fn with_device(&mut self, polls: &[&'static str]) {
        self.server(|it| it["device_authorization_endpoint"] = format!("{ISSUER}/device").into());
        self.polls = polls.iter().copied().collect();
    }

    pub(super) fn sign_in(
        &mut self,
        options: ClientOptions,
        demand: Demand,
    ) -> Result<Box<Granted>, SignInError> {
        self.run(options, demand, None)
    }

    pub(super) fn sign_in_again(
        &mut self,
        options: ClientOptions,
        demand: Demand,
        record: &Record,
    ) -> Result<Box<Granted>, SignInError> {
        self.run(options, demand, Some(record))
    }

    fn run(
        &mut self,
        options: ClientOptions,
        demand: Demand,
        record: Option<&Record>,
    ) -> Result<Box<Granted>, SignInError> {
        let server = Url::parse(SERVER).unwrap();
        let mut sign_in = SignIn::new(Arc::new(options), &server, demand, record);
        if !self.has_browser {
            sign_in = sign_in.without_browser();
        }
        let mut action = sign_in.start()?;
        loop {
            let input = match action {
                Action::Send(request) if self.is_down(&request.url) => {
                    Input::Unreachable("it is down".to_owned())
                }
                Action::Send(request) => Input::Response(self.respond(request)),
                Action::Recall { .. } => Input::Recalled(self.kept.clone()),
                Action::Listen { ports } => {
                    self.offered_ports = ports;
                    Input::Listening(self.port)
                }
                Action::Authorize(authorize) => {
                    self.pages.push(authorize.url);
                    Input::Redirected(format!("code=1&state={}", authorize.state))
                }
                Action::Show(code) => {
                    self.shown = Some(code);
                    Input::Continue
                }
                Action::Wait(time) => {
                    self.waits.push(time);
                    self.now += time.as_secs();
                    Input::Continue
                }
                Action::Done(granted) => return Ok(granted),
                Action::Found(_) => unreachable!("tokens are asked for"),
            };
            action = sign_in.on(input, Timestamp(self.now))?;
        }
    }

    fn is_down(&self, url: &Url) -> bool {
        url.host_str().is_some_and(|host| self.down.contains(&host))
    }

    fn respond(&mut self, request: HttpRequest) -> HttpResponse {
        let path = request.url.path().to_owned();
        let (status, body) = match (self.answers.get(&path), path.as_str()) {
            (Some(answer), _) => answer.clone(),
            (None, "/register") => self.register(&request),
            (None, "/device") => {
                let codes = json!({
                    "device_code": "device",
                    "user_code": "WDJB-MJHT",
                    "verification_uri": "https://as.example/enter",
                    "interval": 2,
                    "expires_in": 300,
                });
                (200, codes.to_string())
            }
            (None, "/token") => match self.polls.pop_front() {
                Some(code) => (400, json!({"error": code}).to_string()),
                None => (
                    200,
                    json!({"access_token": "access", "token_type": self.token_type}).to_string(),
                ),
            },
            (None, _) => (404, String::new()),
        };
        self.requests.push(request);
        HttpResponse {
            status,
            body: body.into_bytes(),
            retry_after: self.retry_after.filter(|_| status >= 400),
            ..HttpResponse::default()
        }
    }

    fn register(&self, request: &HttpRequest) -> (u16, String) {
        if self
            .refused_redirect
            .is_some_and(|host| request.body.contains(host))
        {
            return (400, json!({"error": "invalid_redirect_uri"}).to_string());
        }
        (201, json!({"client_id": "registered"}).to_string())
    }

    /// The credential that a sign-in leads to.
    pub(super) fn record(&self, granted: Granted) -> Record {
        Record {
            generation: 1,
            server: SERVER.to_owned(),
            issuer: granted.issuer,
            resource: granted.resource,
            status: Status::Active,
            client: granted.client,
            tokens: Some(granted.tokens),
            requested: granted.requested,
            metadata: Some(granted.metadata),
            dpop_key: granted.dpop_key,
            written: Timestamp(self.now),
            signed_in: None,
        }
    }

    /// The URLs that were asked.
    pub(super) fn urls(&self) -> impl Iterator<Item = &Url> {
        self.requests.iter().map(|request| &request.url)
    }

    /// The paths that were asked.
    pub(super) fn asked(&self) -> Vec<&str> {
        let paths = self.requests.iter().map(|request| request.url.path());
        paths.collect()
    }

    pub(super) fn count(&self, path: &str) -> usize {
        self.asked().iter().filter(|one| **one == path).count()
    }

    /// The fields of the last form that was sent there.
    pub(super) fn form(&self, path: &str) -> HashMap<String, String> {
        let last = self
            .requests
            .iter()
            .rev()
            .find(|one| one.url.path() == path);
        let body = &last.unwrap().body;
        url::form_urlencoded::parse(body.as_bytes())
            .into_owned()
            .collect()
    }

    /// The last document that was sent there.
    pub(super) fn document(&self, path: &str) -> Value {
        let mut requests = self.requests.iter().rev();
        let last = requests.find(|one| one.url.path() == path).unwrap();
        serde_json::from_str(&last.body).unwrap()
    }

    /// The last page that was shown.
    pub(super) fn page(&self) -> &Url {
        self.pages.last().unwrap()
    }

    pub(super) fn page_param(&self, name: &str) -> Option<String> {
        let mut pairs = self.page().query_pairs();
        pairs
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.into_owned())
    }
}
