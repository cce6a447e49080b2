//! How a front behaves.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use linkspan_mcp::Era;
use linkspan_wire::Limits;
use regex::Regex;

use super::guard::Guard;

/// An upper bound that no deployment reaches.
const MANY: usize = 1 << 20;
/// An upper bound of all waits.
const LONG: Duration = Duration::from_secs(365 * 86_400);

/// The path of the health check.
pub(super) const HEALTH: &str = "/healthz";
/// Where a guard publishes its documents.
const WELL_KNOWN: &str = "/.well-known";

/// The options of an HTTP front. Every number is a limit.
#[derive(Debug, Clone)]
pub struct FrontOptions {
    /// Where MCP is served.
    pub path: String,
    /// Whether HTTP+SSE (2024-11-05) is served as well.
    pub sse: bool,
    /// Where HTTP+SSE is served.
    pub sse_paths: SsePaths,
    /// Where legacy clients are served over WebSocket, a JSON-RPC message in each text message. Not with a
    /// guard.
    pub websocket: Option<String>,
    /// Paths that answer `ok` as plain text, for health checks of other programs.
    pub health: Vec<String>,
    /// Headers of every response that does not have them already.
    pub response_headers: HeaderMap,
    /// Answers requests of legacy clients that name no session, each with a session of its own, which the front opens
    /// with this revision; `initialize` opens none.
    pub stateless: Option<String>,
    /// Names under which clients may address us, with or without a port; `*` for all. The address
    /// that we listen on is always among them.
    pub hosts: Vec<String>,
    /// Origins of web pages that may speak to us besides those of this machine; `*` for all.
    pub origins: Vec<String>,
    /// The same by expressions that match a part of the origin.
    pub origin_patterns: Vec<Regex>,
    /// The token that clients have to send.
    pub token: Option<Token>,
    /// Decides about requests without that token. With neither, all requests are served.
    pub guard: Option<Arc<dyn Guard>>,
    /// The largest message.
    pub limits: Limits,
    /// Legacy sessions at once.
    pub max_sessions: usize,
    /// Limit of requests in flight, over all sessions.
    pub max_in_flight: usize,
    /// How long a legacy session may be idle; `None` keeps it for ever.
    pub idle: Option<Duration>,
    /// How long the head of a request may take, and how long a connection may wait for its next request.
    pub header_timeout: Duration,
    /// How long the next part of a request's body may take.
    pub body_timeout: Duration,
    /// How long a message may wait for free bytes in the budget.
    pub room_timeout: Duration,
    /// How long a write to a client may make no progress.
    pub write_timeout: Duration,
    /// How often a silent stream shows that it is alive.
    pub keep_alive: Duration,
    /// How long an answer may take to be sent as plain JSON instead of a stream.
    pub patience: Duration,
    /// The same where the answer may decide the HTTP status.
    pub long_patience: Duration,
    /// How long requests in flight may take when the front shuts down.
    pub drain: Duration,
    /// The only era that is served; `None` for both.
    pub client_era: Option<Era>,
}

/// Where HTTP+SSE is served.
#[derive(Debug, Clone)]
pub struct SsePaths {
    /// The stream.
    pub stream: String,
    /// Where messages are POSTed.
    pub messages: String,
    /// What precedes that path in what clients are told: a URL without a slash at its end, or nothing.
    pub base_url: String,
}

impl Default for SsePaths {
    fn default() -> Self {
        Self {
            stream: "/sse".to_owned(),
            messages: "/messages".to_owned(),
            base_url: String::new(),
        }
    }
}

impl Default for FrontOptions {
    fn default() -> Self {
        Self {
            path: "/mcp".to_owned(),
            sse: false,
            sse_paths: SsePaths::default(),
            websocket: None,
            health: Vec::new(),
            response_headers: HeaderMap::new(),
            stateless: None,
            hosts: ["localhost", "127.0.0.1", "[::1]"]
                .map(str::to_owned)
                .into(),
            origins: Vec::new(),
            origin_patterns: Vec::new(),
            token: None,
            guard: None,
            limits: Limits::default(),
            max_sessions: 256,
            max_in_flight: 1024,
            idle: Some(Duration::from_secs(1800)),
            header_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(30),
            room_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(60),
            keep_alive: Duration::from_secs(15),
            patience: Duration::from_millis(100),
            long_patience: Duration::from_secs(1),
            drain: Duration::from_secs(5),
            client_era: None,
        }
    }
}

impl FrontOptions {
    /// The path that two endpoints use, if there is one.
    pub(super) fn clash(&self) -> Option<&str> {
        let path = self.path.trim_end_matches('/');
        if self.guard.is_some() && path.starts_with(WELL_KNOWN) {
            return Some(WELL_KNOWN);
        }
        let SsePaths {
            stream, messages, ..
        } = &self.sse_paths;
        let mut served = vec![path];
        let health = self.health.iter().map(String::as_str);
        // The path of our own health check may be answered for another program.
        served.extend(health.chain([HEALTH]).collect::<BTreeSet<_>>());
        served.extend([&**stream, messages].into_iter().filter(|_| self.sse));
        served.extend(self.websocket.as_deref());
        let mut known = BTreeSet::new();
        served.into_iter().find(|path| !known.insert(*path))
    }

    /// Clamps numbers and durations so that arithmetic with them cannot overflow.
    pub(super) fn sane(self) -> Self {
        Self {
            max_sessions: self.max_sessions.min(MANY),
            max_in_flight: self.max_in_flight.min(MANY),
            idle: self.idle.map(|idle| idle.min(LONG)),
            header_timeout: self.header_timeout.min(LONG),
            body_timeout: self.body_timeout.min(LONG),
            keep_alive: self.keep_alive.min(LONG),
            ..self
        }
    }
}

/// A secret that clients send as `Authorization: Bearer …`. It is never printed.
#[derive(Clone)]
pub struct Token(Box<str>);

impl Token {
    /// Accepts visible ASCII, the only characters that the header allows.
    pub fn parse(secret: &str) -> Option<Self> {
        let visible = secret.bytes().all(|b| (0x21..=0x7e).contains(&b));
        (visible && !secret.is_empty()).then(|| Self(secret.into()))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
