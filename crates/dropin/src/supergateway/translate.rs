//! Values to the options of linkspan.

use std::ffi::OsString;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use http::header::{CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, UPGRADE};
use http::{HeaderMap, HeaderName, HeaderValue};
use linkspan_bridge::{BridgeError, ServeOptions, bind};
use linkspan_ports::{ChildOptions, FrontListener, FrontOptions, HttpOptions, SsePaths, Transport};
use linkspan_wire::Limits;
use regex::Regex;
use url::Url;

use super::{LogLevel, Network, Output, Supergateway};
use crate::error::LineError;
use crate::surroundings::{Surroundings, trust_more};

/// Headers that say where a response ends: a wrong one breaks the connection.
const FRAMING: [HeaderName; 4] = [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, UPGRADE];

impl Supergateway {
    /// How the server at a URL is reached.
    ///
    /// # Errors
    /// If the URL or a header cannot be used.
    pub fn remote(
        &self,
        url: &str,
        sse: bool,
        around: Surroundings<'_>,
    ) -> Result<HttpOptions, LineError> {
        let mut options = HttpOptions::new(url, true)?;
        options.proxy_from(around.variable);
        trust_more(&mut options, around)?;
        for (name, value) in &self.headers {
            options.header(name, value)?;
        }
        options.transport = if sse { Transport::Sse } else { Transport::Http };
        Ok(options)
    }

    /// How clients are served.
    ///
    /// # Errors
    /// If a header of responses cannot be sent.
    pub fn serve_options(&self, network: &Network) -> Result<ServeOptions, LineError> {
        let mut front = network.front();
        front.response_headers = self.response_headers()?;
        // The original starts one process for all clients, or one for each session.
        let is_shared = match &network.output {
            Output::StreamableHttp { sessions, .. } => sessions.is_none(),
            Output::Sse { .. } | Output::Ws { .. } => true,
        };
        Ok(ServeOptions {
            share: is_shared,
            ..front.into()
        })
    }

    fn response_headers(&self) -> Result<HeaderMap, LineError> {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
                (Ok(name), Ok(value)) if !FRAMING.contains(&name) => headers.insert(name, value),
                _ => {
                    let what = format!("the header `{name}` cannot be sent with responses");
                    let hint = "a header has the form 'NAME: VALUE', and does not frame a message";
                    return Err(LineError::Form { what, hint });
                }
            };
        }
        Ok(headers)
    }

    /// What the original prints when it listens: other programs wait for that.
    pub fn announced(&self, network: &Network, url: &str) -> Vec<String> {
        let port = Url::parse(url).ok().and_then(|url| url.port());
        let port = port.unwrap_or(network.port);
        if self.log == LogLevel::None {
            return Vec::new();
        }
        let mut lines = vec![format!("Listening on port {port}")];
        match &network.output {
            Output::Sse {
                path, message_path, ..
            } => {
                lines.push(format!("SSE endpoint: http://localhost:{port}{path}"));
                lines.push(format!(
                    "POST messages: http://localhost:{port}{message_path}"
                ));
            }
            Output::Ws { path } => {
                lines.push(format!("WebSocket endpoint: ws://localhost:{port}{path}"));
            }
            Output::StreamableHttp { path, .. } => {
                lines.push(format!(
                    "StreamableHttp endpoint: http://localhost:{port}{path}"
                ));
            }
        }
        let lines = lines.into_iter();
        lines.map(|line| format!("[supergateway] {line}")).collect()
    }
}

impl Network {
    /// The process of the server; it does not get these variables.
    pub fn child(&self, without_env: Vec<OsString>) -> ChildOptions {
        let mut words = self.command.iter().map(OsString::from);
        ChildOptions {
            label: None,
            program: words.next().unwrap_or_default(),
            args: words.collect(),
            limits: Limits::default(),
            env: Vec::new(),
            without_env,
            cwd: None,
        }
    }

