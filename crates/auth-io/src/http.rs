//! The transport over real connections.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::header::{CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER};
use linkspan_auth::client::safe_url;
use linkspan_auth::{HttpRequest, HttpResponse, Method};
use linkspan_ports::{HttpOptions, RequestError, Requests, auth_challenges};
use tokio::net::lookup_host;
use tokio::sync::OnceCell;
use url::{Host, Url};

use crate::network::{Network, never};
use crate::transport::{Offline, Sending, Transport, TransportError};

/// Metadata, key sets and tokens are small.
const LIMIT: usize = 256 * 1024;
const TIME: Duration = Duration::from_secs(10);
const REDIRECTS: usize = 3;

/// Finds the addresses of a name.
type Lookup = fn(String, u16) -> Pin<Box<dyn Future<Output = Vec<IpAddr>> + Send>>;

/// Sends requests to the authorization servers of one MCP server, with the proxy and certificates of that server.
///
/// The server names the authorization servers, so it must not lead us into a network that it is not part of: private addresses are
/// asked only if the server itself has one, this machine only if the server is on it, and link-local addresses (where
/// clouds keep secrets) never.
pub struct HttpTransport {
    options: HttpOptions,
    lookup: Lookup,
    /// A URL that the user named.
    given: Option<Url>,
    /// For the server itself, and for that URL.
    own: Requests,
    /// For URLs that the server names.
    named: OnceCell<Requests>,
}

impl HttpTransport {
    /// For a URL that the operator named, and those that its documents name, with the proxy that variables name; `look`
    /// reads a variable. A URL that HTTP cannot use reaches nothing.
    pub fn at(url: &str, look: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Transport> {
        let Ok(mut options) = HttpOptions::new(url, false) else {
            return Arc::new(Offline);
        };
        options.proxy_from(look);
        Arc::new(Self::new(options))
    }

    /// For the server of these options.
    pub fn new(options: HttpOptions) -> Self {
        Self {
            own: Requests::new(&options, Some(never), LIMIT, TIME),
            options,
            lookup: look_up,
            given: None,
            named: OnceCell::new(),
        }
    }

    /// The same, for a URL besides that the user named: it may be in any network.
    pub fn naming(mut self, url: Option<Url>) -> Self {
        self.given = url;
        self
    }

    async fn requests(&self, url: &Url) -> &Requests {
        if url.origin() == self.options.url().origin() || self.given.as_ref() == Some(url) {
            return &self.own;
        }
        let make = async {
            let network = Network::of(&self.addresses().await);
            Requests::new(&self.options, Some(network.rule()), LIMIT, TIME)
        };
        self.named.get_or_init(|| make).await
    }

    /// The addresses of the server. A name may lead elsewhere at the next lookup, so the connection that the server
    /// answered on comes first.
    async fn addresses(&self) -> Vec<IpAddr> {
        if let Some(ip) = self.options.answered_from() {
            return vec![ip];
        }
        let url = self.options.url();
        match url.host() {
            Some(Host::Ipv4(ip)) => vec![ip.into()],
            Some(Host::Ipv6(ip)) => vec![ip.into()],
            Some(Host::Domain(name)) => {
                let port = url.port_or_known_default().unwrap_or(443);
                (self.lookup)(name.to_owned(), port).await
            }
            None => Vec::new(),
        }
    }

    async fn follow(&self, request: HttpRequest) -> Result<HttpResponse, TransportError> {
        let mut url = request.url.clone();
        let requests = self.requests(&url).await;
        for _ in 0..=REDIRECTS {
            if safe_url(url.as_str(), self.options.allows_plain_http()).is_none() {
                return Err(TransportError::Plain(host(&url)));
            }
            let method = match request.method {
                Method::Get => http::Method::GET,
                Method::Post => http::Method::POST,
            };
            let headers = headers(&request);
            tracing::debug!("{method} {}", shown(&url));
            let sent = requests.send(method, &url, headers, request.body.clone());
            let response = sent.await.map_err(|error| failed(&url, error))?;
            tracing::debug!("{} -> {}", shown(&url), response.status().as_u16());
            match redirect(&request, &url, &response) {
                Some(next) => url = next,
                None => return Ok(read(response)),
            }
        }
        Err(TransportError::Unreachable {
            host: host(&url),
            why: "it redirects in a circle".to_owned(),
        })
    }
}

impl Transport for HttpTransport {
    fn send(&self, request: HttpRequest) -> Sending<'_> {
        Box::pin(self.follow(request))
    }
}

fn headers(request: &HttpRequest) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in &request.headers {
        if let Ok(mut value) = HeaderValue::try_from(value) {
            value.set_sensitive(*name == "authorization");
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    headers
}

/// Where a document has moved on its own origin. A form is never sent elsewhere.
fn redirect(
    request: &HttpRequest,
    url: &Url,
    response: &http::Response<bytes::Bytes>,
) -> Option<Url> {
    if request.method != Method::Get || !response.status().is_redirection() {
        return None;
    }
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    let next = url.join(location).ok()?;
    (next.origin() == url.origin()).then_some(next)
}

fn read(response: http::Response<bytes::Bytes>) -> HttpResponse {
    let text = |name: HeaderName| {
        let value = response.headers().get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    HttpResponse {
        status: response.status().as_u16(),
        challenges: auth_challenges(response.headers()),
        dpop_nonce: text(HeaderName::from_static("dpop-nonce")),
        cache_control: text(CACHE_CONTROL),
        retry_after: text(RETRY_AFTER).and_then(|value| value.parse().ok()),
        body: response.into_body().to_vec(),
    }
}

fn failed(url: &Url, error: RequestError) -> TransportError {
    let host = host(url);
    match error {
        RequestError::Address(what) => TransportError::Address { host, what },
        RequestError::TooLarge(limit) => TransportError::TooLarge { host, limit },
        RequestError::TooSlow(_) => TransportError::TooSlow(host),
        other => TransportError::Unreachable {
            host,
            why: other.to_string(),
        },
    }
}

fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

/// A URL in a log: the query of an authorization server may hold a secret.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.into()
}

fn look_up(name: String, port: u16) -> Pin<Box<dyn Future<Output = Vec<IpAddr>> + Send>> {
    Box::pin(async move {
        match lookup_host((name, port)).await {
            Ok(found) => found.map(|address| address.ip()).collect(),
            // A proxy may know the name; then it decides what it reaches.
            Err(_) => Vec::new(),
        }
    })
}

#[cfg(test)]
mod tests;
