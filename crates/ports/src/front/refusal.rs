//! A refused request: an HTTP status, and a JSON-RPC error with the reason.

use bytes::Bytes;
use http::header::{ALLOW, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use linkspan_auth::resource::Denied;
use linkspan_session::Fault;
use linkspan_wire::{Id, RpcError, WireError, quote};

use super::body::{Response, json};

/// The reason why a request is not served.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    error: RpcError,
    id: Id,
    extra: Option<Extra>,
}

/// A header that goes with a status.
#[derive(Debug)]
enum Extra {
    Allow(&'static str),
    Bearer,
    Challenges(Vec<HeaderValue>),
    Later,
}

impl Refusal {
    /// A refusal with a text for people, a `kind` for programs and a hint.
    pub(super) fn new(status: StatusCode, kind: &str, why: String, hint: &str) -> Self {
        let data = format!(r#"{{"kind":"{kind}","hint":{}}}"#, quote(hint));
        Self::rpc(status, RpcError::server(why).with_data(data))
    }

    /// A refusal with a JSON-RPC error of its own.
    pub(super) fn rpc(status: StatusCode, error: RpcError) -> Self {
        Self {
            status,
            error,
            id: Id::null(),
            extra: None,
        }
    }

    /// The client has to try again later.
    pub(super) fn busy(what: &'static str) -> Self {
        Self::fault(&Fault::Overloaded { what })
    }

    /// An error from behind the front. Only errors of this endpoint itself have an HTTP status of their own: many
    /// clients do not show the JSON-RPC error of a response whose status is not 200.
    pub(super) fn fault(why: &Fault) -> Self {
        let error = RpcError::from(why);
        if !matches!(why, Fault::Overloaded { .. } | Fault::Closing) {
            return Self::rpc(StatusCode::OK, error);
        }
        Self {
            extra: Some(Extra::Later),
            ..Self::rpc(StatusCode::SERVICE_UNAVAILABLE, error)
        }
    }

    /// The body is no JSON-RPC.
    pub(super) fn bad(why: &WireError) -> Self {
        let status = match why {
            WireError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            _ => StatusCode::BAD_REQUEST,
        };
        Self::rpc(status, why.to_rpc()).about(Some(why.id()))
    }

    pub(super) fn method(allow: &'static str, why: &str) -> Self {
        let status = StatusCode::METHOD_NOT_ALLOWED;
        let mut refusal = Self::new(status, "method", why.to_owned(), "POST a message instead");
        refusal.extra = Some(Extra::Allow(allow));
        refusal
    }

    pub(super) fn unauthorized() -> Self {
        let mut refusal = Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "this endpoint requires a token".to_owned(),
            "send `Authorization: Bearer …` with the token that the bridge was started with",
        );
        refusal.extra = Some(Extra::Bearer);
        refusal
    }

    /// The guard refuses it.
    pub(super) fn denied(denied: Denied) -> Self {
        let status = StatusCode::from_u16(denied.status).unwrap_or(StatusCode::UNAUTHORIZED);
        let mut refusal = Self::new(status, denied.kind, denied.why, denied.hint);
        refusal.extra = Some(if status == StatusCode::SERVICE_UNAVAILABLE {
            Extra::Later
        } else {
            let values = denied.challenges.iter().map(ToString::to_string);
            Extra::Challenges(values.filter_map(|text| text.try_into().ok()).collect())
        });
        refusal
    }

    pub(super) fn no_such_session() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "no_session",
            "there is no such session".to_owned(),
            "it has ended; send `initialize` without Mcp-Session-Id to begin a new one",
        )
    }

    /// Adds the id of the refused request, if it is known.
    pub(super) fn about(mut self, id: Option<Id>) -> Self {
        if let Some(id) = id {
            self.id = id;
        }
        self
    }

    pub(super) fn into_response(self) -> Response {
        tracing::debug!("HTTP {}: {}", self.status.as_u16(), self.error.message());
        let text = self.error.answer(&self.id).to_bytes();
        let mut response = json(self.status, [text, Bytes::new(), Bytes::new()]);
        if let Some(extra) = self.extra {
            extra.add_to(response.headers_mut());
        }
        response
    }
}

impl Extra {
    fn add_to(self, headers: &mut HeaderMap) {
        match self {
            Self::Allow(methods) => headers.insert(ALLOW, HeaderValue::from_static(methods)),
            Self::Bearer => headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
            Self::Challenges(values) => {
                for value in values {
                    headers.append(WWW_AUTHENTICATE, value);
                }
                None
            }
            Self::Later => headers.insert(RETRY_AFTER, HeaderValue::from_static("1")),
        };
    }
}
