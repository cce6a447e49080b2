//! Sending a request: retries, redirects, and what may be said of a failure.

use std::error::Error;

use linkspan_session::Fault;
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Body, Method, Response, StatusCode, Url};
use tokio::time::sleep;

use super::endpoint::Endpoint;

const MAX_REDIRECTS: usize = 5;

/// Sends until a response arrives. Only what was certainly not sent is tried again.
///
/// `body` is called for each attempt. Gives the URL that answered, too: a server that moved is
/// asked at its new place from then on.
pub(super) async fn send(
    endpoint: &Endpoint,
    method: Method,
    url: &Url,
    headers: &HeaderMap,
    body: impl Fn() -> Option<Body>,
) -> Result<(Response, Url), Fault> {
    let mut url = url.clone();
    for _ in 0..=MAX_REDIRECTS {
        let response = connect(endpoint, &method, &url, headers, &body).await?;
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

async fn connect(
    endpoint: &Endpoint,
    method: &Method,
    url: &Url,
    headers: &HeaderMap,
    body: impl Fn() -> Option<Body>,
) -> Result<Response, Fault> {
    let mut delay = endpoint.options.retry_delay;
    let mut tries = 0;
    loop {
        tries += 1;
        let mut request = endpoint.client.request(method.clone(), url.clone());
        request = request.headers(headers.clone());
        if let Some(body) = body() {
            request = request.body(body);
        }
        let error = match request.send().await {
            Ok(response) => return Ok(response),
            Err(error) => error.without_url(),
        };
        let why = chain(&error);
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

/// Where to ask instead. Another origin is never followed: it would get the credentials.
fn redirect(url: &Url, response: &Response) -> Option<Url> {
    let status = response.status();
    if status != StatusCode::TEMPORARY_REDIRECT && status != StatusCode::PERMANENT_REDIRECT {
        return None;
    }
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    let next = url.join(location).ok()?;
    (next.origin() == url.origin()).then_some(next)
}

/// An error with all its causes on one line.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
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
