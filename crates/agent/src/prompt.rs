//! One prompt: from the tool call to the end of the agent's turn.

use std::sync::Arc;
use std::time::Duration;

use linkspan_acp::client::{Gone, names};
use linkspan_local::Caller;
use linkspan_mcp::names as mcp;
use linkspan_wire::{Message, Object, quote};
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::error::ToolError;
use crate::running::RunningAgent;
use crate::sessions::{BeginError, TurnRecord};

/// How long an agent may take to end a cancelled turn.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);
/// The shortest time between two progress notifications of one prompt.
const REPORT_INTERVAL: Duration = Duration::from_millis(150);

/// The agent's answer to a prompt, and its updates before the answer; no record if the session was closed.
pub(crate) struct PromptOutcome {
    pub(crate) answer: Result<Message, Gone>,
    pub(crate) record: Option<TurnRecord>,
}

/// A prompt to send.
pub(crate) struct Prompt {
    pub(crate) session: String,
    /// Content blocks, as JSON.
    pub(crate) content: String,
    /// The client's progress token, as JSON.
    pub(crate) token: Option<String>,
}

/// Prompts the agent. Dropping the future cancels the turn.
pub(crate) async fn run(
    running: &Arc<RunningAgent>,
    prompt: Prompt,
    caller: Caller,
) -> Result<PromptOutcome, ToolError> {
    let changed = Arc::new(Notify::new());
    let id = &prompt.session;
    begin(running, id, &caller, &changed).await?;
    let (sender, mut outcome) = oneshot::channel();
    let params = Object::empty()
        .with("sessionId", &quote(id))
        .with("prompt", &prompt.content)
        .text();
    let (agent, session, begun) = (running.clone(), id.clone(), changed.clone());
    // In a task of its own: the turn lasts until the agent ends it, even if the caller has disconnected.
    tokio::spawn(async move {
        let answer = agent.connection.ask(names::PROMPT, &params).await;
        let record = agent.sessions.end(&session, &begun);
        let _ = sender.send(PromptOutcome { answer, record });
    });
    let mut guard = CancelOnDrop(Some((running, id)));
    let mut reports = ProgressReports::new(&prompt, caller);
    let ended = loop {
        tokio::select! {
            biased;
            outcome = &mut outcome => break outcome.map_err(drop),
            () = reports.next(running, &changed), if reports.token.is_some() => {}
            () = closed(running, id) => break Err(()),
        }
    };
    guard.0 = None;
    ended.map_err(|()| ToolError::SessionClosed(id.clone()))
}

/// Resolves when the session is removed, which may be before the agent ends the turn.
async fn closed(running: &RunningAgent, id: &str) {
    loop {
        let ended = running.sessions.ended.notified();
        if !running.sessions.has(id) {
            return;
        }
        ended.await;
    }
}

/// Begins a turn; waits until a cancelled turn has ended.
async fn begin(
    running: &RunningAgent,
    id: &str,
    caller: &Caller,
    changed: &Arc<Notify>,
) -> Result<(), ToolError> {
    let until = Instant::now() + CANCEL_TIMEOUT;
    loop {
        let ended = running.sessions.ended.notified();
        match running.sessions.begin(id, caller.clone(), changed.clone()) {
            Ok(()) => return Ok(()),
            Err(BeginError::Unknown) => return Err(ToolError::SessionNotFound(id.to_owned())),
            Err(BeginError::Busy) => return Err(ToolError::SessionBusy(id.to_owned())),
            Err(BeginError::Ending) => {
                let waited = timeout_at(until, ended).await;
                waited.map_err(|_| ToolError::NotCancelledYet(id.to_owned()))?;
            }
        }
    }
}

/// Cancels the turn of a session, and waits until the agent has ended it. `None` if there is no turn, `false`
/// if the agent has not ended it in time.
pub(crate) async fn cancel(running: &RunningAgent, id: &str) -> Option<bool> {
    if !send_cancel(running, id) {
        return None;
    }
    let until = Instant::now() + CANCEL_TIMEOUT;
    loop {
        let ended = running.sessions.ended.notified();
        let busy = running.sessions.with(id, |session| session.is_busy());
        if busy != Some(true) {
            return Some(true);
        }
        if timeout_at(until, ended).await.is_err() {
            return Some(false);
        }
    }
}

/// Sends the agent a cancellation for the turn of a session; `false` if there is no turn.
fn send_cancel(running: &RunningAgent, id: &str) -> bool {
    let is_under_way = running.sessions.stop_asking(id);
    if is_under_way {
        let params = Object::empty().with("sessionId", &quote(id)).text();
        running.connection.tell(names::CANCEL, &params);
    }
    is_under_way
}

/// Cancels the turn when the call is dropped.
struct CancelOnDrop<'a>(Option<(&'a Arc<RunningAgent>, &'a str)>);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if let Some((running, id)) = self.0 {
            send_cancel(running, id);
        }
    }
}

/// Sends the agent's updates to the client as progress.
struct ProgressReports<'a> {
    session: &'a str,
    token: Option<&'a str>,
    caller: Caller,
    sent: u64,
    next: Instant,
}

impl<'a> ProgressReports<'a> {
    fn new(prompt: &'a Prompt, caller: Caller) -> Self {
        Self {
            session: &prompt.session,
            token: prompt.token.as_deref(),
            caller,
            sent: 0,
            next: Instant::now(),
        }
    }

    /// Waits for an update, and sends it.
    async fn next(&mut self, running: &RunningAgent, changed: &Notify) {
        changed.notified().await;
        sleep_until(self.next).await;
        let news = running.sessions.news(self.session);
        let (Some(news), Some(token)) = (news, self.token) else {
            return;
        };
        self.sent += 1;
        self.next = Instant::now() + REPORT_INTERVAL;
        let params = format!(
            r#"{{"progressToken":{token},"progress":{},"message":{}}}"#,
            self.sent,
            quote(&news)
        );
        self.caller.notify(mcp::PROGRESS, &params).await;
    }
}
