//! The headers of one request.

use std::sync::Arc;

use http::header::{ACCEPT, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue};
use linkspan_mcp::{LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID, SessionKey};

use super::cookies::Cookies;
use super::endpoint::Endpoint;

/// What tells the server which session a request belongs to.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionContext {
    /// The legacy session, once the server has given one out.
    pub(super) session: Option<SessionKey>,
    /// The negotiated version, once it is known.
    pub(super) version: Option<Arc<str>>,
    /// What keeps us at the server that began the session.
    pub(super) cookies: Cookies,
}

impl SessionContext {
    /// Where `initialize` has led: the session and the cookies of its response, and the version of
    /// its answer.
    pub(super) fn opened(headers: &HeaderMap) -> Self {
        let key = headers.get(SESSION_ID);
        let mut context = Self {
            session: key.and_then(|v| SessionKey::parse(v.to_str().ok()?)),
            ..Self::default()
        };
        context.cookies.learn(headers);
        context
    }
}

/// Headers of a POST. `extra` mirrors the body in the modern era.
pub(super) fn post(
    endpoint: &Endpoint,
    context: &SessionContext,
    extra: &[(String, String)],
) -> HeaderMap {
    let mut headers = common(endpoint, context);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("application/json, text/event-stream"),
    );
    for (name, value) in extra {
        set(&mut headers, name, value);
    }
    headers
}

/// Headers of a GET for a stream.
pub(super) fn get(
    endpoint: &Endpoint,
    context: &SessionContext,
    last_event: Option<&str>,
) -> HeaderMap {
    let mut headers = common(endpoint, context);
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    if let Some(id) = last_event {
        set(&mut headers, LAST_EVENT_ID, id);
    }
    headers
}

/// Headers that every request has.
pub(super) fn common(endpoint: &Endpoint, context: &SessionContext) -> HeaderMap {
    let mut headers = endpoint.options.headers.clone();
    if let Some(session) = &context.session {
        set(&mut headers, SESSION_ID, session.as_str());
    }
    if let Some(version) = &context.version {
        set(&mut headers, PROTOCOL_VERSION, version);
    }
    if let Some(cookies) = context.cookies.header(&headers) {
        headers.insert(COOKIE, cookies);
    }
    if let Some(source) = &endpoint.options.source
        && let Some(value) = source.value()
    {
        set(&mut headers, source.name(), &value);
    }
    headers
}

/// Sets a header to a value that a peer chose; one that HTTP does not allow is left out.
fn set(headers: &mut HeaderMap, name: &str, value: &str) {
    let pair = (
        HeaderName::try_from(name),
        HeaderValue::from_bytes(value.as_bytes()),
    );
    match pair {
        (Ok(name), Ok(value)) => {
            headers.insert(name, value);
        }
        _ => tracing::debug!("the header {name} cannot hold its value"),
    }
}
