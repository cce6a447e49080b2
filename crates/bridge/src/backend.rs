//! How a server is opened.

use std::ffi::OsStr;
use std::pin::Pin;

use linkspan_mcp::Era;
use linkspan_ports::{ChildOptions, HttpOptions, child, http, reach};
use linkspan_session::Port;

use crate::error::BridgeError;

/// A server that can be opened any number of times: each connection is a port of its own.
pub struct Backend {
    kind: Kind,
    secrets: Vec<String>,
}

enum Kind {
    Url(Box<HttpOptions>),
    Command(ChildOptions),
    Local(Local),
}

struct Local {
    open: Box<dyn Fn() -> Port + Send + Sync>,
    close: Option<Close>,
    era: Option<Era>,
    keeps_sessions: bool,
}

type Close = Box<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

impl Backend {
    /// A server at a URL; `secrets` are the values that transcripts must not show.
    pub fn url(options: HttpOptions, secrets: Vec<String>) -> Self {
        Self {
            kind: Kind::Url(Box::new(options)),
            secrets,
        }
    }

    /// A command that is a server on its stdin and stdout.
    pub fn command(options: ChildOptions) -> Self {
        Self {
            kind: Kind::Command(options),
            secrets: Vec::new(),
        }
    }

    /// A server in this process; `era` if it is known.
    pub fn local(open: impl Fn() -> Port + Send + Sync + 'static, era: Option<Era>) -> Self {
        let local = Local {
            open: Box::new(open),
            close: None,
            era,
            keeps_sessions: false,
        };
        Self {
            kind: Kind::Local(local),
            secrets: Vec::new(),
        }
    }

    /// All calls of one client have to reach the same connection, and the server names the call that each
    /// of its questions belongs to. Only local servers say so.
    #[must_use]
    pub fn keeping_sessions(mut self) -> Self {
        if let Kind::Local(local) = &mut self.kind {
            local.keeps_sessions = true;
        }
        self
    }

    /// What ends the server after its last connection. Only for local servers.
    #[must_use]
    pub fn closing<F>(mut self, close: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        if let Kind::Local(local) = &mut self.kind {
            local.close = Some(Box::new(move || Box::pin(close())));
        }
        self
    }

    /// The program of a command.
    pub fn program(&self) -> Option<&OsStr> {
        match &self.kind {
            Kind::Command(options) => Some(&options.program),
            Kind::Url(_) | Kind::Local(_) => None,
        }
    }

    /// Opens a connection or starts the process.
    pub fn open(&self) -> Result<Port, BridgeError> {
        match &self.kind {
            Kind::Url(options) => Ok(http((**options).clone())?),
            Kind::Command(options) => Ok(child(options.clone())?),
            Kind::Local(local) => Ok((local.open)()),
        }
    }

    /// Ends a local server. A bridge does this itself.
    pub async fn close(&self) {
        if let Kind::Local(Local {
            close: Some(close), ..
        }) = &self.kind
        {
            close().await;
        }
    }

    /// Whether the options of a URL can work. No connection is made.
    pub fn check(&self) -> Result<(), BridgeError> {
        match &self.kind {
            Kind::Url(options) => Ok(http((**options).clone()).map(drop)?),
            Kind::Command(_) | Kind::Local(_) => Ok(()),
        }
    }

    /// Connects to a URL in the background and logs a warning if that fails. Each request tries again,
    /// so it is not an error yet.
    pub fn warn_if_unreachable(&self) {
        let Kind::Url(options) = &self.kind else {
            return;
        };
        let options = (**options).clone();
        tokio::spawn(async move {
            if let Err(why) = reach(&options).await {
                tracing::warn!(
                    "{why}; start the server or check the URL; each request tries again"
                );
            }
        });
    }

    /// The values that transcripts must not show.
    pub(crate) fn secrets(&self) -> &[String] {
        &self.secrets
    }

    /// The era of a local server.
    pub(crate) fn era(&self) -> Option<Era> {
        match &self.kind {
            Kind::Local(local) => local.era,
            Kind::Url(_) | Kind::Command(_) => None,
        }
    }

    /// Whether it is a child process, which may die of a question that it does not know.
    pub(crate) fn is_command(&self) -> bool {
        matches!(self.kind, Kind::Command(_))
    }

    pub(crate) fn keeps_sessions(&self) -> bool {
        matches!(&self.kind, Kind::Local(local) if local.keeps_sessions)
    }
}
