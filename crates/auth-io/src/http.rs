//! The transport over real connections.

use std::net::IpAddr;
use std::time::Duration;

use http::header::{
    CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
};
use linkspan_auth::{HttpRequest, HttpResponse, Method};
use linkspan_fetch::special;
use linkspan_ports::{HttpOptions, RequestError, Requests};
use tokio::net::lookup_host;
use tokio::sync::OnceCell;
use url::{Host, Url};

use crate::transport::{Sending, Transport, TransportError};

/// Metadata, key sets and tokens are small.
const LIMIT: usize = 256 * 1024;
const TIME: Duration = Duration::from_secs(10);
const REDIRECTS: usize = 3;

/// Sends requests to the authorization servers of one MCP server, with the proxy and certificates of that server.
///
/// The server names the authorization servers, so it must not lead us into a network that it is not part of: private addresses are
/// asked only if the server itself has one, and link-local ones (where clouds keep secrets) never.
pub struct HttpTransport {
    options: HttpOptions,
    requests: OnceCell<Requests>,
}

impl HttpTransport {
    /// For the server of these options.
    pub fn new(options: HttpOptions) -> Self {
        Self {
            options,
            requests: OnceCell::new(),
        }
    }

    async fn requests(&self) -> &Requests {
        let make = async {
            let rule = if is_private(self.options.url()).await {
                never
            } else {
                special
            };
            Requests::new(&self.options, Some(rule), LIMIT, TIME)
        };
        self.requests.get_or_init(|| make).await
    }

    async fn follow(&self, request: HttpRequest) -> Result<HttpResponse, TransportError> {
        let requests = self.requests().await;
        let mut url = request.url.clone();
        for _ in 0..=REDIRECTS {
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
        challenges: response
            .headers()
            .get_all(WWW_AUTHENTICATE)
            .iter()
            .filter_map(|value| value.to_str().ok().map(str::to_owned))
            .collect(),
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

/// Whether a server is on this machine or in a private network.
async fn is_private(url: &Url) -> bool {
    let addresses: Vec<IpAddr> = match url.host() {
        Some(Host::Ipv4(ip)) => vec![ip.into()],
        Some(Host::Ipv6(ip)) => vec![ip.into()],
        Some(Host::Domain(name)) => {
            let port = url.port_or_known_default().unwrap_or(443);
            match lookup_host((name, port)).await {
                Ok(found) => found.map(|address| address.ip()).collect(),
                // A proxy may know the name; then it decides what it reaches.
                Err(_) => Vec::new(),
            }
        }
        None => Vec::new(),
    };
    addresses.into_iter().any(|ip| special(ip).is_some())
}

/// Addresses that no server may send us to.
fn never(ip: IpAddr) -> Option<&'static str> {
    // An IPv4 address in the form of IPv6 is the same place.
    special(ip.to_canonical()).filter(|what| {
        ["link-local", "cloud", "multicast", "broadcast", "reserved"]
            .iter()
            .any(|word| what.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_service_of_a_cloud_is_never_asked() {
        for ip in [
            "169.254.169.254",
            "fe80::1",
            "168.63.129.16",
            "::ffff:169.254.169.254",
        ] {
            assert!(never(ip.parse().unwrap()).is_some(), "{ip}");
        }
        for ip in ["127.0.0.1", "10.1.2.3", "::1", "93.184.216.34"] {
            assert_eq!(never(ip.parse().unwrap()), None, "{ip}");
        }
    }

    #[tokio::test]
    async fn a_server_on_this_machine_is_private_and_a_public_address_is_not() {
        let private = |url: &str| {
            let url = Url::parse(url).unwrap();
            async move { is_private(&url).await }
        };
        assert!(private("http://127.0.0.1:1/mcp").await);
        assert!(private("http://localhost:1/mcp").await);
        assert!(!private("https://93.184.216.34/mcp").await);
    }
}
