//! Decides which requests are accepted: Host, Origin, and the token.
//!
//! A web page can make a browser send requests to this machine under a name of the page's choice (DNS rebinding), so
//! both headers are checked on every request.

use std::net::{IpAddr, SocketAddr};

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW,
    AUTHORIZATION, HOST, HeaderValue, ORIGIN, VARY,
};
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use regex::Regex;
use subtle::ConstantTimeEq;

use super::body::{Response, empty};
use super::options::{FrontOptions, Token};
use super::refusal::Refusal;

/// The methods that the endpoint allows.
pub(super) const METHODS: &str = "GET, POST, DELETE, OPTIONS";
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
const ANY: &str = "*";
/// Private network access: a browser sends this header in the preflight request of a page on a public network.
const ASKS_PRIVATE: &str = "access-control-request-private-network";
const ALLOWS_PRIVATE: &str = "access-control-allow-private-network";

/// The rules that a request must satisfy.
#[derive(Debug)]
pub(super) struct AccessRules {
    hosts: Vec<String>,
    origins: Vec<String>,
    origin_patterns: Vec<Regex>,
    token: Option<Token>,
    /// The headers of a response that pages may read.
    exposed: &'static str,
}

/// A request whose Host and Origin are accepted.
#[derive(Debug)]
pub(super) struct Admitted {
    /// The `Origin` of the request, if it has one.
    origin: Option<HeaderValue>,
    exposed: &'static str,
}

impl AccessRules {
    pub(super) fn new(options: &FrontOptions, bound: Option<SocketAddr>) -> Self {
        let mut hosts = options.hosts.clone();
        let ip = bound.map(|bound| bound.ip());
        hosts.extend(ip.filter(|ip| !ip.is_unspecified()).map(|ip| match ip {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        }));
        Self {
            hosts,
            origins: options.origins.clone(),
            origin_patterns: options.origin_patterns.clone(),
            token: options.token.clone(),
            exposed: match options.guard {
                None => "Mcp-Session-Id",
                // The challenge says where to sign in.
                Some(_) => "Mcp-Session-Id, WWW-Authenticate",
            },
        }
    }

    /// Checks `Origin` and `Host` of a request.
    pub(super) fn admit(&self, head: &Parts) -> Result<Admitted, Refusal> {
        let mut hosts = head.headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            let why = "a request has exactly one Host header".to_owned();
            let hint = "send the name of this server in it";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "host", why, hint));
        };
        let meant = host.to_str().is_ok_and(|host| self.knows(host));
        // A request line that names a host overrules the header.
        let named = head.uri.authority();
        let known = meant && named.is_none_or(|host| self.knows(host.as_str()));
        if !known {
            let why = "this Host is not served here".to_owned();
            let hint = "use localhost, or start the bridge with --allow-host";
            return Err(Refusal::new(StatusCode::FORBIDDEN, "host", why, hint));
        }
        let origin = self.origin(&head.headers)?;
        Ok(Admitted {
            origin,
            exposed: self.exposed,
        })
    }

    /// Checks the bearer token.
    pub(super) fn authorize(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(token) = &self.token else {
            return Ok(());
        };
        let mut shown = headers.get_all(AUTHORIZATION).iter();
        let (Some(shown), None) = (shown.next(), shown.next()) else {
            return Err(Refusal::unauthorized());
        };
        let fits = bearer(shown.as_bytes()).is_some_and(|s| s.ct_eq(token.bytes()).into());
        fits.then_some(()).ok_or_else(Refusal::unauthorized)
    }

    fn knows(&self, host: &str) -> bool {
        let name = without_port(host);
        self.hosts.iter().any(|known| {
            known == ANY || known.eq_ignore_ascii_case(host) || known.eq_ignore_ascii_case(name)
        })
    }

    fn origin(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refusal> {
        let mut origins = headers.get_all(ORIGIN).iter();
        let Some(origin) = origins.next() else {
            return Ok(None);
        };
        let text = origin.to_str().unwrap_or_default();
        let listed = |known: &String| known == ANY || known.eq_ignore_ascii_case(text);
        let is_like = |pattern: &Regex| pattern.is_match(text);
        let is_known = self.origins.iter().any(listed)
            || self.origin_patterns.iter().any(is_like)
            || is_here(text);
        if origins.next().is_none() && is_known {
            return Ok(Some(origin.clone()));
        }
        let why = "pages of this origin may not use this server".to_owned();
        let hint = "if that page is yours, start the bridge with --allow-origin";
        Err(Refusal::new(StatusCode::FORBIDDEN, "origin", why, hint))
    }
}

impl Admitted {
    /// Lets the page read the answer.
    pub(super) fn stamp(self, response: &mut Response) {
        let Some(origin) = self.origin else { return };
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(self.exposed),
        );
        headers.append(VARY, HeaderValue::from_static("Origin"));
    }
}

/// The answer to a CORS preflight request.
pub(super) fn preflight(asked: &HeaderMap) -> Response {
    let mut response = empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    let methods = HeaderValue::from_static(METHODS);
    headers.insert(ALLOW, methods.clone());
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    if let Some(wanted) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        // `Mcp-Param-*` have names that we cannot know.
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    if asked.contains_key(ASKS_PRIVATE) {
        headers.insert(ALLOWS_PRIVATE, HeaderValue::from_static("true"));
    }
    response
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme
        .eq_ignore_ascii_case(b"bearer ")
        .then(|| token.trim_ascii())
}

/// Whether an origin is a page that this machine serves to itself.
fn is_here(origin: &str) -> bool {
    let host = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    host.map(without_port)
        .is_some_and(|host| LOOPBACK.iter().any(|here| here.eq_ignore_ascii_case(host)))
}

/// `[::1]` has colons of its own, but what follows the last of them is no number.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
