//! Starts the agent of a connection when it is needed, and again after it has ended.

use std::sync::Arc;

use linkspan_acp::client::{AgentConnection, Gone, Hello, initialize, names};
use linkspan_local::Caller;
use linkspan_ports::{ChildOptions, child};
use linkspan_wire::Kind;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

use crate::elicitation::reachable;
use crate::error::ToolError;
use crate::options::AgentOptions;
use crate::running::RunningAgent;
use crate::sessions::Sessions;

/// Starts the agent of one connection.
pub(crate) struct Launcher {
    child: ChildOptions,
    options: Arc<AgentOptions>,
    state: Mutex<State>,
    /// Cloned by each agent whose start was abandoned, until it has ended.
    leaving: parking_lot::Mutex<Option<mpsc::Sender<()>>>,
    left: Mutex<mpsc::Receiver<()>>,
}

#[derive(Default)]
struct State {
    running: Option<Arc<RunningAgent>>,
    /// Why the last agent ended.
    ended: Option<String>,
    /// The client has disconnected: no agent is started any more.
    closed: bool,
}

impl Launcher {
    pub(crate) fn new(child: ChildOptions, options: Arc<AgentOptions>) -> Self {
        let (leaving, left) = mpsc::channel(1);
        Self {
            child,
            options,
            state: Mutex::default(),
            leaving: parking_lot::Mutex::new(Some(leaving)),
            left: Mutex::new(left),
        }
    }

    /// The running agent; it is started if there is none, and then the second value is `true`.
    pub(crate) async fn agent(
        &self,
        caller: &Caller,
    ) -> Result<(Arc<RunningAgent>, bool), ToolError> {
        let mut state = self.state.lock().await;
        state.drop_ended();
        if let Some(running) = &state.running {
            return Ok((running.clone(), false));
        }
        if state.closed {
            return Err(ToolError::ClientGone);
        }
        let running = Arc::new(self.start(caller).await?);
        state.running = Some(running.clone());
        Ok((running, true))
    }

    /// The agent, if one runs.
    pub(crate) async fn running(&self) -> Option<Arc<RunningAgent>> {
        let mut state = self.state.lock().await;
        state.drop_ended();
        state.running.clone()
    }

    /// Why the last agent ended, if one did.
    pub(crate) async fn ended(&self) -> Option<String> {
        self.state.lock().await.ended.clone()
    }

    /// Ends the agent and starts no other.
    pub(crate) async fn close(&self) {
        let running = {
            let mut state = self.state.lock().await;
            state.closed = true;
            state.running.take()
        };
        if let Some(running) = running {
            running.connection.close().await;
        }
        self.leaving.lock().take();
        // Nothing is ever sent: this waits until all clones are dropped.
        self.left.lock().await.recv().await;
    }

    async fn start(&self, caller: &Caller) -> Result<RunningAgent, ToolError> {
        let command = self.command();
        let port = child(self.child.clone())?;
        let sessions = Arc::new(Sessions::new(self.options.permission));
        let starting = StartGuard {
            launcher: self,
            connection: Some(AgentConnection::begin(port, sessions.clone())),
        };
        let limit = self.options.start_timeout;
        let params = initialize(env!("CARGO_PKG_VERSION"), reachable(caller));
        let answer = match &starting.connection {
            Some(connection) => timeout(limit, connection.ask(names::INITIALIZE, &params)).await,
            None => return Err(ToolError::ClientGone),
        };
        let answer = answer.map_err(|_| ToolError::StartTimeout {
            command: command.clone(),
            limit,
        })?;
        let answer = answer.map_err(|Gone(why)| ToolError::NotStarted {
            command: command.clone(),
            why,
        })?;
        let result = answer.body().filter(|_| answer.kind() == Kind::Result);
        let Some(result) = result else {
            let message = answer.body().and_then(|e| e.get("message")?.as_str());
            return Err(ToolError::InitializeRefused {
                message: message.unwrap_or_default().into_owned(),
                command,
            });
        };
        let hello = Hello::read(result).map_err(|source| ToolError::NotAnAgent {
            command: command.clone(),
            source,
        })?;
        tracing::info!("the agent is {}", hello.name.as_deref().unwrap_or(&command));
        Ok(RunningAgent {
            connection: starting.finish().ok_or(ToolError::ClientGone)?,
            hello,
            sessions,
            command,
        })
    }

    pub(crate) fn command(&self) -> String {
        let words = std::iter::once(&self.child.program).chain(&self.child.args);
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }
}

/// An agent that has not answered `initialize` yet. Dropping this closes its connection, so that it ends like
/// any other agent.
struct StartGuard<'a> {
    launcher: &'a Launcher,
    connection: Option<AgentConnection>,
}

impl StartGuard<'_> {
    /// Keeps the connection: the agent has started.
    fn finish(mut self) -> Option<AgentConnection> {
        self.connection.take()
    }
}

impl Drop for StartGuard<'_> {
    fn drop(&mut self) {
        let leaving = self.launcher.leaving.lock().clone();
        if let (Some(connection), Ok(runtime)) = (self.connection.take(), Handle::try_current()) {
            runtime.spawn(async move {
                connection.close().await;
                drop(leaving);
            });
        }
    }
}

impl State {
    /// Drops an agent that has ended.
    fn drop_ended(&mut self) {
        let ended = self
            .running
            .take_if(|running| !running.connection.is_alive());
        if let Some(agent) = ended {
            self.ended = Some(agent.connection.gone().0);
        }
    }
}
