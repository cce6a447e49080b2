//! A server and its layers, without the transport for its clients.

use std::sync::Arc;
use std::time::Duration;

use linkspan_mcp::Era;
use linkspan_ports::FrontListener;
use linkspan_session::{Config, Port, Session};

use crate::backend::Backend;
use crate::calls::{self, CallOptions, Calls, CallsClosing};
use crate::error::BridgeError;
use crate::http::{HttpBridge, ServeOptions};
use crate::join::join;
use crate::layers::LayerFactory;
use crate::server::Server;
use crate::stdio::{StdioBridge, StdioOptions};

/// A server with layers in front of it.
pub struct Bridge {
    server: Server,
    client_era: Option<Era>,
    session: Config,
}

impl Bridge {
    /// A bridge to this server, with the time limits of [`Config::default`].
    pub fn new(backend: Backend) -> Self {
        Self {
            server: Server::new(backend),
            client_era: None,
            session: Config::default(),
        }
    }

    /// The era of the server, if it is not to be detected.
    #[must_use]
    pub fn server_era(mut self, era: Option<Era>) -> Self {
        self.server.force_era(era);
        self
    }

    /// The era of clients, if it is not to be detected.
    #[must_use]
    pub fn client_era(mut self, era: Option<Era>) -> Self {
        self.client_era = era;
        self
    }

    /// How long a call may go without an answer or progress; `None` waits for ever.
    #[must_use]
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.session.timeout = timeout;
        self
    }

    /// Adds a layer on the client's side of the layers that were added before.
    #[must_use]
    pub fn layer(mut self, factory: impl LayerFactory + 'static) -> Self {
        self.server.add_layer(Box::new(factory));
        self
    }

    /// Adds a layer in front of the translation between eras, on the client's side of those that were added before.
    #[must_use]
    pub fn client_layer(mut self, factory: impl LayerFactory + 'static) -> Self {
        self.server.add_client_layer(Box::new(factory));
        self
    }

    /// Serves one client on stdin and stdout.
    pub fn serve_stdio(self, options: StdioOptions) -> StdioBridge {
        let config = Config {
            drain: options.drain,
            ..self.session
        };
        StdioBridge::new(Arc::new(self.server), self.client_era, config, options)
    }

    /// For the clients that connect to a listener over HTTP.
    pub fn serve_http(
        self,
        listener: impl Into<FrontListener>,
        options: impl Into<ServeOptions>,
    ) -> Result<HttpBridge, BridgeError> {
        let mut options = options.into();
        options.front.client_era = self.client_era;
        HttpBridge::new(self.server, self.session, listener.into(), options)
    }

    /// Answers requests one by one, without sessions. Requests are cancelled when [`CallsClosing`] is dropped.
    pub fn serve_calls(self, options: CallOptions) -> (Calls, CallsClosing) {
        calls::serve(self.server, self.session, options)
    }

    /// Serves clients on ports that the caller makes.
    pub fn serve_ports(self) -> PortBridge {
        PortBridge {
            server: Arc::new(self.server),
            client_era: self.client_era,
            session: self.session,
        }
    }
}

/// A bridge for clients on any kind of port; each gets its own connection to the server. Clones share what is known
/// about the server.
#[derive(Clone)]
pub struct PortBridge {
    server: Arc<Server>,
    client_era: Option<Era>,
    session: Config,
}

impl PortBridge {
    /// Serves one client until it or the server has closed. `give_up` ends the wait for its first message; afterwards
    /// it has no effect.
    pub async fn serve(&self, mut front: Port, give_up: impl Future<Output = ()>) {
        let mut back = match self.server.start() {
            Ok(back) => Some(back),
            Err(_) => return front.close().await,
        };
        let drain = self.session.drain;
        let joined = tokio::select! {
            joined = join(&mut front, &mut back, &self.server, self.client_era, drain) => joined,
            () = give_up => Ok(None),
        };
        let Ok(Some(joined)) = joined else {
            return front.close().await;
        };
        let session = Session::new(self.session.clone(), front, joined.back, joined.layers);
        let session = session.begun_with(joined.first);
        let ended = session.run(std::future::pending()).await;
        tracing::debug!("the session has ended: {ended:?}");
    }
}

#[cfg(test)]
mod tests;
