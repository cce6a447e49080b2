//! HTTP requests and responses as values, for callers that have a client.

use std::fmt;

use url::Url;

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Asks for a document.
    Get,
    /// Sends a form or a JSON document.
    Post,
}

/// A request that the caller sends. A redirect may be followed for GET only, and only to the same origin.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method.
    pub method: Method,
    /// Where to.
    pub url: Url,
    /// Headers besides those of the connection.
    pub headers: Vec<(&'static str, String)>,
    /// The body of a POST.
    pub body: String,
}

/// Headers and body hold secrets.
impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.method, self.url)
    }
}

impl HttpRequest {
    /// A request for a JSON document.
    pub fn get(url: Url) -> Self {
        Self {
            method: Method::Get,
            url,
            headers: vec![("accept", "application/json".to_owned())],
            body: String::new(),
        }
    }

    /// A form.
    pub fn form(url: Url, fields: &[(&str, &str)]) -> Self {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        Self::post(url, "application/x-www-form-urlencoded", body)
    }

    /// A JSON document.
    pub fn json(url: Url, body: &serde_json::Value) -> Self {
        Self::post(url, "application/json", body.to_string())
    }

    fn post(url: Url, media: &str, body: String) -> Self {
        Self {
            method: Method::Post,
            url,
            headers: vec![
                ("accept", "application/json".to_owned()),
                ("content-type", media.to_owned()),
            ],
            body,
        }
    }

    /// The same with one more header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// What came back: the status, the headers that matter here, and a body of bounded size.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct HttpResponse {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
    /// The values of `WWW-Authenticate`.
    pub challenges: Vec<String>,
    /// `DPoP-Nonce`, if there is one.
    pub dpop_nonce: Option<String>,
    /// `Cache-Control`, if there is one.
    pub cache_control: Option<String>,
    /// `Retry-After` in seconds, if there is one.
    pub retry_after: Option<u64>,
}

/// The body may hold tokens.
impl fmt::Debug for HttpResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HTTP {} with {} bytes", self.status, self.body.len())
    }
}

impl HttpResponse {
    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the server may answer otherwise in a while.
    pub fn is_busy(&self) -> bool {
        matches!(self.status, 408 | 425 | 429 | 500..)
    }

    /// The body as a JSON object.
    pub fn object(&self) -> Option<serde_json::Map<String, serde_json::Value>> {
        serde_json::from_slice(&self.body).ok()
    }
}
