//! A prompt: from the call of a client to the end of the agent's turn.

use std::sync::Arc;
use std::time::Duration;

use linkspan_acp::client::{Gone, names};
use linkspan_desk::Caller;
use linkspan_mcp::names as mcp;
use linkspan_wire::{Message, Object, quote};
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::running::{Running, Trouble};
use crate::sessions::{Refused, Said};

/// How long an agent may take to end a turn that was cancelled.
const ENDING: Duration = Duration::from_secs(10);
/// Reports about one prompt come no faster than this.
const PACE: Duration = Duration::from_millis(150);

/// What has come of a prompt: the agent's answer, and what it said before.
pub(crate) struct Done {
    pub(crate) answer: Result<Message, Gone>,
    pub(crate) said: Option<Said>,
}

/// A session and what it is asked.
pub(crate) struct Prompt {
    pub(crate) session: String,
    /// Content blocks, as JSON.
    pub(crate) content: String,
    /// What the client wants to hear reports under, as it spelled it.
    pub(crate) token: Option<String>,
}

/// Prompts the agent. Whoever drops this cancels the turn.
pub(crate) async fn run(
    running: &Arc<Running>,
    prompt: Prompt,
    caller: Caller,
) -> Result<Done, Trouble> {
    let changed = Arc::new(Notify::new());
    let id = &prompt.session;
    begin(running, id, &caller, &changed).await?;
    let (tell, mut told) = oneshot::channel();
    let params = Object::empty()
        .with("sessionId", &quote(id))
        .with("prompt", &prompt.content)
        .text();
    let (agent, session, begun) = (running.clone(), id.clone(), changed.clone());
    // A task of its own: the turn goes on until the agent ends it, whether anybody waits or not.
    tokio::spawn(async move {
        let answer = agent.talk.ask(names::PROMPT, &params).await;
        let said = agent.sessions.end(&session, &begun);
        let _ = tell.send(Done { answer, said });
    });
    let mut guard = CallOff(Some((running, id)));
    let mut reports = Reports::new(&prompt, caller);
    let done = loop {
        tokio::select! {
            biased;
            done = &mut told => break done.map_err(drop),
            () = reports.next(running, &changed), if reports.token.is_some() => {}
            () = closed(running, id) => break Err(()),
        }
    };
    guard.0 = None;
    done.map_err(|()| format!("session `{id}` was closed meanwhile"))
}

/// Resolves when there is no such session any more; its agent need not have ended the turn.
async fn closed(running: &Running, id: &str) {
    loop {
        let ended = running.sessions.ended.notified();
        if !running.sessions.has(id) {
            return;
        }
        ended.await;
    }
}

/// Begins a turn; one that was cancelled may end first.
async fn begin(
    running: &Running,
    id: &str,
    caller: &Caller,
    changed: &Arc<Notify>,
) -> Result<(), Trouble> {
    let until = Instant::now() + ENDING;
    loop {
        let ended = running.sessions.ended.notified();
        match running.sessions.begin(id, caller.clone(), changed.clone()) {
            Ok(()) => return Ok(()),
            Err(Refused::Unknown) => return Err(format!("there is no session `{id}`")),
            Err(Refused::Busy) => {
                return Err(format!(
                    "session `{id}` is busy with another prompt: wait for its answer, `cancel` it, or start another session"
                ));
            }
            Err(Refused::Ending) => {
                let waited = timeout_at(until, ended).await;
                waited.map_err(|_| {
                    format!("session `{id}` has not ended a prompt that was cancelled: close it, or try again later")
                })?;
            }
        }
    }
}

/// Cancels the turn of a session, and waits until the agent has ended it. `None` if there is none,
/// `false` if it would not end.
pub(crate) async fn cancel(running: &Running, id: &str) -> Option<bool> {
    if !call_off(running, id) {
        return None;
    }
    let until = Instant::now() + ENDING;
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

fn call_off(running: &Running, id: &str) -> bool {
    let is_under_way = running.sessions.call_off(id);
    if is_under_way {
        let params = Object::empty().with("sessionId", &quote(id)).text();
        running.talk.tell(names::CANCEL, &params);
    }
    is_under_way
}

/// Calls a turn off if nobody waits for it any more.
struct CallOff<'a>(Option<(&'a Arc<Running>, &'a str)>);

impl Drop for CallOff<'_> {
    fn drop(&mut self) {
        if let Some((running, id)) = self.0 {
            call_off(running, id);
        }
    }
}

/// Tells the client what the agent says while it works.
struct Reports<'a> {
    session: &'a str,
    token: Option<&'a str>,
    caller: Caller,
    told: u64,
    next: Instant,
}

impl<'a> Reports<'a> {
    fn new(prompt: &'a Prompt, caller: Caller) -> Self {
        Self {
            session: &prompt.session,
            token: prompt.token.as_deref(),
            caller,
            told: 0,
            next: Instant::now(),
        }
    }

    /// Waits for something new, and tells it.
    async fn next(&mut self, running: &Running, changed: &Notify) {
        changed.notified().await;
        sleep_until(self.next).await;
        let news = running.sessions.news(self.session);
        let (Some(news), Some(token)) = (news, self.token) else {
            return;
        };
        self.told += 1;
        self.next = Instant::now() + PACE;
        let params = format!(
            r#"{{"progressToken":{token},"progress":{},"message":{}}}"#,
            self.told,
            quote(&news)
        );
        self.caller.tell(mcp::PROGRESS, &params).await;
    }
}
