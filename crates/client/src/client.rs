//! A connection to one server.

mod params;
mod receive;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_mcp::{Era, OUR_INFO, Revision, modern_meta, names};
use linkspan_session::{Envelope, Fault, Inbound, Outbound, Port};
use linkspan_wire::{Hop, Json, Kind, Message, quote};
use tokio::time::timeout;

pub use self::params::one_param;
use self::params::{file_uri, is_question, with_answers, with_meta};
use crate::elicitation::{self, Person};
use crate::error::ClientError;
use crate::observer::{Observer, Silent};

/// How long a server may take to end.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(4);
/// How long the first answer may take by default; `npx` may have to download the server.
pub const FIRST_ANSWER: Duration = Duration::from_secs(30);
/// How many times a modern server may request input for one result.
const MAX_ROUNDS: usize = 8;

/// A connection to one server, with one request at a time.
pub struct Client {
    port: Port,
    last_id: Hop,
    era: Era,
    timeout: Option<Duration>,
    /// The timeout of the first answer.
    first: Option<Duration>,
    observer: Box<dyn Observer>,
    /// The user, if the server's questions can be answered.
    person: Option<Arc<dyn Person>>,
    /// Whether the last request is unanswered.
    waiting: bool,
    /// The method of the last request.
    asked: String,
    /// The result of `roots/list`; `None` if no folders are offered.
    roots: Option<String>,
}

impl Client {
    /// Sends nothing yet. [`Client::close`] has to be called at the end, also after an error.
    pub fn new(port: Port, timeout: Option<Duration>) -> Self {
        Self {
            port,
            last_id: Hop(0),
            era: Era::Legacy,
            timeout,
            first: Some(timeout.unwrap_or(FIRST_ANSWER).min(FIRST_ANSWER)),
            observer: Box::new(Silent),
            person: None,
            waiting: false,
            asked: String::new(),
            roots: None,
        }
    }

