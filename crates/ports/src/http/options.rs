//! The options of a remote server.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use hyper_util::client::proxy::matcher::Intercept;
use linkspan_session::Refused;
use linkspan_wire::Limits;
use url::Url;

use super::authorizer::Authorizer;
use super::options_error::OptionsError;
use super::proxy::ProxyVariables;
use super::reached::Reached;
use super::resolve::AddressRule;
use super::unix::UnixTarget;

/// The transport to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transport {
    /// Streamable HTTP; HTTP+SSE if the server speaks only that.
    #[default]
    Auto,
    /// Streamable HTTP only.
    Http,
    /// HTTP+SSE of 2024-11-05 only.
    Sse,
}

impl Transport {
    /// All of them, by name, with what they mean.
    pub const NAMED: [(&str, Self, &str); 3] = [
        (
            "auto",
            Self::Auto,
            "Streamable HTTP, or HTTP+SSE if the server speaks only that",
        ),
        ("http", Self::Http, "Streamable HTTP"),
        ("sse", Self::Sse, "HTTP+SSE (2024-11-05)"),
    ];
}

/// The options of a remote server.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    pub(super) url: Url,
    /// The Unix socket to connect to in place of the host of the URL.
    pub(super) socket: Option<Arc<Path>>,
    pub(super) headers: HeaderMap,
    pub(super) source: Option<Arc<dyn HeaderSource>>,
    password: Option<String>,
    /// What transcripts must not show.
    pub(super) secrets: Vec<String>,
    pub(super) proxy: ProxyVariables,
    /// The transport to use.
    pub transport: Transport,
    /// Retries after a failed attempt to connect.
    pub retries: u32,
    /// The wait before the first retry; it doubles each time.
    pub retry_delay: Duration,
    /// Limit of one attempt to connect.
    pub connect_timeout: Duration,
    /// Limit of the wait for the head of a response to a request; `None` leaves it to the session.
    pub headers_timeout: Option<Duration>,
    /// Whether only IPv4 addresses are connected to.
    pub ipv4_only: bool,
    /// Whether cookies of the server are sent back.
    pub cookies: bool,
    /// Limits of messages from the server.
    pub limits: Limits,
    /// PEM certificates to trust besides the system's.
    pub ca: Option<Vec<u8>>,
    /// Provides credentials that change, in place of fixed headers.
    pub authorizer: Option<Arc<dyn Authorizer>>,
    /// Which addresses must not be connected to.
    pub(super) address_rule: Option<AddressRule>,
    pub(super) reached: Reached,
    insecure_http: bool,
}

/// A header whose value is computed for each request.
pub trait HeaderSource: fmt::Debug + Send + Sync {
    /// The name, in lower case.
    fn name(&self) -> &'static str;

    /// The value for a request that is sent now; `None` leaves the header out.
    fn value(&self) -> Option<String>;
}

