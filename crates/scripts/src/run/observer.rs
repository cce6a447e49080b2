//! Forwards the messages of a tool during a call to the client that called it.

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

/// How long the last messages of a call may wait for room in the queue. The call keeps its slot until they are
/// sent.
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

/// The minimum level of log messages for a client. Clones share it.
#[derive(Debug, Clone)]
pub struct Threshold(Arc<AtomicUsize>);

impl Threshold {
    /// A threshold at `level`.
    pub fn new(level: Level) -> Self {
        let threshold = Self(Arc::default());
        threshold.set(level);
        threshold
    }

    /// Sets the level that the client requests.
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

/// Limits of messages per call and minute.
#[derive(Debug, Clone, Copy)]
pub struct MessageLimits {
    /// Progress notifications.
    pub progress: usize,
    /// Log messages.
    pub logs: usize,
    /// Whether progress that has not increased is forwarded.
    pub standing_still: bool,
    /// Whether the last progress is sent even above the limit.
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

/// Forwards the messages of a program during one call to the client.
pub struct CallObserver {
    pub(crate) caller: Caller,
    /// The progress token in the client's spelling.
    token: Option<String>,
    threshold: Threshold,
    events: ChangeEvents,
    /// The default logger name.
    name: String,
    message_limits: MessageLimits,
    progress: Throttle,
    logs: Throttle,
    last: Option<f64>,
    /// The newest progress that was withheld by the limit.
    held: Option<String>,
}

/// The consequence of a message for the run.
#[derive(Debug)]
pub(crate) enum Heard {
    /// Progress, which may extend the time limit.
    Progress,
    /// Ask the client, and answer under this id.
    Ask(String, Question),
    /// Fail the request.
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
            // MCP requires increasing progress.
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

    /// Sends the withheld progress, unless the client does not read.
    pub(crate) async fn last_words(&mut self) {
        if let Some(params) = self.held.take() {
            let _ = timeout(PATIENCE, self.caller.notify(names::PROGRESS, &params)).await;
        }
    }
}

/// Asks the client; returns the answer line for the tool.
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

/// The error for a question that the client does not support.
fn missing(way: &[&str]) -> RpcError {
    let why = format!("the client has no {}", way.join("."));
    let wanted = way.iter().rev().fold("{}".to_owned(), |inner, name| {
        format!("{{{}:{inner}}}", quote(name))
    });
    let data = format!(r#"{{"requiredCapabilities":{wanted}}}"#);
    RpcError::new(MISSING_CAPABILITY, why).with_data(data)
}

/// An error as an answer line for the tool.
pub(crate) fn refusal(id: &str, error: &RpcError) -> String {
    let answer = error.answer(&Id::number(0));
    let error = answer.body().map_or("{}", Json::text);
    format!("{{\"id\":{id},\"error\":{error}}}\n")
}
