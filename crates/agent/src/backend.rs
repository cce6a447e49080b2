//! Opens connections to the agent: one agent process for every client.

use std::sync::Arc;
use std::time::Duration;

use linkspan_bridge::Backend;
use linkspan_local::Workers;
use linkspan_mcp::Era;
use linkspan_ports::ChildOptions;
use linkspan_session::Port;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::features::KnownFeatures;
use crate::launcher::Launcher;
use crate::options::AgentOptions;
use crate::server::AgentServer;

/// How long the end of a connection waits for its agent to end.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// An agent as a server: each connection starts one, when its first call needs it.
pub fn backend(child: ChildOptions, options: AgentOptions) -> Backend {
    let connections = Connections::new(child, options);
    Backend::local(move || connections.open(), Some(Era::Legacy)).keeping_sessions()
}

/// State shared by all connections.
struct Connections {
    child: ChildOptions,
    options: Arc<AgentOptions>,
    features: Arc<KnownFeatures>,
    workers: Workers,
}

impl Connections {
    fn new(child: ChildOptions, options: AgentOptions) -> Self {
        Self {
            child,
            options: Arc::new(options),
            features: Arc::default(),
            workers: Workers::new(),
        }
    }

    /// Opens a connection. The agent is started by the first call that needs it.
    fn open(&self) -> Port {
        let launcher = Arc::new(Launcher::new(self.child.clone(), self.options.clone()));
        let server = AgentServer::new(
            launcher.clone(),
            self.options.clone(),
            self.features.clone(),
        );
        let mut port = linkspan_local::port("the agent", &self.workers, server);
        // The connection has ended when its agent has ended.
        let (ended, done) = oneshot::channel::<()>();
        let server_done = std::mem::replace(&mut port.done, done);
        tokio::spawn(async move {
            let _ = server_done.await;
            if timeout(CLOSE_TIMEOUT, launcher.close()).await.is_err() {
                tracing::warn!("the agent did not end in time and is left running");
            }
            drop(ended);
        });
        port
    }
}
