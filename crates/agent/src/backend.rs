//! How an agent is opened: a connection of its own for every client.

use std::sync::Arc;
use std::time::Duration;

use linkspan_bridge::Backend;
use linkspan_desk::Workers;
use linkspan_mcp::Era;
use linkspan_ports::ChildOptions;
use linkspan_session::Port;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::known::Known;
use crate::options::AgentOptions;
use crate::running::Starter;
use crate::server::AgentDesk;

/// How long an agent that does not want to end keeps anybody waiting.
const LEAVING: Duration = Duration::from_secs(5);

/// An agent as a server: each connection starts one, when its first call needs it.
pub fn backend(child: ChildOptions, options: AgentOptions) -> Backend {
    let door = Door::new(child, options);
    Backend::local(move || door.open(), Some(Era::Legacy)).keeping_sessions()
}

/// An agent that can be opened.
struct Door {
    child: ChildOptions,
    terms: Arc<AgentOptions>,
    known: Arc<Known>,
    workers: Workers,
}

impl Door {
    fn new(child: ChildOptions, terms: AgentOptions) -> Self {
        Self {
            child,
            terms: Arc::new(terms),
            known: Arc::default(),
            workers: Workers::new(),
        }
    }

    /// A connection. The agent is started when it is needed.
    fn open(&self) -> Port {
        let starter = Arc::new(Starter::new(self.child.clone(), self.terms.clone()));
        let desk = AgentDesk::new(starter.clone(), self.terms.clone(), self.known.clone());
        let mut port = linkspan_desk::port("the agent", &self.workers, desk);
        // The connection has ended when its agent has.
        let (ended, done) = oneshot::channel::<()>();
        let desk_done = std::mem::replace(&mut port.done, done);
        tokio::spawn(async move {
            let _ = desk_done.await;
            if timeout(LEAVING, starter.close()).await.is_err() {
                tracing::warn!("the agent does not want to end and is left behind");
            }
            drop(ended);
        });
        port
    }
}
