//! The state that all connections of a front share, and the routing of requests.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONNECTION, HeaderValue};
use http::request::Parts;
use http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use linkspan_mcp::{Era, Given, PROTOCOL_VERSION, Revision, SESSION_ID, era_of_post};
use linkspan_session::{Budget, Envelope, Pool};
use linkspan_wire::Frame;
use tokio::sync::{Semaphore, watch};

use super::access::{self, AccessRules, METHODS};
use super::admission::Admission;
use super::allowance::{Allowance, Allowances};
use super::body::{self, RequestSlot, Response, json};
use super::connections::Serving;
use super::figures::FrontFigures;
use super::intake::{Intake, check_accept_any, check_content_type, drain, given};
use super::knowledge::Knowledge;
use super::options::{FrontOptions, HEALTH, SsePaths};
use super::phase::Phase;
use super::principal::Principal;
use super::refusal::Refusal;
use super::service::FrontService;
use super::session::Session;
use super::session_streams::Manner;
use super::sessions::Sessions;

/// The byte limit of messages that are being read or wait for a server: this many messages of the largest size, and at
/// least [`LEAST_BYTES`].
const MESSAGES: usize = 4;
const LEAST_BYTES: usize = 64 << 20;

pub(super) struct Router<H> {
    pub(super) options: FrontOptions,
    pub(super) service: Arc<H>,
    pub(super) sessions: Arc<Sessions>,
    /// Rooms for legacy sessions.
    pub(super) session_slots: Arc<Semaphore>,
    pub(super) knowledge: Arc<Knowledge>,
    pub(super) phase: watch::Sender<Phase>,
    request_slots: Arc<Semaphore>,
    pub(super) access: AccessRules,
    pub(super) allowances: Allowances,
    figures: FrontFigures,
}

impl<H: FrontService> Router<H> {
    pub(super) fn new(options: FrontOptions, service: Arc<H>, bound: Option<SocketAddr>) -> Self {
        let options = options.sane();
        let sessions = Arc::default();
        let bytes = options.limits.max_bytes().saturating_mul(MESSAGES);
        let pool = Pool::new(bytes.max(LEAST_BYTES));
        let request_slots = Arc::new(Semaphore::new(options.max_in_flight));
        Self {
            figures: FrontFigures::new(&sessions, &request_slots),
            service,
            sessions,
            session_slots: Arc::new(Semaphore::new(options.max_sessions)),
            knowledge: Arc::default(),
            phase: watch::Sender::new(Phase::Open),
            request_slots,
            access: AccessRules::new(&options, bound),
            allowances: Allowances::new(options.limits.max_bytes(), pool),
            options,
        }
    }

    pub(super) fn figures(&self) -> FrontFigures {
        self.figures.clone()
    }

