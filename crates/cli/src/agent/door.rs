//! How an agent is opened: a connection of its own for every client.

use std::sync::Arc;
use std::time::Duration;

use linkspan_local::Workers;
use linkspan_ports::ChildOptions;
use linkspan_session::Port;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::Terms;
use super::desk::AgentDesk;
use super::known::Known;
use super::running::Starter;

/// How long an agent that does not want to end keeps anybody waiting.
const LEAVING: Duration = Duration::from_secs(5);

/// An agent that can be opened.
pub(crate) struct Door {
    child: ChildOptions,
    terms: Arc<Terms>,
    known: Arc<Known>,
    workers: Workers,
}

impl Door {
    pub(crate) fn new(child: ChildOptions, terms: Terms) -> Self {
        Self {
            child,
            terms: Arc::new(terms),
            known: Arc::default(),
            workers: Workers::new(),
        }
    }

    /// A connection. The agent is started when it is needed.
    pub(crate) fn open(&self) -> Port {
        let starter = Arc::new(Starter::new(self.child.clone(), self.terms.clone()));
        let desk = AgentDesk::new(starter.clone(), self.terms.clone(), self.known.clone());
        let mut port = linkspan_local::port("the agent", &self.workers, desk);
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
