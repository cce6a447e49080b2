//! The kind of a server, and its misbehaviour.

use crate::conn::Conn;
use crate::port::Port;
use crate::request::Request;
use crate::serve::Flow;
use crate::server::Server;

pub(crate) type Hook = Box<dyn Fn(&Request, &mut Conn) -> Flow + Send + Sync>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Legacy,
    Sse,
    Modern,
}

pub(crate) struct Config {
    pub kind: Kind,
    pub json: bool,
    pub event_ids: bool,
    pub retry: Option<u64>,
    pub sessions: bool,
    pub get: bool,
    pub delete: bool,
    pub version: Option<String>,
    pub initialize_result: Option<String>,
    pub resume_empty: bool,
    pub endpoint: Option<String>,
    pub dribble: Option<usize>,
    pub hook: Option<Hook>,
}

/// A server about to be started: [`Server::legacy`], [`Server::sse`] or [`Server::modern`].
#[must_use]
pub struct Builder {
    config: Config,
}

impl Builder {
    pub(crate) fn new(kind: Kind) -> Self {
        let config = Config {
            kind,
            json: false,
            event_ids: false,
            retry: None,
            sessions: true,
            get: true,
            delete: true,
            version: None,
            initialize_result: None,
            resume_empty: false,
            endpoint: None,
            dribble: None,
            hook: None,
        };
        Self { config }
    }

    /// Answers with `application/json`; other messages of a tool go to the GET stream.
    pub fn json(mut self) -> Self {
        self.config.json = true;
        self
    }

    /// Gives every event an id, starts streams with an empty event, and can resume them.
    pub fn event_ids(mut self) -> Self {
        self.config.event_ids = true;
        self
    }

    /// Tells the client to wait that long before it reconnects.
    pub fn retry(mut self, milliseconds: u64) -> Self {
        self.config.retry = Some(milliseconds);
        self
    }

    /// Hands out no session ids.
    pub fn without_sessions(mut self) -> Self {
        self.config.sessions = false;
        self
    }

    /// Answers GET with 405.
    pub fn without_get(mut self) -> Self {
        self.config.get = false;
        self
    }

    /// Answers DELETE with 405.
    pub fn without_delete(mut self) -> Self {
        self.config.delete = false;
        self
    }

    /// Negotiates this revision for every client.
    pub fn version(mut self, version: &str) -> Self {
        self.config.version = Some(version.to_owned());
        self
    }

    /// Answers `initialize` with exactly this result.
    pub fn initialize_result(mut self, text: &str) -> Self {
        self.config.initialize_result = Some(text.to_owned());
        self
    }

    /// Answers every attempt to resume with 200 and an empty stream.
    pub fn resume_empty(mut self) -> Self {
        self.config.resume_empty = true;
        self
    }

    /// Names this address in the `endpoint` event; `?sessionId=…` is appended.
    pub fn endpoint(mut self, url: &str) -> Self {
        self.config.endpoint = Some(url.to_owned());
        self
    }

    /// Sends streams in chunks of that many bytes.
    pub fn dribble(mut self, bytes: usize) -> Self {
        self.config.dribble = Some(bytes);
        self
    }

    /// Lets the test answer a request itself. The request is recorded first.
    pub fn intercept(
        mut self,
        hook: impl Fn(&Request, &mut Conn) -> Flow + Send + Sync + 'static,
    ) -> Self {
        self.config.hook = Some(Box::new(hook));
        self
    }

    /// Starts on a free loopback port.
    pub fn start(self) -> Server {
        self.start_on(Port::reserve())
    }

    /// Starts on a port reserved before, which refused connections until now.
    pub fn start_on(self, port: Port) -> Server {
        Server::start(self.config, port)
    }
}
