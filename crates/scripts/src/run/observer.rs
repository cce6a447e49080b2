//! Passes what a tool says during a call to the client that called it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use linkspan_local::Caller;
use linkspan_mcp::{Level, MISSING_CAPABILITY, names};
use linkspan_wire::{Id, Json, Kind, Message, RpcError, quote};
use tokio::time::{Instant, timeout};

use super::control::{List, Question, Word};
use super::throttle::Throttle;
use crate::serve::Diagnostic;

/// How long the last messages of a call may wait for room. The call occupies a place until they are sent.
const PATIENCE: Duration = Duration::from_secs(1);

/// A change or a problem that concerns every client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum News {
    Changed(List),
    Updated(String),
    Diagnostic(Diagnostic),
}

/// Sends changes to every connection.
pub(crate) type ChangeEvents = tokio::sync::broadcast::Sender<News>;

/// The level from which on a client is sent log messages. Clones share it.
#[derive(Debug, Clone)]
pub struct Threshold(Arc<AtomicUsize>);

impl Threshold {
    /// Begins with `level`.
    pub fn new(level: Level) -> Self {
        let threshold = Self(Arc::default());
        threshold.set(level);
        threshold
    }

    /// The client asks for another level.
    pub fn set(&self, level: Level) {
        let at = Level::names().iter().position(|name| *name == level.name());
        self.0.store(at.unwrap_or(0), Ordering::Relaxed);
    }

    /// The name of the level.
    pub fn name(&self) -> &'static str {
        Level::names()[self.0.load(Ordering::Relaxed)]
    }

    pub(crate) fn lets(&self, level: Level) -> bool {
        Level::named(self.name()).is_none_or(|least| level >= least)
    }
}

/// How many messages a call may send in a minute.
#[derive(Debug, Clone, Copy)]
pub struct MessageLimits {
    /// Progress notifications.
    pub progress: usize,
    /// Log messages.
    pub logs: usize,
    /// Whether progress that has not advanced is passed on.
    pub standing_still: bool,
    /// Whether the last progress is sent even if the limit is reached.
    pub last_word: bool,
}

impl Default for MessageLimits {
    fn default() -> Self {
        Self {
            progress: 100,
            logs: 100,
            standing_still: false,
            last_word: true,
        }
    }
}

/// Passes what a program says during one call to the client.
pub struct CallObserver {
    pub(crate) caller: Caller,
    /// As the client spelled it.
    token: Option<String>,
    threshold: Threshold,
    events: ChangeEvents,
    /// Stands in for a logger that was not named.
    name: String,
    message_limits: MessageLimits,
    progress: Throttle,
    logs: Throttle,
    last: Option<f64>,
    /// The newest progress that there was no room for.
    held: Option<String>,
}

/// What follows from a word.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A sign of life.
    Progress,
    /// To be asked, and answered under this id.
    Ask(String, Question),
    /// The request has failed.
    Fail(RpcError),
    Nothing,
}

impl CallObserver {
    pub(crate) fn new(
        caller: Caller,
        token: Option<String>,
        threshold: Threshold,
        events: ChangeEvents,
        name: &str,
        message_limits: MessageLimits,
    ) -> Self {
        Self {
            caller,
            token,
            threshold,
            events,
            name: name.to_owned(),
            progress: Throttle::new(message_limits.progress),
            logs: Throttle::new(message_limits.logs),
            message_limits,
            last: None,
            held: None,
        }
    }

    pub(crate) fn hear(&mut self, word: Word) -> Heard {
        match word {
            Word::Progress {
                progress,
                total,
                message,
            } => {
                self.progress(&progress, total.as_deref(), message.as_deref());
                Heard::Progress
            }
            Word::Log {
                level,
                logger,
                data,
            } => {
                self.log(level, logger.as_deref(), &data);
                Heard::Nothing
            }
            Word::Ask { id, question } => Heard::Ask(id, question),
            Word::Changed(list) => {
                let _ = self.events.send(News::Changed(list));
                Heard::Nothing
            }
            Word::Updated(uri) => {
                let _ = self.events.send(News::Updated(uri));
                Heard::Nothing
            }
            Word::Fail {
                code,
                message,
                data,
            } => {
                let error = RpcError::new(code, message);
                Heard::Fail(match data {
                    Some(data) => error.with_data(super::on_one_line(&data)),
                    None => error,
                })
            }
            Word::Answer { .. } => Heard::Nothing,
        }
    }