    /// Listens on all addresses, as the original does, unless one is given.
    ///
    /// # Errors
    /// If the port is taken.
    pub async fn listen(&self) -> Result<FrontListener, BridgeError> {
        if let Some(ip) = self.host {
            return bind(SocketAddr::new(ip, self.port)).await;
        }
        match bind((Ipv6Addr::UNSPECIFIED, self.port).into()).await {
            Ok(listener) => Ok(listener),
            // The system has no IPv6; if the port is taken, this fails as well.
            Err(_) => bind((Ipv4Addr::UNSPECIFIED, self.port).into()).await,
        }
    }

    fn front(&self) -> FrontOptions {
        let mut front = FrontOptions {
            health: self.health.clone(),
            idle: None,
            ..FrontOptions::default()
        };
        if self.host.is_none_or(|ip| !ip.is_loopback()) {
            // The names of this machine are not known here. Pages of other sites are refused by their origin.
            front.hosts.push("*".to_owned());
        }
        for origin in &self.cors {
            match expression(origin).map(Regex::new) {
                Some(Ok(pattern)) => front.origin_patterns.push(pattern),
                Some(Err(_)) | None => front.origins.push(origin.clone()),
            }
        }
        match &self.output {
            Output::Sse {
                base_url,
                path,
                message_path,
            } => {
                front.sse = true;
                front.sse_paths = SsePaths {
                    stream: path.clone(),
                    messages: message_path.clone(),
                    base_url: base_url.clone(),
                };
            }
            Output::Ws { path } => front.websocket = Some(path.clone()),
            Output::StreamableHttp {
                path,
                sessions,
                version,
            } => {
                front.path.clone_from(path);
                front.idle = *sessions;
                front.stateless = sessions.is_none().then(|| version.clone());
            }
        }
        front
    }
}

/// What is between the slashes of an origin that is an expression.
pub(super) fn expression(origin: &str) -> Option<&str> {
    origin.strip_prefix('/')?.strip_suffix('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Asked;
    use crate::supergateway::Mode;

    fn served(words: &[&str]) -> Result<ServeOptions, LineError> {
        let words = words.iter().map(|word| (*word).to_owned());
        let Ok(Asked::Run(line)) = Supergateway::parse(words) else {
            panic!("the line is not accepted");
        };
        let Mode::ToNetwork(network) = &line.mode else {
            panic!("no listener");
        };
        line.serve_options(network)
    }

    fn front(words: &[&str]) -> ServeOptions {
        served(words).unwrap()
    }

    #[test]
    fn a_header_that_would_break_responses_is_refused() {
        let with = |header| served(&["--stdio", "x", "--header", header]);
        let headers = with("X-Own: 1").unwrap().front.response_headers;
        assert_eq!(headers["x-own"], "1");
        for header in ["Content-Length: 5", "a b: c", "x: \u{7}"] {
            let refused = with(header).unwrap_err().to_string();
            assert!(
                refused.ends_with("cannot be sent with responses"),
                "{refused}"
            );
        }
    }

    #[test]
    fn origins_are_texts_expressions_or_all() {
        let front = |words: &[&str]| {
            let front = front(&[&["--stdio", "x"], words].concat()).front;
            let patterns = front.origin_patterns.iter().map(Regex::to_string);
            (front.origins.clone(), patterns.collect::<Vec<_>>())
        };
        assert_eq!(front(&["--cors"]).0, ["*"]);
        let (origins, patterns) = front(&["--cors", "http://a", r"/example\.com$/", "/(/"]);
        assert_eq!(origins, ["http://a", "/(/"]);
        assert_eq!(patterns, [r"example\.com$"]);
        assert_eq!(front(&[]), Default::default());
    }

    #[test]
    fn sessions_decide_about_processes() {
        let http = ["--stdio", "x", "--outputTransport", "streamableHttp"];
        let stateless = front(&http);
        assert!(stateless.share && stateless.front.stateless.is_some());
        let stateful = front(&[&http[..], &["--stateful", "--sessionTimeout", "1500"]].concat());
        assert!(!stateful.share && stateful.front.stateless.is_none());
        assert_eq!(stateful.front.idle.unwrap().as_millis(), 1500);
        let sse = front(&[
            "--stdio",
            "x",
            "--messagePath",
            "/m",
            "--baseUrl",
            "http://h",
        ]);
        assert!(sse.share && sse.front.sse);
        assert_eq!(sse.front.sse_paths.messages, "/m");
    }
}
