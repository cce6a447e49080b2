//! Requests to a server, one by one: what the HTTP front uses, without HTTP.

use std::time::Duration;

use linkspan_mcp::Era;
use linkspan_mcp::era::PARK;
use linkspan_ports::Answering;
use linkspan_session::{Config, Envelope, Fault};

use crate::pool::{Closing, PoolOptions, UpstreamPool};
use crate::requests::{Caller, RequestService};
use crate::server::Server;

/// How the requests reach the server.
#[derive(Debug, Clone)]
pub struct CallOptions {
    /// One connection for all callers; otherwise each principal has its own.
    pub share: bool,
    /// How long a parked call waits for its client's answer.
    pub park: Duration,
    /// When an unused connection is closed; `None` keeps it.
    pub idle: Option<Duration>,
    /// Connections at the same time.
    pub most_connections: usize,
}

impl Default for CallOptions {
    fn default() -> Self {
        Self {
            share: false,
            park: PARK,
            idle: None,
            most_connections: 256,
        }
    }
}

/// A server that answers requests one by one. Connections are opened with the first request that needs them. Clones
/// share the connections.
#[derive(Clone)]
pub struct Calls(UpstreamPool);

impl Calls {
    /// The era of the server, once it is known.
    pub fn era(&self) -> Option<Era> {
        self.0.era()
    }

    /// Connections that are open.
    pub fn connections(&self) -> usize {
        self.0.connections()
    }
}

impl RequestService for Calls {
    async fn request(&self, call: Envelope, caller: &Caller) -> Result<Answering, Fault> {
        self.0.request(call, caller).await
    }
}

/// Ends the connections of a [`Calls`].
pub struct CallsClosing {
    pool: UpstreamPool,
    closing: Closing,
}

impl CallsClosing {
    /// Answers requests in flight with an error, and waits until every connection has ended.
    pub async fn close(self) {
        self.closing.wait(self.pool).await;
    }
}

pub(crate) fn serve(
    server: Server,
    session: Config,
    options: CallOptions,
) -> (Calls, CallsClosing) {
    let options = PoolOptions {
        share: options.share,
        park: options.park,
        idle: options.idle,
        max_servers: options.most_connections,
        session,
    };
    let (pool, closing) = UpstreamPool::new(server, options);
    let calls = Calls(pool.clone());
    (calls, CallsClosing { pool, closing })
}
