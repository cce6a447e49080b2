//! Fetches one file over https from a URL that a client chose, without reaching private networks.
//!
//! A name is resolved once, all of its addresses are checked, and the connection goes to one of those
//! addresses, so a name that changes between check and use (DNS rebinding) gains nothing. A redirect is checked
//! like the first URL. No credentials and no cookies are sent. A proxy would resolve the name itself, so none
//! is used. Invariant: nothing here knows MCP or reads the environment.

mod address;
mod error;
mod hosts;
mod pinned;

use std::net::IpAddr;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap,
    HeaderName, HeaderValue, LOCATION, USER_AGENT,
};
use http::{Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use rustls::ClientConfig;
use tokio::task::JoinSet;
use tokio::time::timeout;
use url::{Position, Url};

pub use address::special;
pub use error::FetchError;
pub use hosts::HostError;
use hosts::Hosts;

/// Limit of redirects.
const REDIRECTS: usize = 3;
/// Time limit of a whole fetch.
const WHOLE: Duration = Duration::from_secs(30);
/// Limit of TCP and TLS.
const CONNECT: Duration = Duration::from_secs(10);

/// Fetches files over https from allowed hosts.
#[derive(Debug)]
pub struct Fetcher {
    hosts: Hosts,
    /// Whether a proxy is configured; this crate uses none.
    ignores_proxy: bool,
    /// Built on first use: reading the system's certificates is slow, and most servers never fetch.
    tls: OnceLock<ClientConfig>,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Got {
    /// The content.
    pub bytes: Vec<u8>,
    /// The `Content-Type` of the response.
    pub mime: Option<String>,
}

/// The outcome of one request.
enum Step {
    Done(Got),
    Elsewhere(Url),
}

impl Fetcher {
    /// Allows `NAME` and `*.NAME` at port 443 and public addresses, and `NAME:PORT` at any address. Without
    /// hosts, allows every host at port 443 and public addresses.
    pub fn new(hosts: &[String]) -> Result<Self, HostError> {
        Ok(Self {
            hosts: Hosts::new(hosts)?,
            ignores_proxy: false,
            tls: OnceLock::new(),
        })
    }

    /// Adds a hint to errors that no proxy is used, if `variable`, which reads the environment, names one.
    #[must_use]
    pub fn ignoring_proxy(mut self, variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut names = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"].into_iter();
        self.ignores_proxy =
            names.any(|name| variable(name).is_some_and(|value| !value.is_empty()));
        self
    }

    /// Fetches a URL of at most `most` bytes.
    pub async fn get(&self, url: &str, most: usize) -> Result<Got, FetchError> {
        let got = self.follow(url, most);
        timeout(WHOLE, got)
            .await
            .unwrap_or(Err(FetchError::TooSlow))
    }

    /// The checked addresses of a host, for a program that makes the connection itself to these addresses only.
    pub async fn addresses(&self, host: &str, port: u16) -> Result<Vec<IpAddr>, FetchError> {
        let url = parse(&format!("https://{host}:{port}/"))?;
        let looking = timeout(CONNECT, self.hosts.addresses(&url)).await;
        let all = looking.unwrap_or(Err(FetchError::TooSlow))?;
        Ok(all.into_iter().map(|address| address.ip()).collect())
    }

    async fn follow(&self, url: &str, most: usize) -> Result<Got, FetchError> {
        let mut url = parse(url)?;
        for _ in 0..=REDIRECTS {
            match self.step(&url, most).await? {
                Step::Done(got) => return Ok(got),
                Step::Elsewhere(next) => url = next,
            }
        }
        Err(FetchError::Redirects)
    }

    async fn step(&self, url: &Url, most: usize) -> Result<Step, FetchError> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let broken = |e: hyper::Error| FetchError::Broken {
            host: host.clone(),
            why: e.to_string(),
        };
        let failed = |why: String| FetchError::Connect {
            host: host.clone(),
            why,
            proxy: self.ignores_proxy,
        };
        let addresses = self.hosts.addresses(url).await?;
        let uri: Uri = url.as_str().parse().map_err(|_| FetchError::Url)?;
        let connecting = pinned::connect(self.tls().await?, addresses, uri);
        let stream = match timeout(CONNECT, connecting).await {
            Ok(stream) => stream.map_err(|e| failed(e.to_string()))?,
            Err(_) => return Err(failed(format!("nothing within {} s", CONNECT.as_secs()))),
        };
        let (mut sender, connection) = http1::handshake(stream).await.map_err(broken)?;
        // Dropped, and with it the connection, at the end of this function.
        let mut tasks = JoinSet::new();
        tasks.spawn(connection);
        let response = sender.send_request(request(url)?).await.map_err(broken)?;
        match redirected(url, &response) {
            Some(next) => next.map(Step::Elsewhere),
            None => read(&host, response, most).await.map(Step::Done),
        }
    }

    async fn tls(&self) -> Result<ClientConfig, FetchError> {
        if let Some(known) = self.tls.get() {
            return Ok(known.clone());
        }
        let new = tokio::task::spawn_blocking(pinned::tls).await;
        let new = new.map_err(|e| FetchError::Tls(e.to_string()))??;
        Ok(self.tls.get_or_init(|| new).clone())
    }
}

fn parse(url: &str) -> Result<Url, FetchError> {
    let url = Url::parse(url).map_err(|_| FetchError::Url)?;
    let is_bare = url.username().is_empty() && url.password().is_none();
    if url.scheme() == "https" && is_bare && url.host().is_some() {
        Ok(url)
    } else {
        Err(FetchError::Url)
    }
}

fn request(url: &Url) -> Result<Request<Empty<Bytes>>, FetchError> {
    let mut request = Request::new(Empty::new());
    let place = &url[Position::BeforePath..Position::AfterQuery];
    *request.uri_mut() = place.parse().map_err(|_| FetchError::Url)?;
    let host = &url[Position::BeforeHost..Position::AfterPort];
    let host = HeaderValue::from_str(host).map_err(|_| FetchError::Url)?;
    let agent = concat!("linkspan/", env!("CARGO_PKG_VERSION"));
    let headers = request.headers_mut();
    headers.insert(HOST, host);
    headers.insert(USER_AGENT, HeaderValue::from_static(agent));
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    Ok(request)
}

fn redirected(url: &Url, response: &Response<Incoming>) -> Option<Result<Url, FetchError>> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let to = text(response.headers(), LOCATION)?;
    let next = url.join(to).map_err(|_| FetchError::Url);
    Some(next.and_then(|next| parse(next.as_str())))
}

