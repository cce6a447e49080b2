//! Many clients, over HTTP.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use linkspan_auth::resource::IdentitySigner;
use linkspan_mcp::era::PARK;
use linkspan_ports::{Front, FrontOptions, Guard};
use linkspan_session::Config;
use tokio::net::TcpListener;

use crate::caller::CallerInfo;
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
    /// Makes the guard of the listener.
    pub guard: Option<GuardMaker>,
    /// Signs statements for upstream servers about the caller, if the guard knows its identity.
    pub forward_identity: Option<Arc<IdentitySigner>>,
}

/// Makes the guard of a listener when the URL of its endpoint is known.
#[derive(Clone)]
pub struct GuardMaker(Arc<MakeGuard>);

type MakeGuard = dyn Fn(&str) -> Arc<dyn Guard> + Send + Sync;

impl GuardMaker {
    /// Wraps a function of the URL.
    pub fn new(make: impl Fn(&str) -> Arc<dyn Guard> + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }
}

impl std::fmt::Debug for GuardMaker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GuardMaker")
    }
}

impl From<FrontOptions> for ServeOptions {
    fn from(front: FrontOptions) -> Self {
        Self {
            front,
            share: false,
            park: PARK,
            guard: None,
            forward_identity: None,
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
        mut server: Server,
        session: Config,
        listener: TcpListener,
        options: ServeOptions,
    ) -> Result<Self, BridgeError> {
        let ServeOptions {
            mut front,
            share,
            park,
            guard,
            forward_identity,
        } = options;
        let address = listener.local_addr().map_err(BridgeError::Listen)?;
        let url = format!("http://{address}{}", front.path);
        if let Some(GuardMaker(make)) = guard {
            let guard = make(&url);
            server.tell_callers(CallerInfo::guarded(guard.resource(), forward_identity));
            front.guard = Some(guard);
        }
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

    /// The address of the listener.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of the MCP endpoint.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Serves until `stop` resolves and the requests in flight have ended.
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