    fn progress(&mut self, progress: &str, total: Option<&str>, message: Option<&str>) {
        let Some(token) = &self.token else { return };
        let value = progress.parse().unwrap_or(0.0);
        if self.last.is_some_and(|last| value <= last) && !self.message_limits.standing_still {
            // The protocol wants it to grow.
            return;
        }
        self.last = Some(value);
        let mut params = format!(r#"{{"progressToken":{token},"progress":{progress}"#);
        if let Some(total) = total {
            params.push_str(&format!(r#","total":{total}"#));
        }
        if let Some(message) = message {
            params.push_str(&format!(r#","message":{}"#, quote(message)));
        }
        params.push('}');
        let told =
            self.progress.take(Instant::now()) && self.caller.offer(names::PROGRESS, &params);
        self.held = (!told && self.message_limits.last_word).then_some(params);
    }

    pub(crate) fn log(&mut self, level: Level, logger: Option<&str>, data: &str) {
        if !self.threshold.lets(level) || !self.logs.take(Instant::now()) {
            return;
        }
        let logger = logger.unwrap_or(&self.name);
        let params = format!(
            r#"{{"level":"{}","logger":{},"data":{data}}}"#,
            level.name(),
            quote(logger)
        );
        self.caller.offer(names::MESSAGE, &params);
    }

    /// Says what was held back, unless the client does not read.
    pub(crate) async fn last_words(&mut self) {
        if let Some(params) = self.held.take() {
            let _ = timeout(PATIENCE, self.caller.notify(names::PROGRESS, &params)).await;
        }
    }
}

/// Asks the client; gives the line for the tool.
pub(crate) async fn ask(caller: Caller, id: String, question: Question) -> String {
    let (way, method, params): (&[&str], _, _) = match &question {
        Question::Elicit { params, url: false } => (
            &["elicitation"],
            "elicitation/create",
            Some(params.as_str()),
        ),
        Question::Elicit { params, url: true } => (
            &["elicitation", "url"],
            "elicitation/create",
            Some(params.as_str()),
        ),
        Question::Sample { params } => (
            &["sampling"],
            "sampling/createMessage",
            Some(params.as_str()),
        ),
        Question::Roots => (&["roots"], names::ROOTS_LIST, None),
    };
    if !caller.client_can(way) {
        return refusal(&id, &missing(way));
    }
    let name = Json::parse(&id).ok().and_then(Json::as_str);
    match caller.ask_as(name.as_deref(), method, params).await {
        None => refusal(&id, &RpcError::server("the client has gone")),
        Some(answer) => reply(&id, &answer),
    }
}

fn reply(id: &str, answer: &Message) -> String {
    let body = answer.body().map_or("{}", Json::text);
    let member = match answer.kind() {
        Kind::Error => "error",
        _ => "result",
    };
    format!(
        "{{\"id\":{id},\"{member}\":{}}}\n",
        super::on_one_line(body)
    )
}

/// The client cannot be asked this.
fn missing(way: &[&str]) -> RpcError {
    let why = format!("the client has no {}", way.join("."));
    let wanted = way.iter().rev().fold("{}".to_owned(), |inner, name| {
        format!("{{{}:{inner}}}", quote(name))
    });
    let data = format!(r#"{{"requiredCapabilities":{wanted}}}"#);
    RpcError::new(MISSING_CAPABILITY, why).with_data(data)
}

/// An error as a line for the tool.
pub(crate) fn refusal(id: &str, error: &RpcError) -> String {
    let answer = error.answer(&Id::number(0));
    let error = answer.body().map_or("{}", Json::text);
    format!("{{\"id\":{id},\"error\":{error}}}\n")
}