async fn read(host: &str, response: Response<Incoming>, most: usize) -> Result<Got, FetchError> {
    let host = host.to_owned();
    match response.status() {
        status if status.is_success() => {}
        StatusCode::NOT_FOUND | StatusCode::GONE => return Err(FetchError::NotFound(host)),
        status => {
            let status = status.as_u16();
            return Err(FetchError::Status { host, status });
        }
    }
    let (head, mut body) = response.into_parts();
    let encoding = text(&head.headers, CONTENT_ENCODING).unwrap_or("identity");
    if !encoding.eq_ignore_ascii_case("identity") {
        let why = format!("it has the content encoding {encoding:?}, which was not requested");
        return Err(FetchError::Broken { host, why });
    }
    let announced = text(&head.headers, CONTENT_LENGTH).and_then(|text| text.parse().ok());
    if announced.is_some_and(|size: usize| size > most) {
        return Err(FetchError::TooLarge(most));
    }
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|e| FetchError::Broken {
            host: host.clone(),
            why: e.to_string(),
        })?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if data.len() > most - bytes.len() {
            return Err(FetchError::TooLarge(most));
        }
        bytes.extend_from_slice(&data);
    }
    let mime = text(&head.headers, CONTENT_TYPE).and_then(|kind| mime(kind, &bytes));
    Ok(Got { bytes, mime })
}

/// The bare media type if the content can be sniffed, else the whole header value.
fn mime(kind: &str, bytes: &[u8]) -> Option<String> {
    let essence = kind.split(';').next().unwrap_or_default().trim();
    let (kind_of, form) = essence.split_once('/')?;
    if kind_of.is_empty() || form.is_empty() || kind.len() > 255 {
        return None;
    }
    Some(match std::str::from_utf8(bytes) {
        Ok(_) => essence.to_ascii_lowercase(),
        Err(_) => kind.trim().to_owned(),
    })
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_https_urls_without_credentials_are_fetched() {
        let fetcher = Fetcher::new(&[]).unwrap();
        for url in [
            "http://example.org/",
            "file:///etc/passwd",
            "https://me@example.org/",
            "https://me:pw@example.org/",
            "https:",
            "nonsense",
        ] {
            let got = fetcher.get(url, 10).await;
            assert!(matches!(got, Err(FetchError::Url)), "{url}: {got:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_host_times_out() {
        let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = silent.local_addr().unwrap().port();
        let fetcher = Fetcher::new(&[format!("127.0.0.1:{port}")]).unwrap();
        let got = fetcher.get(&format!("https://127.0.0.1:{port}/"), 10).await;
        let why = got.unwrap_err().to_string();
        assert!(
            why.starts_with("`127.0.0.1` cannot be reached: nothing within 10 s"),
            "{why}"
        );
    }

    #[tokio::test]
    async fn a_host_off_the_list_is_refused_with_a_hint() {
        let fetcher = Fetcher::new(&[]).unwrap();
        let why = fetcher.get("https://127.0.0.1:8443/", 10).await;
        let why = why.unwrap_err();
        assert!(why.is_refusal());
        assert!(
            why.to_string().ends_with("--https-host 127.0.0.1:8443"),
            "{why}"
        );
        let why = fetcher.addresses("169.254.169.254", 443).await;
        let why = why.unwrap_err().to_string();
        assert!(why.contains("is a link-local address"), "{why}");
    }

    #[test]
    fn the_declared_type_is_kept_for_unrecognised_content() {
        let kind = "Text/HTML; charset=ISO-8859-1";
        assert_eq!(mime(kind, b"abc").as_deref(), Some("text/html"));
        assert_eq!(mime(kind, b"\xe9").as_deref(), Some(kind));
        assert_eq!(mime("nonsense", b""), None);
    }
}