    /// Offers folders to the server as roots; the paths must be absolute.
    #[must_use]
    pub fn offering(mut self, roots: &[PathBuf]) -> Self {
        let roots: Vec<String> = roots
            .iter()
            .map(|root| format!(r#"{{"uri":{}}}"#, quote(&file_uri(root))))
            .collect();
        self.roots = Some(format!(r#"{{"roots":[{}]}}"#, roots.join(",")));
        self
    }

    /// Sets the timeout of the first answer, instead of [`FIRST_ANSWER`].
    #[must_use]
    pub fn patient(mut self, first: Option<Duration>) -> Self {
        self.first = first;
        self
    }

    /// Forwards the server's questions to the user.
    #[must_use]
    pub fn asking(mut self, person: Option<Arc<dyn Person>>) -> Self {
        self.person = person;
        self
    }

    /// Reports progress and waiting times to the observer.
    #[must_use]
    pub fn observed(mut self, observer: impl Observer + 'static) -> Self {
        self.observer = Box::new(observer);
        self
    }

    /// Passes a warning to the observer.
    pub(crate) fn warn(&mut self, text: &str) {
        self.observer.warn(text);
    }

    /// Our capabilities, as a JSON object.
    fn capabilities(&self) -> String {
        let roots = self.roots.as_ref().map(|_| r#""roots":{}"#.to_owned());
        let asks = self.person.as_ref();
        let asks = asks.map(|_| format!(r#""elicitation":{}"#, elicitation::CAPABILITY));
        let all: Vec<String> = roots.into_iter().chain(asks).collect();
        format!("{{{}}}", all.join(","))
    }

    /// Opens the session: with `initialize`, or with `server/discover` if the server is modern.
    ///
    /// The handshake is tried first, because a server that does not know a modern request may not answer, or
    /// exit.
    pub async fn open(&mut self) -> Result<(), ClientError> {
        let params = format!(
            r#"{{"protocolVersion":"{}","capabilities":{},"clientInfo":{}}}"#,
            Revision::LAST_LEGACY,
            self.capabilities(),
            OUR_INFO
        );
        let patience = self.timeout;
        self.timeout = self.first;
        let initialized = self.ask(names::INITIALIZE, Some(&params)).await;
        self.timeout = patience;
        match initialized {
            Ok(_) => {
                self.tell(Message::notification(names::INITIALIZED, None))
                    .await
            }
            Err(refused) if refused.is_refusal() => {
                self.era = Era::Modern;
                self.ask(names::DISCOVER, None).await.map_err(|_| refused)?;
                Ok(())
            }
            Err(ClientError::Fault(Fault::Timeout { .. })) => Err(ClientError::NoFirstAnswer {
                server: self.port.name.clone(),
                limit: self.first.unwrap_or_default(),
            }),
            Err(error) => Err(error),
        }
    }

    /// Whether the server is of the modern era, which has no `ping`.
    pub fn is_modern(&self) -> bool {
        self.era == Era::Modern
    }

    /// Sends a request and waits for its result; answers input requests of a modern server.
    pub async fn ask_through(
        &mut self,
        method: &str,
        params: &str,
    ) -> Result<Message, ClientError> {
        let mut answer = self.ask(method, Some(params)).await?;
        for _ in 0..MAX_ROUNDS {
            let Some(result) = answer.body().filter(|result| is_question(*result)) else {
                return Ok(answer);
            };
            let answers = match result.get("inputRequests") {
                Some(questions) => self.answer_all(questions).await?,
                None => "{}".to_owned(),
            };
            let again = with_answers(params, &answers, result);
            answer = self.ask(method, Some(&again)).await?;
        }
        Err(ClientError::TooManyQuestions)
    }

    /// The answers to the input requests of a modern result: `{"key":{…}}`.
    async fn answer_all(&self, questions: Json<'_>) -> Result<String, ClientError> {
        let mut answers = Vec::new();
        for (key, question) in questions.members() {
            let method = question.get("method").and_then(Json::as_str);
            let answer = match (method.as_deref(), &self.roots, &self.person) {
                (Some("elicitation/create"), _, Some(person)) => {
                    elicitation::ask(person, question.get("params")).await
                }
                (Some(names::ROOTS_LIST), Some(roots), _) => roots.clone(),
                (method, ..) => {
                    let method = method.unwrap_or("something unknown").to_owned();
                    return Err(ClientError::CannotAnswer(method));
                }
            };
            answers.push(format!("{}:{answer}", quote(&key)));
        }
        Ok(format!("{{{}}}", answers.join(",")))
    }

    /// Sends a request and waits for its result.
    pub async fn ask(
        &mut self,
        method: &str,
        params: Option<&str>,
    ) -> Result<Message, ClientError> {
        let answer = self.answer(method, params).await?;
        match answer.kind() {
            Kind::Error => Err(ClientError::refusal(&answer, method)),
            _ => Ok(answer),
        }
    }

    /// Sends a request and waits for its answer, which may be an error.
    pub async fn answer(
        &mut self,
        method: &str,
        params: Option<&str>,
    ) -> Result<Message, ClientError> {
        self.last_id = self.last_id.next();
        method.clone_into(&mut self.asked);
        let id = self.last_id.id();
        // Requested only if progress is shown.
        let token = (self.observer.shows_progress() && method == names::TOOLS_CALL)
            .then(|| format!(r#""progressToken":{}"#, self.last_id));
        let params = match (self.era, token) {
            (Era::Legacy, None) => params.map(str::to_owned),
            (Era::Legacy, Some(token)) => Some(with_meta(&format!("{{{token}}}"), params)),
            (Era::Modern, token) => {
                let meta = self.meta(token.as_deref());
                Some(with_meta(&meta, params))
            }
        };
        self.observer.begin(match method {
            names::TOOLS_CALL => "the tool's result".to_owned(),
            _ => format!("`{}` to answer", self.port.name),
        });
        self.tell(Message::request(&id, method, params.as_deref()))
            .await?;
        self.waiting = true;
        let answer = self.wait().await;
        self.observer.clear();
        answer
    }

    /// The `_meta` of a modern request.
    fn meta(&self, token: Option<&str>) -> String {
        let capabilities = self.capabilities();
        let meta = match (Json::parse(&capabilities), Json::parse(OUR_INFO)) {
            (Ok(capabilities), Ok(info)) => modern_meta(capabilities, info),
            _ => "{}".to_owned(),
        };
        match token {
            Some(token) => format!("{{{token},{}", &meta[1..]),
            None => meta,
        }
    }

    async fn tell(&mut self, msg: Message) -> Result<(), ClientError> {
        let sent = self.port.tx.send(Outbound::One(Envelope::new(msg))).await;
        if sent.is_ok() {
            return Ok(());
        }
        // The port is closed; its last message is the reason.
        while let Some(inbound) = self.port.rx.recv().await {
            if let Inbound::Closed(why) = inbound {
                return Err(self.closed(why));
            }
        }
        Err(ClientError::Gone)
    }

    /// Cancels a pending request, and ends the session, or the process with its children.
    pub async fn close(mut self) {
        if self.waiting && self.asked != names::INITIALIZE {
            let params = format!(r#"{{"requestId":{}}}"#, self.last_id);
            let cancel = Envelope {
                relates_to: Some(self.last_id),
                ..Envelope::new(Message::notification(names::CANCELLED, Some(&params)))
            };
            let _ = self.port.tx.try_send(Outbound::One(cancel));
        }
        drop(self.port.tx);
        self.port.rx.close();
        let _ = timeout(CLOSE_TIMEOUT, self.port.done).await;
    }
}
