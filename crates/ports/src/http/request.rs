//! The headers of a request.

use std::sync::Arc;

use http::header::{ACCEPT, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue};
use linkspan_mcp::{LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID, SessionKey};

use super::cookies::Cookies;
use super::endpoint::Endpoint;

/// The session that a request belongs to.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionContext {
    /// The id of the legacy session, once the server has assigned one.
    pub(super) session: Option<SessionKey>,
    /// The negotiated version, once it is known.
    pub(super) version: Option<Arc<str>>,
    /// Cookies that lead to the node that has the session.
    pub(super) cookies: Cookies,
}

impl SessionContext {
    /// The context after `initialize`: the session id and cookies of the response, and the version of the answer.
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
    let cookies = context.cookies.header(&headers);
    if let Some(cookies) = cookies.filter(|_| endpoint.options.cookies) {
        headers.insert(COOKIE, cookies);
    }
    if let Some(source) = &endpoint.options.source
        && let Some(value) = source.value()
    {
        set(&mut headers, source.name(), &value);
    }
    headers
}

/// Sets a header to a value from a peer; a value that HTTP does not allow is omitted.
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
