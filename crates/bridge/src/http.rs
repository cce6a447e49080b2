//! Many clients, over HTTP.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use linkspan_mcp::era::PARK;
use linkspan_ports::{Front, FrontOptions};
use linkspan_session::Config;
use tokio::net::TcpListener;

use crate::error::BridgeError;
use crate::pool::{Closing, PoolOptions, UpstreamPool};
use crate::server::Server;

/// Listens on an address.
pub async fn bind(address: SocketAddr) -> Result<TcpListener, BridgeError> {
    let bound = TcpListener::bind(address).await;
    bound.map_err(|source| BridgeError::Bind { address, source })
}

/// How HTTP clients are served.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The HTTP server.
    pub front: FrontOptions,
    /// One connection to the server for all legacy sessions.
    pub share: bool,
    /// How long a parked call waits for its client's answer.
    pub park: Duration,
}

impl From<FrontOptions> for ServeOptions {
    fn from(front: FrontOptions) -> Self {
        Self {
            front,
            share: false,
            park: PARK,
        }
    }
}

/// A bridge for the clients of an HTTP listener.
pub struct HttpBridge {
    front: Front<UpstreamPool>,
    pool: UpstreamPool,
    closing: Closing,
    address: SocketAddr,
    url: String,
}

impl HttpBridge {
    pub(crate) fn new(
        server: Server,
        session: Config,
        listener: TcpListener,
        options: ServeOptions,
    ) -> Result<Self, BridgeError> {
        let ServeOptions { front, share, park } = options;
        let address = listener.local_addr().map_err(BridgeError::Listen)?;
        let url = format!("http://{address}{}", front.path);
        let pool = PoolOptions {
            share,
            park,
            idle: front.idle,
            max_servers: front.max_sessions,
            session,
        };
        let (pool, closing) = UpstreamPool::new(server, pool);
        let front = Front::new(listener, front, Arc::new(pool.clone()));
        Ok(Self {
            front: front.map_err(BridgeError::Listen)?,
            pool,
            closing,
            address,
            url,
        })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of the MCP endpoint.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Serves until `stop` resolves and what was under way has ended.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Self {
            front,
            pool,
            closing,
            ..
        } = self;
        front.serve(stop, || closing.begin()).await;
        closing.wait(pool).await;
    }
}