    /// Answers one request.
    pub(super) async fn serve(
        self: Arc<Self>,
        request: Request<Incoming>,
        serving: Serving,
    ) -> Result<Response, Infallible> {
        let (head, body) = request.into_parts();
        let admitted = match self.access.admit(&head) {
            Ok(admitted) => admitted,
            Err(refusal) => return Ok(refusal.into_response().map(|body| body.during(serving))),
        };
        let served = self.route(&head, body, &serving).await;
        let mut response = served.unwrap_or_else(Refusal::into_response);
        if serving.is_reserved() {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        for (name, value) in &self.options.response_headers {
            let headers = response.headers_mut();
            headers.entry(name).or_insert_with(|| value.clone());
        }
        admitted.stamp(&mut response);
        Ok(response.map(|body| body.during(serving)))
    }

    async fn route(
        self: &Arc<Self>,
        head: &Parts,
        body: Incoming,
        serving: &Serving,
    ) -> Result<Response, Refusal> {
        let path = head.uri.path();
        if head.method == Method::OPTIONS {
            return Ok(access::preflight(&head.headers));
        }
        if self.options.health.iter().any(|one| one == path) {
            return Ok(body::text(StatusCode::OK, "ok"));
        }
        if path == HEALTH {
            return self.health(&head.method);
        }
        if let Some(document) = self.document(head) {
            return document;
        }
        let mut admission = self.admission(head).await?;
        if serving.is_reserved() {
            return Err(Refusal::busy("too many connections"));
        }
        let endpoint = self.options.path.trim_end_matches('/');
        let below = path.trim_end_matches('/').strip_prefix(endpoint);
        let view = below.and_then(|below| below.strip_prefix('/'));
        let view = view.filter(|name| self.service.has_view(name));
        if let Some(view) = view {
            admission.principal = admission.principal.in_view(view);
        }
        if below == Some("") || view.is_some() {
            return match head.method {
                Method::POST => self.post(head, body, &admission, serving).await,
                Method::GET => self.listen(head, &admission, serving),
                Method::DELETE => self.end(head, &admission, serving).await,
                _ => Err(Refusal::method(METHODS, "unsupported method")),
            };
        }
        let SsePaths {
            stream, messages, ..
        } = &self.options.sse_paths;
        if self.options.sse && self.options.client_era != Some(Era::Modern) {
            let is_get = head.method == Method::GET;
            let is_post = head.method == Method::POST;
            match path {
                path if path == stream && is_get => {
                    return self.open_sse(head, &admission, serving).await;
                }
                path if path == messages && is_post => {
                    return self.post_sse(head, body, &admission, serving).await;
                }
                path if path == stream => {
                    return Err(Refusal::method("GET", "this path serves an event stream"));
                }
                path if path == messages => {
                    return Err(Refusal::method("POST", "messages are POSTed"));
                }
                _ => {}
            }
        }
        // A guard decides about each request, and there is only the first one.
        if self.options.websocket.as_deref() == Some(path) && self.options.guard.is_none() {
            return self.websocket(head, &admission, serving).await;
        }
        let why = "nothing is served at this path".to_owned();
        let hint = format!("the endpoint is {}", self.options.path);
        Err(Refusal::new(StatusCode::NOT_FOUND, "path", why, &hint))
    }

    fn health(&self, method: &Method) -> Result<Response, Refusal> {
        if *method != Method::GET && *method != Method::HEAD {
            return Err(Refusal::method("GET", "only GET is allowed here"));
        }
        let text = self.figures.to_json(&self.service.figures());
        Ok(json(
            StatusCode::OK,
            [Bytes::from(text), Bytes::new(), Bytes::new()],
        ))
    }

    /// Serves a POST: the era of the message decides how.
    async fn post(
        self: &Arc<Self>,
        head: &Parts,
        body: Incoming,
        admission: &Admission,
        serving: &Serving,
    ) -> Result<Response, Refusal> {
        check_content_type(&head.headers)?;
        check_accept_any(&head.headers)?;
        let principal = admission.principal.clone();
        let session = self.named_session(head, &principal);
        let own = match &session {
            Some(Some(session)) => Arc::clone(&session.allowance),
            _ => self.allowances.of(&principal),
        };
        if let Err(refusal) = charge(serving, &own) {
            tokio::spawn(drain(body));
            return Err(refusal);
        }
        let (text, credit) = self.intake(&own.budget).read(body).await?;
        let frame = Frame::parse(text, &self.options.limits);
        let version = given(&head.headers, PROTOCOL_VERSION);
        let message = match frame {
            Frame::One(message) => message,
            Frame::Batch(entries) => {
                self.only(Era::Legacy, None)?;
                self.permit(admission, entries.iter().flatten())?;
                return self.batch(entries, version, session).await;
            }
            Frame::Other { why, .. } => return Err(Refusal::bad(&why)),
            Frame::Blank => return Err(Refusal::bad(&linkspan_wire::Syntax::Torn.into())),
        };
        let era = match self.options.client_era {
            Some(Era::Legacy) => Ok(Era::Legacy),
            _ => era_of_post(&message, version),
        };
        let id = message.id();
        let permitted = self.permit(admission, [&message]);
        permitted.map_err(|refusal| refusal.about(id.clone()))?;
        let envelope = Envelope {
            credit,
            ..Envelope::new(message)
        };
        let refuse = |error| Refusal::rpc(StatusCode::BAD_REQUEST, error).about(id.clone());
        let served = match era.map_err(refuse)? {
            Era::Modern => self.ask(head, envelope, principal).await,
            Era::Legacy if self.options.stateless.is_some() && session.is_none() => {
                self.only(Era::Legacy, Some(&envelope.msg))?;
                self.alone(envelope, version, principal).await
            }
            Era::Legacy => {
                self.only(Era::Legacy, Some(&envelope.msg))?;
                self.relay(envelope, version, session, principal).await
            }
        };
        served.map_err(|refusal| refusal.about(id))
    }

    /// Takes a slot for a request, within the client's share.
    pub(super) fn slot(&self, own: &Allowance) -> Result<RequestSlot, Refusal> {
        let share = own.wait(self.request_slots.available_permits());
        let share = share.ok_or_else(|| Refusal::busy("too many requests of one client"))?;
        let slot = Arc::clone(&self.request_slots).try_acquire_owned();
        let slot = slot.map_err(|_| Refusal::busy("too many requests"))?;
        Ok(Arc::new((slot, share)))
    }

    pub(super) fn intake<'a>(&'a self, own: &'a Budget) -> Intake<'a> {
        Intake {
            limits: self.options.limits,
            timeout: self.options.body_timeout,
            room_timeout: self.options.room_timeout,
            own,
        }
    }

    /// The session that a request names: `None` if it names none, `Some(None)` if that session does not exist.
    pub(super) fn named_session(
        &self,
        head: &Parts,
        principal: &Principal,
    ) -> Option<Option<Arc<Session>>> {
        match given(&head.headers, SESSION_ID) {
            Given::Nothing => None,
            Given::Text(key) => {
                let who = principal;
                Some(self.sessions.find(key, who, Manner::Streams))
            }
            Given::Unclear => Some(None),
        }
    }
}

/// Counts a request for a session or principal, unless its share is used up.
pub(super) fn charge(serving: &Serving, to: &Arc<Allowance>) -> Result<(), Refusal> {
    if serving.charge(to) {
        Ok(())
    } else {
        Err(Refusal::busy("too many connections of one client"))
    }
}

/// Checks the version header of a legacy request after `initialize`.
pub(super) fn check_version(version: Given<'_>, session: &Session) -> Result<(), Refusal> {
    let fits = match version {
        Given::Nothing => true,
        Given::Text(text) => {
            let known = Revision::parse(text).is_some_and(|r| r.era() == Era::Legacy);
            known || session.streams().speaks(text)
        }
        Given::Unclear => false,
    };
    if fits {
        return Ok(());
    }
    let why = "MCP-Protocol-Version names no revision that this session could have".to_owned();
    let hint = "send the one that `initialize` was answered with";
    Err(Refusal::new(StatusCode::BAD_REQUEST, "version", why, hint))
}
