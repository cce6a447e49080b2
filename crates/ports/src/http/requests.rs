//! Single requests besides a conversation in MCP: to authorization servers, for key sets, and to servers of other
//! protocols.

use std::collections::HashMap;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{Method, Request, Uri};
use http_body_util::BodyExt;
use parking_lot::Mutex;
use tokio::time::timeout;
use url::{Host, Url};

use super::body::Telling;
use super::client::{Client, client};
use super::options::HttpOptions;
use super::resolve::{AddressRule, FORBIDDEN};
use super::sending::{Response, chain};

/// The number of origins whose connections are kept.
const ORIGINS: usize = 8;

/// Sends single requests with the certificates and the proxy of a server's options, but without its headers. Addresses
/// are checked by a rule, bodies and time are bounded; redirects are the caller's business.
pub struct Requests {
    options: HttpOptions,
    clients: Mutex<HashMap<String, Client>>,
    limit: usize,
    time: Duration,
}

/// Why a request has failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpRequestError {
    /// The URL cannot be used, or TLS not be set up.
    #[error("{0}")]
    Options(String),
    /// The address is not allowed.
    #[error("the address is not allowed: it is {0}")]
    Address(String),
    /// The connection failed or broke.
    #[error("{0}")]
    Connection(String),
    /// The body exceeds the limit.
    #[error("the body has more than {0} bytes")]
    TooLarge(usize),
    /// The time limit has passed.
    #[error("no answer within {} s", .0.as_secs())]
    TooSlow(Duration),
}

impl Requests {
    /// Requests with at most `limit` bytes and `time` for each answer.
    pub fn new(
        options: &HttpOptions,
        rule: Option<AddressRule>,
        limit: usize,
        time: Duration,
    ) -> Self {
        let mut options = options.clone();
        options.address_rule = rule;
        options.authorizer = None;
        // These requests are for other servers.
        options.socket = None;
        Self {
            options,
            clients: Mutex::default(),
            limit,
            time,
        }
    }

    /// Sends one request. No redirect is followed.
    pub async fn send(
        &self,
        method: Method,
        url: &Url,
        headers: http::HeaderMap,
        body: impl Into<Bytes>,
    ) -> Result<http::Response<Bytes>, HttpRequestError> {
        self.check_literal(url)?;
        let sending = self.exchange(method, url, headers, body.into());
        timeout(self.time, sending)
            .await
            .unwrap_or(Err(HttpRequestError::TooSlow(self.time)))
    }

    async fn exchange(
        &self,
        method: Method,
        url: &Url,
        headers: http::HeaderMap,
        body: Bytes,
    ) -> Result<http::Response<Bytes>, HttpRequestError> {
        let unusable = || HttpRequestError::Options(format!("{url} cannot be used"));
        let uri: Uri = url.as_str().parse().map_err(|_| unusable())?;
        let client = self.client(url, &uri)?;
        // The others say that their body is empty: some servers refuse them without a length.
        let has_body = matches!(method, Method::POST | Method::PUT | Method::PATCH);
        let body = match has_body || !body.is_empty() {
            true => Telling::new(body, None),
            false => Telling::empty(),
        };
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        let response = client.request(request).await.map_err(|e| failed(&e))?;
        if url.origin() == self.options.url.origin() && self.options.answered_from().is_none() {
            self.options.note_peer(&response);
        }
        let (head, body) = self.whole(response).await?;
        Ok(http::Response::from_parts(head, body))
    }

    /// Checks a host that is an IP address, which the resolver does not see.
    fn check_literal(&self, url: &Url) -> Result<(), HttpRequestError> {
        let ip = match url.host() {
            Some(Host::Ipv4(ip)) => ip.into(),
            Some(Host::Ipv6(ip)) => ip.into(),
            _ => return Ok(()),
        };
        match self.options.address_rule.and_then(|rule| rule(ip)) {
            Some(what) => Err(HttpRequestError::Address(what.to_owned())),
            None => Ok(()),
        }
    }

    fn client(&self, url: &Url, uri: &Uri) -> Result<Client, HttpRequestError> {
        let origin = url.origin().ascii_serialization();
        let mut clients = self.clients.lock();
        if let Some(client) = clients.get(&origin) {
            return Ok(client.clone());
        }
        let made = client(&self.options, uri);
        let made = made.map_err(|error| HttpRequestError::Options(error.to_string()))?;
        if clients.len() >= ORIGINS {
            clients.clear();
        }
        clients.insert(origin, made.clone());
        Ok(made)
    }

    async fn whole(
        &self,
        response: Response,
    ) -> Result<(http::response::Parts, Bytes), HttpRequestError> {
        let (head, mut incoming) = response.into_parts();
        let mut body = BytesMut::new();
        while let Some(frame) = incoming.frame().await {
            let frame = frame.map_err(|error| HttpRequestError::Connection(chain(&error)))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if body.len() + data.len() > self.limit {
                return Err(HttpRequestError::TooLarge(self.limit));
            }
            body.extend_from_slice(&data);
        }
        Ok((head, body.freeze()))
    }
}

fn failed(error: &hyper_util::client::legacy::Error) -> HttpRequestError {
    let why = chain(error);
    match why.split_once(FORBIDDEN) {
        Some((_, what)) => HttpRequestError::Address(what.to_owned()),
        None => HttpRequestError::Connection(why),
    }
}
