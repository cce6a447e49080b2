//! Credentials that change during a connection: obtained before each request, and again after a refusal.

use std::fmt;
use std::pin::Pin;

use bytes::Bytes;
use http::header::{DATE, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use http::{Method, StatusCode};
use linkspan_session::Fault;
use url::Url;

use super::body::Telling;
use super::endpoint::Endpoint;
use super::sending::{Response, connect};

/// How often one request may be sent again with other credentials: after expiry, for a nonce, and for three scopes in
/// turn.
const MOST: u32 = 6;
const NONCE: HeaderName = HeaderName::from_static("dpop-nonce");

/// A future of an [`Authorizer`].
pub type Authorizing<'a, T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + Send + 'a>>;

/// Provides credentials for requests to one origin.
pub trait Authorizer: Send + Sync + fmt::Debug {
    /// The credentials of a request, if they are cached.
    fn ready(&self, request: &Outgoing<'_>) -> Option<Credentials>;

    /// The credentials of a request, renewed or obtained first if necessary.
    fn obtain<'a>(&'a self, request: &'a Outgoing<'a>) -> Authorizing<'a, Credentials>;

    /// The server refused the credentials. It has certainly not run the request.
    fn refused(&self, refusal: AuthRefusal) -> Authorizing<'_, Again>;

    /// The server did not refuse the credentials of this version.
    fn accepted(&self, generation: Option<u64>) {
        let _ = generation;
    }

    /// Takes the nonce of a response for the next proof.
    fn nonce(&self, nonce: &str);

    /// Values that must not be shown.
    fn secrets(&self) -> Vec<String>;

    /// Whether a person is asked to sign in right now, who may take minutes.
    fn is_asking(&self) -> bool {
        false
    }

    /// Whether the credentials are signatures for AWS, whose refusals have reasons of their own.
    fn signs_for_aws(&self) -> bool {
        false
    }
}

/// A request that is about to be sent.
pub struct Outgoing<'a> {
    /// The method.
    pub method: &'a Method,
    /// The URL.
    pub url: &'a Url,
    /// The headers, without the credentials.
    pub headers: &'a HeaderMap,
    body: &'a (dyn Fn() -> Bytes + Sync),
}

impl<'a> Outgoing<'a> {
    /// `body` is called only for credentials that depend on the body.
    pub fn new(
        method: &'a Method,
        url: &'a Url,
        headers: &'a HeaderMap,
        body: &'a (dyn Fn() -> Bytes + Sync),
    ) -> Self {
        Self {
            method,
            url,
            headers,
            body,
        }
    }

    /// The body. Its bytes are shared, not copied.
    pub fn body(&self) -> Bytes {
        (self.body)()
    }
}

/// Credentials of one request.
#[derive(Default)]
pub struct Credentials {
    /// Headers, marked as sensitive.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The version of the credentials; `None` if there are none.
    pub generation: Option<u64>,
}

/// A response with 401 or 403.
#[derive(Debug, Clone)]
pub struct AuthRefusal {
    /// The status.
    pub status: u16,
    /// The values of `WWW-Authenticate`.
    pub challenges: Vec<String>,
    /// The value of `Date`.
    pub date: Option<String>,
    /// The version of the credentials that were refused.
    pub generation: Option<u64>,
    /// How often this request was refused before.
    pub attempt: u32,
    /// Whether a person may be asked to sign in. No client waits for the standing stream and the end of a session.
    pub may_ask: bool,
}

/// What to do after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// Send the request again, with new credentials.
    Retry,
    /// Return the refusal as the answer.
    Stop,
}

/// Sends a request with the credentials of the authorizer, if there is one, and again with others if they are refused.
pub(super) async fn send_authorized(
    endpoint: &Endpoint,
    method: &Method,
    url: &Url,
    headers: &HeaderMap,
    body: impl Fn() -> Telling + Sync,
) -> Result<Response, Fault> {
    let text = || body().into_text();
    let mut attempt = 0;
    loop {
        let authorizer = endpoint.options.authorizer.as_deref();
        let credentials = match authorizer {
            None => Credentials::default(),
            Some(authorizer) => {
                let request = Outgoing::new(method, url, headers, &text);
                match authorizer.ready(&request) {
                    Some(ready) => ready,
                    None => authorizer.obtain(&request).await?,
                }
            }
        };
        let all = (headers, &*credentials.headers);
        let response = connect(endpoint, method, url, all, &body).await?;
        let Some(authorizer) = authorizer else {
            return Ok(response);
        };
        if let Some(Ok(nonce)) = response.headers().get(NONCE).map(HeaderValue::to_str) {
            authorizer.nonce(nonce);
        }
        let status = response.status();
        let is_refused = status == StatusCode::UNAUTHORIZED || status == StatusCode::FORBIDDEN;
        if !is_refused {
            if !status.is_server_error() {
                authorizer.accepted(credentials.generation);
            }
            return Ok(response);
        }
        if attempt == MOST {
            return Ok(response);
        }
        endpoint.options.note_peer(&response);
        let date = response.headers().get(DATE);
        let refusal = AuthRefusal {
            date: date.and_then(|value| value.to_str().ok().map(str::to_owned)),
            status: status.as_u16(),
            challenges: auth_challenges(response.headers()),
            generation: credentials.generation,
            attempt,
            may_ask: endpoint.may_ask(),
        };
        match authorizer.refused(refusal).await? {
            Again::Retry => attempt += 1,
            Again::Stop => return Ok(response),
        }
    }
}

/// The values of `WWW-Authenticate`. Descriptions for people are often not ASCII, and a byte that is not UTF-8 must not
/// hide the rest.
pub fn auth_challenges(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(WWW_AUTHENTICATE).iter();
    let texts = values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_with_a_byte_that_is_not_ascii_is_kept() {
        let mut headers = HeaderMap::new();
        for value in [
            &b"Basic realm=\"x\""[..],
            b"Bearer error_description=\"f\xfcr\", scope=\"a\"",
        ] {
            headers.append(WWW_AUTHENTICATE, HeaderValue::from_bytes(value).unwrap());
        }
        assert_eq!(
            auth_challenges(&headers),
            [
                "Basic realm=\"x\"",
                "Bearer error_description=\"f\u{fffd}r\", scope=\"a\"",
            ]
        );
    }
}
