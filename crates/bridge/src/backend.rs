//! Ways to open a server.

use std::ffi::OsStr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use linkspan_auth_io::Account;
use linkspan_mcp::Era;
use linkspan_ports::{ChildOptions, HttpOptions, Principal, child, http, reach};
use linkspan_session::Port;

use crate::caller::{CallerInfo, CallerVariables};
use crate::error::BridgeError;
use crate::requests::{self, Caller, RequestService};

/// A server that can be opened any number of times: each connection is a port of its own.
pub struct Backend {
    kind: Kind,
    secrets: Vec<String>,
    account: Option<Account>,
}

enum Kind {
    Url(Box<HttpOptions>),
    Command(ChildOptions),
    Local(Local),
}

struct Local {
    open: Open,
    close: Option<Close>,
    era: Option<Era>,
    keeps_sessions: bool,
    is_like_a_command: bool,
    views: Option<Views>,
}

/// Opens a connection of a local server.
type Open = Box<dyn Fn(&Principal, CallerVariables) -> Port + Send + Sync>;

/// Whether a server that answers single requests has a view of this name.
type Views = Box<dyn Fn(&str) -> bool + Send + Sync>;

type Close = Box<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

impl Backend {
    /// A server at a URL.
    pub fn url(options: HttpOptions) -> Self {
        Self {
            secrets: options.secrets().to_vec(),
            kind: Kind::Url(Box::new(options)),
            account: None,
        }
    }

    /// Adds an account, which signs in when the server requires it.
    #[must_use]
    pub fn signing_in(mut self, account: Option<Account>) -> Self {
        if let (Kind::Url(options), Some(account)) = (&mut self.kind, account) {
            options.authorizer = Some(Arc::new(account.clone()));
            self.account = Some(account);
        }
        self
    }

    /// The account that signs in to the server.
    pub fn account(&self) -> Option<&Account> {
        self.account.as_ref()
    }

    /// A command that is a server on its stdin and stdout.
    pub fn command(options: ChildOptions) -> Self {
        Self {
            kind: Kind::Command(options),
            secrets: Vec::new(),
            account: None,
        }
    }

    /// A server in this process; `era` if it is known.
    pub fn local(open: impl Fn() -> Port + Send + Sync + 'static, era: Option<Era>) -> Self {
        Self::local_for(move |_| open(), era)
    }

    /// The same for a server that starts programs; `open` gets the environment variables that describe the caller.
    pub fn local_for(
        open: impl Fn(CallerVariables) -> Port + Send + Sync + 'static,
        era: Option<Era>,
    ) -> Self {
        Self::of_local(Local {
            open: Box::new(move |_, variables| open(variables)),
            close: None,
            era,
            keeps_sessions: false,
            is_like_a_command: false,
            views: None,
        })
    }

    /// A modern server in this process that answers single requests, and knows on whose behalf they came; `has_view`
    /// says which views of it there are.
    pub fn requests(
        service: impl RequestService,
        has_view: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        let last = AtomicU64::new(0);
        let open = move |principal: &Principal, _: CallerVariables| {
            let caller = Caller {
                principal: principal.clone(),
                session: Some(last.fetch_add(1, Ordering::Relaxed)),
            };
            requests::port("the service", service.clone(), caller)
        };
        Self::of_local(Local {
            open: Box::new(open),
            close: None,
            era: Some(Era::Modern),
            keeps_sessions: false,
            is_like_a_command: false,
            views: Some(Box::new(has_view)),
        })
    }

    fn of_local(local: Local) -> Self {
        Self {
            kind: Kind::Local(local),
            secrets: Vec::new(),
            account: None,
        }
    }

    /// Sends all calls of one client over the same connection; the server names the call of each of its questions. Only
    /// for local servers.
    #[must_use]
    pub fn keeping_sessions(mut self) -> Self {
        if let Kind::Local(local) = &mut self.kind {
            local.keeps_sessions = true;
        }
        self
    }

    /// A server in memory that is treated as a child process, for tests.
    #[cfg(test)]
    pub(crate) fn like_a_command(mut self) -> Self {
        if let Kind::Local(local) = &mut self.kind {
            local.is_like_a_command = true;
        }
        self
    }

    /// Called after the last connection of the server has ended. Only for local servers.
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
            Kind::Local(local) => Ok((local.open)(&Principal::anonymous(), Vec::new())),
        }
    }

    /// Opens a connection for one principal, or for several if the principal has no identity.
    pub(crate) fn open_for(
        &self,
        principal: &Principal,
        info: &CallerInfo,
    ) -> Result<Port, BridgeError> {
        match &self.kind {
            Kind::Url(options) => {
                let mut options = (**options).clone();
                info.add_header(principal, &mut options);
                Ok(http(options)?)
            }
            Kind::Command(options) => {
                let mut options = options.clone();
                info.add_variables(principal, &mut options);
                Ok(child(options)?)
            }
            Kind::Local(local) => Ok((local.open)(principal, info.variables(principal))),
        }
    }

    /// Closes a local server. A bridge does this itself.
    pub async fn close(&self) {
        if let Kind::Local(Local {
            close: Some(close), ..
        }) = &self.kind
        {
            close().await;
        }
    }

    /// Checks the options of a URL without connecting.
    pub fn check(&self) -> Result<(), BridgeError> {
        match &self.kind {
            Kind::Url(options) => Ok(http((**options).clone()).map(drop)?),
            Kind::Command(_) | Kind::Local(_) => Ok(()),
        }
    }

    /// Connects to a URL in the background and logs a warning if that fails. Each request tries again, so it is not an
    /// error yet.
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

    /// Whether the server is a child process, which may exit on an unknown request.
    pub(crate) fn is_command(&self) -> bool {
        match &self.kind {
            Kind::Command(_) => true,
            Kind::Local(local) => local.is_like_a_command,
            Kind::Url(_) => false,
        }
    }

    pub(crate) fn keeps_sessions(&self) -> bool {
        matches!(&self.kind, Kind::Local(local) if local.keeps_sessions)
    }

    /// Whether it answers single requests; those of legacy clients are marked.
    pub(crate) fn takes_requests(&self) -> bool {
        matches!(&self.kind, Kind::Local(local) if local.views.is_some())
    }

    /// Whether it has a view of this name.
    pub(crate) fn has_view(&self, name: &str) -> bool {
        match &self.kind {
            Kind::Local(Local {
                views: Some(views), ..
            }) => views(name),
            Kind::Local(_) | Kind::Url(_) | Kind::Command(_) => false,
        }
    }
}
