//! Many clients, over HTTP.

mod settings;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use linkspan_auth::resource::IdentitySigner;
use linkspan_mcp::era::PARK;
use linkspan_ports::{Front, FrontListener, FrontOptions, Guard};
use linkspan_session::Config;
use tokio::net::TcpListener;

use crate::caller::CallerInfo;
use crate::error::BridgeError;
use crate::pool::{Closing, PoolOptions, UpstreamPool};
use crate::server::Server;

pub use settings::{ServeSettings, Unprotected};

/// Listens on an address.
pub async fn bind(address: SocketAddr) -> Result<FrontListener, BridgeError> {
    match TcpListener::bind(address).await {
        Ok(listener) => Ok(listener.into()),
        Err(source) => Err(BridgeError::Bind { address, source }),
    }
}

/// Listens on a Unix socket with these permissions.
#[cfg(unix)]
pub async fn bind_unix(path: &Path, mode: u32) -> Result<FrontListener, BridgeError> {
    let socket = linkspan_ports::UnixSocket::bind(path, mode).await?;
    Ok(socket.into())
}

/// Listens on a Unix socket with these permissions.
#[cfg(not(unix))]
pub async fn bind_unix(_: &Path, _: u32) -> Result<FrontListener, BridgeError> {
    Err(linkspan_ports::UnixSocketError::Unsupported.into())
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
    url: String,
}

impl HttpBridge {
    pub(crate) fn new(
        mut server: Server,
        session: Config,
        listener: FrontListener,
        options: ServeOptions,
    ) -> Result<Self, BridgeError> {
        let ServeOptions {
            mut front,
            share,
            park,
            guard,
            forward_identity,
        } = options;
        let url = listener.url(&front.path).map_err(BridgeError::Listen)?;
        if let Some(GuardMaker(make)) = guard {
            let requested = listener.request_url(&front.path);
            let guard = make(&requested.map_err(BridgeError::Listen)?);
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
            url,
        })
    }

    /// The URL of the MCP endpoint, or its name on a Unix socket.
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
