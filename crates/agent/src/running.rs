//! An agent that runs: started when it is needed, and again if it has died.

use std::sync::{Arc, PoisonError};

use linkspan_acp::client::{AUTH_REQUIRED, Gone, Hello, Reachable, Talk, initialize, names};
use linkspan_desk::Caller;
use linkspan_ports::{ChildOptions, child};
use linkspan_wire::{Json, JsonKind, Kind, Message};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

use crate::asking::reachable;
use crate::options::AgentOptions;
use crate::sessions::Sessions;

/// What is kept of one thing that an agent says of a session.
const MOST_KEPT: usize = 1 << 20;

/// Why a tool has nothing to give but this, for a model to read.
pub(crate) type Trouble = String;

/// An agent that has said hello.
pub(crate) struct Running {
    pub(crate) talk: Talk,
    pub(crate) hello: Hello,
    pub(crate) sessions: Arc<Sessions>,
    /// The command, as the user typed it.
    pub(crate) command: String,
}

impl Running {
    /// Asks the agent something that must not take for ever.
    pub(crate) async fn ask_soon(
        &self,
        method: &str,
        params: &str,
        terms: &AgentOptions,
    ) -> Result<Message, Trouble> {
        let answer = timeout(terms.start_timeout, self.talk.ask(method, params)).await;
        let answer = answer.map_err(|_| {
            format!(
                "the agent did not answer `{method}` within {} s",
                terms.start_timeout.as_secs_f64()
            )
        })?;
        self.result(answer)
    }

    /// An answer that is a result; anything else in words.
    pub(crate) fn result(&self, answer: Result<Message, Gone>) -> Result<Message, Trouble> {
        let answer = answer.map_err(|gone| self.died(&gone))?;
        match answer.kind() {
            Kind::Error => Err(self.refusal(&answer)),
            _ => Ok(answer),
        }
    }

    fn died(&self, gone: &Gone) -> Trouble {
        format!(
            "the agent `{}` has ended, and its sessions with it: {}\nThe next call starts it again.",
            self.command, gone.0
        )
    }

    /// What an agent says that does not do what it was asked.
    fn refusal(&self, answer: &Message) -> Trouble {
        let error = answer.body();
        let message = error.and_then(|e| e.get("message")?.as_str());
        let code = error.and_then(|e| e.get("code")?.as_i64());
        let mut text = format!(
            "the agent says: {}",
            message.as_deref().unwrap_or("it will not")
        );
        if let Some(data) = error.and_then(|e| e.get("data")) {
            let data = data.as_str().unwrap_or(data.text().into());
            text.push_str(&format!(" ({data})"));
        }
        if code == Some(AUTH_REQUIRED) && !self.hello.auth.is_empty() {
            text.push_str("\nIt requires a login first. Call `authenticate` with one of:");
            for method in &self.hello.auth {
                text.push_str(&format!("\n- {}: {}", method.id, method.name));
                if let Some(description) = &method.description {
                    text.push_str(&format!(" ({description})"));
                }
                if method.terminal {
                    text.push_str(" [only in a terminal, by a person]");
                }
            }
        }
        text
    }
}

/// Starts the agent of one connection.
pub(crate) struct Starter {
    child: ChildOptions,
    terms: Arc<AgentOptions>,
    slot: Mutex<Slot>,
    /// Clones are held by agents that were let go before they had begun, until they have ended.
    leaving: std::sync::Mutex<Option<mpsc::Sender<()>>>,
    left: Mutex<mpsc::Receiver<()>>,
}

#[derive(Default)]
struct Slot {
    running: Option<Arc<Running>>,
    /// Why the last one ended, if it did.
    ended: Option<String>,
    /// The client has gone.
    closed: bool,
}

impl Starter {
    pub(crate) fn new(child: ChildOptions, terms: Arc<AgentOptions>) -> Self {
        let (leaving, left) = mpsc::channel(1);
        Self {
            child,
            terms,
            slot: Mutex::default(),
            leaving: std::sync::Mutex::new(Some(leaving)),
            left: Mutex::new(left),
        }
    }

