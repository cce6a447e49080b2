//! Sends a request: retries, redirects, and the classification of errors.

use std::error::Error;
use std::sync::atomic::Ordering;

use http::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use http::{Method, Request, StatusCode, Uri};
use hyper::body::Incoming;
use linkspan_session::Fault;
use tokio::time::sleep;
use url::Url;

use super::authorizer::send_authorized;
use super::body::Telling;
use super::endpoint::Endpoint;

/// The response of a server.
pub(super) type Response = http::Response<Incoming>;

const MAX_REDIRECTS: usize = 5;

/// Sends until a response arrives. A request is retried only if it was certainly not sent.
///
/// `body` is called for each attempt. Also returns the URL that answered: after a redirect the new URL is used from
/// then on.
pub(super) async fn send(
    endpoint: &Endpoint,
    method: Method,
    url: &Url,
    headers: &HeaderMap,
    body: impl Fn() -> Telling + Sync,
) -> Result<(Response, Url), Fault> {
    let mut url = url.clone();
    for _ in 0..=MAX_REDIRECTS {
        let response = send_authorized(endpoint, &method, &url, headers, &body).await?;
        match redirect(&url, &response) {
            Some(next) => url = next,
            None => return Ok((response, url)),
        }
    }
    Err(Fault::BadAnswer {
        peer: endpoint.peer.to_string(),
        why: "it redirects in a circle".to_owned(),
    })
}

/// Sends one request with these headers and credentials; retries the connection as configured.
pub(super) async fn connect(
    endpoint: &Endpoint,
    method: &Method,
    url: &Url,
    (headers, credentials): (&HeaderMap, &[(HeaderName, HeaderValue)]),
    body: impl Fn() -> Telling,
) -> Result<Response, Fault> {
    let uri: Uri = url.as_str().parse().map_err(|_| Fault::BadAnswer {
        peer: endpoint.peer.to_string(),
        why: "it names a URL that HTTP cannot use".to_owned(),
    })?;
    let mut delay = endpoint.options.retry_delay;
    let mut tries = 0;
    loop {
        tries += 1;
        let mut request = Request::new(body());
        *request.method_mut() = method.clone();
        *request.uri_mut() = uri.clone();
        *request.headers_mut() = headers.clone();
        request.headers_mut().extend(credentials.iter().cloned());
        let error = match endpoint.client.request(request).await {
            Ok(response) => {
                endpoint.answered.store(true, Ordering::Relaxed);
                return Ok(response);
            }
            Err(error) => error,
        };
        let why = chain(&error);
        // If the first response is not HTTP, the server is of another kind and cannot have run a call.
        if is_not_http(&why) && !endpoint.answered.load(Ordering::Relaxed) {
            return Err(Fault::ConnectFailed {
                peer: endpoint.peer.to_string(),
                why: Fault::NOT_HTTP.to_owned(),
                tries,
            });
        }
        if !error.is_connect() {
            return Err(Fault::AnswerLost {
                peer: endpoint.peer.to_string(),
                why,
            });
        }
        if tries > endpoint.options.retries {
            return Err(Fault::ConnectFailed {
                peer: endpoint.peer.to_string(),
                why,
                tries,
            });
        }
        tracing::debug!("try {tries}: {why}; the next one in {delay:?}");
        sleep(delay).await;
        delay = delay.saturating_mul(2);
    }
}

/// Whether the response is not HTTP; compares the error text of hyper.
fn is_not_http(why: &str) -> bool {
    why.contains("invalid HTTP version parsed")
}

/// Opens a session or a stream. Retried like a connection, because a server that restarts may accept a connection and
/// close it.
pub(super) async fn persist<T, F>(
    endpoint: &Endpoint,
    retries: u32,
    attempt: impl Fn() -> F,
) -> Result<T, Fault>
where
    F: Future<Output = Result<T, Fault>>,
{
    let mut delay = endpoint.options.retry_delay;
    let mut tries = 0;
    loop {
        tries += 1;
        let why = match attempt().await {
            Ok(done) => return Ok(done),
            Err(why) => why,
        };
        if tries > retries || !is_transient(&why) {
            return Err(unsent(why, tries));
        }
        tracing::debug!("try {tries}: {why}; the next one in {delay:?}");
        sleep(delay).await;
        delay = delay.saturating_mul(2);
    }
}

/// Whether a retry may succeed. A failed connection was retried already.
fn is_transient(why: &Fault) -> bool {
    match why {
        Fault::AnswerLost { .. } => true,
        // A server that starts, or a proxy in front of it, answers with these.
        Fault::HttpStatus { status, .. } => *status >= 500,
        _ => false,
    }
}

/// The same failure for calls that were waiting: they were not sent, so they cannot have run.
pub(super) fn unsent(why: Fault, tries: u32) -> Fault {
    match why {
        Fault::AnswerLost { peer, why } => Fault::ConnectFailed { peer, why, tries },
        other => other,
    }
}

/// Whether a retry may succeed after this status.
pub(super) fn may_pass(status: StatusCode) -> bool {
    // A stream that we lost may still count as open there: 409.
    status.is_server_error() || matches!(status.as_u16(), 408 | 409 | 425 | 429)
}

/// The URL of a redirect. Another origin is never followed, because it would get the credentials.
fn redirect(url: &Url, response: &Response) -> Option<Url> {
    let status = response.status();
    if status != StatusCode::TEMPORARY_REDIRECT && status != StatusCode::PERMANENT_REDIRECT {
        return None;
    }
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    let next = url.join(location).ok()?;
    (next.origin() == url.origin()).then_some(next)
}

/// An error with its causes on one line.
pub(super) fn chain(error: &dyn Error) -> String {
    // The outermost text, "client error (Connect)", is of no use to a person.
    let (mut text, mut source) = match error.source() {
        Some(cause) => (cause.to_string(), cause.source()),
        None => (error.to_string(), None),
    };
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