/// Headers that frame a message, or that belong to one connection.
const FRAMING: [&str; 10] = [
    "connection",
    "content-length",
    "expect",
    "http2-settings",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The `Host` of requests over a Unix socket. It has a port because the Python SDK of MCP refuses `localhost` without.
const UNIX_HOST: HeaderValue = HeaderValue::from_static("localhost:80");

impl HttpOptions {
    /// Checks the URL, or `unix:SOCKET[:/PATH]`. Plain http is for this machine only unless `insecure_http` is set.
    pub fn new(url: &str, insecure_http: bool) -> Result<Self, OptionsError> {
        let unix = UnixTarget::parse(url).transpose()?;
        let url = unix.as_ref().map_or(url, |target| &target.url);
        let url = Url::parse(url).map_err(|_| OptionsError::Url(without_secrets(url)))?;
        let host = url.host_str().unwrap_or_default().to_owned();
        match url.scheme() {
            "https" => {}
            "http" if insecure_http || is_loopback(&host) => {}
            "http" => return Err(OptionsError::PlainHttp(host)),
            other => return Err(OptionsError::Scheme(other.to_owned())),
        }
        let mut headers = first_headers(&url);
        if unix.is_some() {
            headers.insert(HOST, UNIX_HOST);
        }
        let password = url
            .password()
            .map(|p| String::from_utf8_lossy(&percent_decode(p)).into_owned());
        // The user information is in a header now, and must not reach a log.
        let mut url = url;
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.set_fragment(None);
        let mut options = Self {
            url,
            socket: unix.map(|target| target.socket.into()),
            headers,
            source: None,
            password,
            secrets: Vec::new(),
            proxy: ProxyVariables::default(),
            transport: Transport::Auto,
            retries: 3,
            retry_delay: Duration::from_millis(100),
            connect_timeout: Duration::from_secs(10),
            headers_timeout: None,
            ipv4_only: false,
            cookies: true,
            limits: Limits::default(),
            ca: None,
            authorizer: None,
            address_rule: None,
            reached: Reached::default(),
            insecure_http,
        };
        options.secrets = options.secrets_in_url();
        Ok(options)
    }

    /// Uses the proxy that the variables of an environment name (`HTTPS_PROXY`, `NO_PROXY` and their like), if
    /// they name one for this server. Without this call, no proxy is used.
    pub fn proxy_from(&mut self, variable: &dyn Fn(&str) -> Option<String>) {
        self.proxy = ProxyVariables::read(variable);
    }

    /// The URL of the server, without credentials.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The Unix socket of the server. Its URL then names no place: servers on other sockets have the same.
    pub fn socket(&self) -> Option<&Path> {
        self.socket.as_deref()
    }

    /// How a statement for this server names it.
    pub fn audience(&self) -> String {
        match self.socket {
            Some(_) => self.peer(),
            None => self.url.to_string(),
        }
    }

    /// Whether plain http to other machines is allowed.
    pub fn allows_plain_http(&self) -> bool {
        self.insecure_http
    }

    /// The address from which the server last refused a request for its credentials, if it was reached without a proxy.
    /// Clones share it. Unlike a new lookup of the name, it cannot differ from the address that was connected to.
    pub fn answered_from(&self) -> Option<IpAddr> {
        self.reached.get()
    }

    /// Sets the address that another process found out.
    pub fn set_answered_from(&self, ip: IpAddr) {
        self.reached.set(ip);
    }

    /// Notes the peer of a response of the server. A proxy is not the server.
    pub(super) fn note_peer<B>(&self, response: &http::Response<B>) {
        let uri = self.url.as_str().parse();
        if uri.is_ok_and(|uri| matches!(self.route(&uri), Ok(None))) {
            self.reached.note(response.extensions());
        }
    }

    /// The proxy that a URL is reached through; `None` if it is reached directly.
    pub(super) fn route(&self, uri: &Uri) -> Result<Option<Intercept>, OptionsError> {
        // A proxy has another idea of what localhost is.
        if is_loopback(uri.host().unwrap_or_default()) {
            return Ok(None);
        }
        self.proxy.proxy(uri)
    }

    /// Whether a header of this name is set.
    pub fn has_header(&self, name: &str) -> bool {
        self.headers.contains_key(name)
    }

    /// The headers of every request, with the credentials of the URL.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Adds a header to every request; the same name twice sends both. Its value is kept out of logs.
    pub fn header(&mut self, name: &str, value: &str) -> Result<(), OptionsError> {
        let bad = || OptionsError::Header(name.to_owned());
        let key = HeaderName::try_from(name).map_err(|_| bad())?;
        if FRAMING.contains(&key.as_str()) {
            return Err(OptionsError::Framing(name.to_owned()));
        }
        let mut value = HeaderValue::try_from(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        if key == USER_AGENT || key == AUTHORIZATION || key == HOST {
            self.headers.insert(key, value);
        } else {
            self.headers.append(key, value);
        }
        Ok(())
    }

    /// Sets a header whose value is computed for each request; it replaces one of the same name.
    pub fn header_from(&mut self, source: Arc<dyn HeaderSource>) {
        self.source = Some(source);
    }

    /// The secrets that the URL itself may hold: credentials, and values in its query.
    fn secrets_in_url(&self) -> Vec<String> {
        let query = self.url.query_pairs().map(|(_, value)| value.into_owned());
        let basic = self
            .headers
            .get(AUTHORIZATION)
            .and_then(|v| v.to_str().ok());
        query
            .chain(basic.map(str::to_owned))
            .chain(self.password.clone())
            .collect()
    }

    /// A text without the values of our own headers and of the URL's query.
    pub(super) fn redact(&self, text: &str) -> String {
        let headers = self.headers.iter();
        let headers = headers.filter(|(name, _)| *name != USER_AGENT && *name != HOST);
        let values = headers.filter_map(|(_, value)| value.to_str().ok());
        let query: Vec<String> = self
            .url
            .query_pairs()
            .map(|(_, v)| v.into_owned())
            .collect();
        let tokens = self.authorizer.as_ref().map(|it| it.secrets());
        let tokens = tokens.unwrap_or_default();
        let mut secrets: Vec<&str> = values
            .flat_map(|value| value.split([' ', ';', '=', ',']).chain([value]))
            .chain(tokens.iter().map(String::as_str))
            .chain(query.iter().map(String::as_str))
            .chain(self.password.as_deref())
            .filter(|secret| secret.len() >= 4)
            .collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets
            .into_iter()
            .fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }

    /// What matters about our requests if they are refused.
    pub(super) fn refused(&self) -> Refused {
        let telling = ["auth", "key", "token", "secret", "cookie"];
        let is_secret = |name: &str| telling.iter().any(|word| name.contains(word));
        let signed_in = self.authorizer.as_ref();
        Refused {
            credentials: self.headers.keys().any(|name| is_secret(name.as_str()))
                || signed_in.is_some_and(|it| !it.secrets().is_empty()),
            aws: signed_in.is_some_and(|it| it.signs_for_aws()),
            transport: match self.transport {
                Transport::Auto => None,
                Transport::Http => Some("http"),
                Transport::Sse => Some("sse"),
            },
        }
    }

    /// The server's name in logs and errors: no query, no credentials.
    pub fn peer(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        match &self.socket {
            Some(socket) => format!("unix:{}:{}", socket.display(), url.path()),
            None => url.into(),
        }
    }
}

/// A malformed URL without the parts that may be secret.
fn without_secrets(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    match (text.find("//"), text.rfind('@')) {
        (Some(start), Some(at)) if start < at => {
            format!("{}***{}", &text[..start + 2], &text[at..])
        }
        _ => text.to_owned(),
    }
}

/// The `User-Agent`, and the credentials of a URL like `https://user:password@host/`.
fn first_headers(url: &Url) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let agent = concat!("linkspan/", env!("CARGO_PKG_VERSION"));
    headers.insert(USER_AGENT, HeaderValue::from_static(agent));
    if !url.username().is_empty() || url.password().is_some() {
        let plain = |text: &str| percent_decode(text);
        let pair = [
            plain(url.username()),
            plain(url.password().unwrap_or_default()),
        ]
        .join(&b':');
        let basic = format!("Basic {}", linkspan_mcp::base64(&pair));
        if let Ok(mut value) = HeaderValue::try_from(basic) {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
    }
    headers
}

fn percent_decode(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if *first == b'%' => {
                out.push(byte);
                rest = &tail[2..];
            }
            _ => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
}

/// Whether a host name always means this machine.
pub(super) fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let name = host.to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_stays_on_this_machine_unless_asked_for() {
        for url in [
            "http://localhost:1/mcp",
            "http://127.0.0.9/",
            "http://[::1]:8/x",
        ] {
            assert!(HttpOptions::new(url, false).is_ok(), "{url}");
        }
        for url in [
            "http://example.com/mcp",
            "http://localhost.example.com/",
            "http://10.0.0.1/",
        ] {
            assert!(
                matches!(
                    HttpOptions::new(url, false),
                    Err(OptionsError::PlainHttp(_))
                ),
                "{url}"
            );
            assert!(HttpOptions::new(url, true).is_ok(), "{url}");
        }
        assert!(HttpOptions::new("https://example.com/mcp", false).is_ok());
    }

    #[test]
    fn other_schemes_and_no_urls_are_refused() {
        assert!(matches!(
            HttpOptions::new("ftp://x/", false),
            Err(OptionsError::Scheme(_))
        ));
        assert!(matches!(
            HttpOptions::new("nonsense", false),
            Err(OptionsError::Url(_))
        ));
        let bad = HttpOptions::new("https://me:pw@exa mple/?key=k", false).unwrap_err();
        assert_eq!(bad.to_string(), "`https://***@exa mple/` is not a URL");
    }

    #[test]
    fn the_name_of_a_peer_shows_no_secret() {
        let options =
            HttpOptions::new("https://me:pw@example.com/mcp?key=secret#x", false).unwrap();
        assert_eq!(options.peer(), "https://example.com/mcp");
    }

    #[cfg(unix)]
    #[test]
    fn a_server_on_a_socket_is_named_by_its_path() {
        let options = HttpOptions::new("unix:/run/s.sock:/x?key=secret", false).unwrap();
        assert_eq!(options.url.as_str(), "http://localhost/x?key=secret");
        assert_eq!(options.socket(), Some(Path::new("/run/s.sock")));
        assert_eq!(options.peer(), "unix:/run/s.sock:/x");
        assert_eq!(options.audience(), "unix:/run/s.sock:/x");
        assert_eq!(options.secrets, ["secret"]);
    }

    #[test]
    fn credentials_in_the_url_become_a_header() {
        let options = HttpOptions::new("https://me:p%40w@example.com/mcp", false).unwrap();
        assert_eq!(options.headers[AUTHORIZATION], "Basic bWU6cEB3");
        assert_eq!(options.url.as_str(), "https://example.com/mcp");
    }

    #[test]
    fn a_header_of_the_connection_cannot_be_set() {
        let mut options = HttpOptions::new("https://example.com", false).unwrap();
        for name in ["Content-Length", "transfer-encoding", "CONNECTION", "TE"] {
            let refused = options.header(name, "3").unwrap_err();
            assert!(matches!(&refused, OptionsError::Framing(n) if n == name));
        }
        assert!(options.header("X-Content-Length", "3").is_ok());
    }

    #[test]
    fn a_header_cannot_smuggle_another_one() {
        let mut options = HttpOptions::new("https://example.com", false).unwrap();
        assert!(options.header("X-Key", "a\r\nEvil: b").is_err());
        let shown = options
            .header("Bad Name", "secret-value")
            .unwrap_err()
            .to_string();
        assert!(!shown.contains("secret-value"));
    }
}