    /// The agent; started if there is none. `true` if that was done just now.
    pub(crate) async fn agent(&self, caller: &Caller) -> Result<(Arc<Running>, bool), Trouble> {
        let mut slot = self.slot.lock().await;
        slot.bury();
        if let Some(running) = &slot.running {
            return Ok((running.clone(), false));
        }
        if slot.closed {
            return Err("the client has gone".to_owned());
        }
        let running = Arc::new(self.start(caller).await?);
        slot.running = Some(running.clone());
        Ok((running, true))
    }

    /// The agent, if one runs.
    pub(crate) async fn running(&self) -> Option<Arc<Running>> {
        let mut slot = self.slot.lock().await;
        slot.bury();
        slot.running.clone()
    }

    /// Why the one before this one ended, if there was one.
    pub(crate) async fn ended(&self) -> Option<String> {
        self.slot.lock().await.ended.clone()
    }

    /// Ends it, and starts no other.
    pub(crate) async fn close(&self) {
        let running = {
            let mut slot = self.slot.lock().await;
            slot.closed = true;
            slot.running.take()
        };
        if let Some(running) = running {
            running.talk.close().await;
        }
        self.leaving().take();
        // Nothing is ever sent: this is the end of all clones.
        self.left.lock().await.recv().await;
    }

    fn leaving(&self) -> std::sync::MutexGuard<'_, Option<mpsc::Sender<()>>> {
        self.leaving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn start(&self, caller: &Caller) -> Result<Running, Trouble> {
        let command = self.command();
        let port = child(self.child.clone()).map_err(|e| {
            let source = std::error::Error::source(&e);
            let why = source.map_or(String::new(), |source| format!(": {source}"));
            format!("{e}{why}")
        })?;
        let sessions = Arc::new(Sessions::new(self.terms.permission));
        let mut begun = Beginning(self, Some(Talk::begin(port, sessions.clone())));
        let Some(talk) = &begun.1 else {
            return Err("it has gone".to_owned());
        };
        let can: Reachable = reachable(caller);
        let hello = initialize(env!("CARGO_PKG_VERSION"), can);
        let answer = timeout(
            self.terms.start_timeout,
            talk.ask(names::INITIALIZE, &hello),
        )
        .await;
        let answer = answer.map_err(|_| {
            format!(
                "`{command}` did not answer `initialize` within {} s: is it an ACP agent? -v shows what it says",
                self.terms.start_timeout.as_secs_f64()
            )
        })?;
        let answer = answer.map_err(|Gone(why)| format!("`{command}` did not start: {why}"))?;
        let result = answer.body().filter(|_| answer.kind() == Kind::Result);
        let Some(result) = result else {
            let said = answer.body().and_then(|e| e.get("message")?.as_str());
            return Err(format!(
                "`{command}` refused `initialize`: {}",
                said.unwrap_or_default()
            ));
        };
        let hello =
            Hello::read(result).map_err(|why| format!("`{command}` cannot be talked to: {why}"))?;
        tracing::info!("the agent is {}", hello.name.as_deref().unwrap_or(&command));
        let talk = begun.1.take().ok_or("it has gone")?;
        Ok(Running {
            talk,
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

/// An agent that has not said hello yet. If it never does, or nobody waits for it any more, it is let
/// go as any other: it may have something to put away.
struct Beginning<'a>(&'a Starter, Option<Talk>);

impl Drop for Beginning<'_> {
    fn drop(&mut self) {
        let leaving = self.0.leaving().clone();
        if let (Some(talk), Ok(runtime)) = (self.1.take(), Handle::try_current()) {
            runtime.spawn(async move {
                talk.close().await;
                drop(leaving);
            });
        }
    }
}

impl Slot {
    /// Lets go of an agent that has died.
    fn bury(&mut self) {
        let dead = self.running.take_if(|running| !running.talk.is_alive());
        if let Some(dead) = dead {
            self.ended = Some(dead.talk.gone().0);
        }
    }
}

/// A member of a result, as JSON text, if it is what it has to be and not too large to be kept.
pub(crate) fn member(answer: &Message, key: &str, kind: JsonKind) -> Option<String> {
    let value = answer.body()?.get(key).filter(|v| v.kind() == kind)?;
    kept(value)
}

/// The text of something that is not too large to be kept.
pub(crate) fn kept(value: Json<'_>) -> Option<String> {
    (value.text().len() <= MOST_KEPT).then(|| value.text().to_owned())
}
