//! A small MCP client, for trying servers out.

mod failures;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use linkspan_mcp::{Era, OUR_INFO, Revision, modern_meta, names};
use linkspan_session::{Envelope, Fault, Inbound, Outbound, Port};
use linkspan_wire::{Hop, Id, Json, JsonKind, Kind, Message, RpcError, quote};
use tokio::time::timeout;

use self::failures::{echoes, never_spoke, refusal};
use crate::elicit;
use crate::exit::{Exit, Failure};
use crate::status::{Status, TICK};

const FAREWELL: Duration = Duration::from_secs(4);
/// How long the first answer may take if `--timeout` is not given; `npx` may have to fetch the server.
pub(crate) const FIRST_ANSWER: Duration = Duration::from_secs(30);
/// How often a modern server may ask for more before it gives its result.
const MAX_ROUNDS: usize = 8;

/// A conversation with one server.
pub(crate) struct Client {
    port: Port,
    last_id: Hop,
    era: Era,
    timeout: Option<Duration>,
    /// The limit of the first answer.
    first: Option<Duration>,
    status: Status,
    /// Whether a person can be asked what the server asks us.
    asks: bool,
    /// Whether the last request has no answer yet.
    waiting: bool,
    /// Its method.
    asked: String,
    /// The folders that we offer, as `roots/list` is answered; `None` offers none.
    roots: Option<String>,
}

impl Client {
    /// Nothing is said yet. Whatever follows, [`Client::close`] has to come at the end.
    pub(crate) fn new(port: Port, timeout: Option<Duration>) -> Self {
        Self {
            port,
            last_id: Hop(0),
            era: Era::Legacy,
            timeout,
            first: Some(timeout.unwrap_or(FIRST_ANSWER).min(FIRST_ANSWER)),
            status: Status::new(),
            asks: false,
            waiting: false,
            asked: String::new(),
            roots: None,
        }
    }

    /// Offers folders to the server; they must be absolute.
    pub(crate) fn offering(mut self, roots: &[PathBuf]) -> Self {
        let roots: Vec<String> = roots
            .iter()
            .map(|root| format!(r#"{{"uri":{}}}"#, quote(&file_uri(root))))
            .collect();
        self.roots = Some(format!(r#"{{"roots":[{}]}}"#, roots.join(",")));
        self
    }

    /// The first answer may take as long as this instead of half a minute.
    pub(crate) fn patient(mut self, first: Option<Duration>) -> Self {
        self.first = first;
        self
    }

    /// What the server asks is put to the person at the terminal, if there is one.
    pub(crate) fn asking(mut self) -> Self {
        self.asks = elicit::is_possible();
        self
    }

    /// What we can do, as a JSON object.
    fn capabilities(&self) -> String {
        let roots = self.roots.as_ref().map(|_| r#""roots":{}"#.to_owned());
        let asks = self
            .asks
            .then(|| format!(r#""elicitation":{}"#, elicit::CAPABILITY));
        let all: Vec<String> = roots.into_iter().chain(asks).collect();
        format!("{{{}}}", all.join(","))
    }

    /// Begins the conversation: by `initialize`, or without it if the server is a modern one.
    ///
    /// The handshake comes first because a server that does not know a modern request may stay
    /// silent, or exit.
    pub(crate) async fn open(&mut self) -> Result<(), Failure> {
        let params = format!(
            r#"{{"protocolVersion":"{}","capabilities":{},"clientInfo":{}}}"#,
            Revision::LAST_LEGACY,
            self.capabilities(),
            OUR_INFO
        );
        let patience = self.timeout;
        self.timeout = self.first;
        let shaken = self.ask(names::INITIALIZE, Some(&params)).await;
        self.timeout = patience;
        match shaken {
            Ok(_) => {
                self.tell(Message::notification(names::INITIALIZED, None))
                    .await
            }
            Err(refused) if refused.exit == Exit::ServerError => {
                self.era = Era::Modern;
                self.ask(names::DISCOVER, None).await.map_err(|_| refused)?;
                Ok(())
            }
            Err(failure) if failure.exit == Exit::Timeout => {
                let waited = self.first.unwrap_or_default().as_secs_f64();
                Err(Failure::new(
                    Exit::Timeout,
                    format!("`{}` did not answer within {waited} s", self.port.name),
                )
                .hint("is it an MCP server? -v shows what it prints; --timeout 120 waits longer"))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Whether the server has a handshake, and so a `ping`.
    pub(crate) fn is_modern(&self) -> bool {
        self.era == Era::Modern
    }

    /// Sends a request and waits for its result, and answers what a modern server wants to know first.
    pub(crate) async fn ask_through(
        &mut self,
        method: &str,
        params: &str,
    ) -> Result<Message, Failure> {
        let mut answer = self.ask(method, Some(params)).await?;
        for _ in 0..MAX_ROUNDS {
            let Some(result) = answer.body().filter(|result| is_question(*result)) else {
                return Ok(answer);
            };
            let answers = match result.get("inputRequests") {
                Some(questions) => elicit::answer_all(questions, self.roots.as_deref()).await,
                None => Ok("{}".to_owned()),
            };
            let answers = answers.map_err(|method| {
                Failure::new(
                    Exit::Broken,
                    format!("the server asks for `{method}` before it answers"),
                )
                .hint("a question to a person is answered at a terminal; nothing else is here")
            })?;
            let state = result.get("requestState").map_or(String::new(), |s| {
                format!(r#","requestState":{}"#, s.text())
            });
            let original = params.trim();
            let original = &original[..original.len() - 1];
            let comma = match original.trim_end().ends_with('{') {
                true => "",
                false => ",",
            };
            let again = format!(r#"{original}{comma}"inputResponses":{answers}{state}}}"#);
            answer = self.ask(method, Some(&again)).await?;
        }
        Err(Failure::new(
            Exit::Broken,
            "the server asks again and again, and gives no result",
        )
        .hint("this is a mistake of the server"))
    }

    /// Sends a request and waits for its result.
    pub(crate) async fn ask(
        &mut self,
        method: &str,
        params: Option<&str>,
    ) -> Result<Message, Failure> {
        let answer = self.answer(method, params).await?;
        match answer.kind() {
            Kind::Error => Err(refusal(&answer, method)),
            _ => Ok(answer),
        }
    }

    /// Sends a request and waits for its answer, which may be an error.
    pub(crate) async fn answer(
        &mut self,
        method: &str,
        params: Option<&str>,
    ) -> Result<Message, Failure> {
        self.last_id = self.last_id.next();
        method.clone_into(&mut self.asked);
        let id = self.last_id.id();
        // Progress is of use only to a person who sees it.
        let token = (self.status.is_seen() && method == names::TOOLS_CALL)
            .then(|| format!(r#""progressToken":{}"#, self.last_id));
        let params = match (self.era, token) {
            (Era::Legacy, None) => params.map(str::to_owned),
            (Era::Legacy, Some(token)) => Some(with_meta(&format!("{{{token}}}"), params)),
            (Era::Modern, token) => {
                let meta = self.meta(token.as_deref());
                Some(with_meta(&meta, params))
            }
        };
        self.status.begin(match method {
            names::TOOLS_CALL => "the tool's result".to_owned(),
            _ => format!("`{}` to answer", self.port.name),
        });
        self.tell(Message::request(&id, method, params.as_deref()))
            .await?;
        self.waiting = true;
        let answer = self.wait().await;
        self.status.clear();
        answer
    }

    async fn wait(&mut self) -> Result<Message, Failure> {
        loop {
            let inbound = match self.timeout {
                None => self.next().await,
                Some(limit) => timeout(limit, self.next())
                    .await
                    .map_err(|_| Fault::Timeout { after: limit })?,
            };
            if let Some(answer) = self.take(inbound).await? {
                return Ok(answer);
            }
        }
    }

    /// What comes next; meanwhile the person sees that we wait.
    async fn next(&mut self) -> Option<Inbound> {
        loop {
            match timeout(TICK, self.port.rx.recv()).await {
                Ok(inbound) => return inbound,
                Err(_) => self.status.tick(),
            }
        }
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

    /// Looks at what has come; gives the answer if it was that.
    async fn take(&mut self, inbound: Option<Inbound>) -> Result<Option<Message>, Failure> {
        let msg = match inbound {
            Some(Inbound::Message(envelope)) => envelope.msg,
            Some(Inbound::Failed { hop, why }) if hop == self.last_id => {
                self.waiting = false;
                return Err(why.into());
            }
            Some(Inbound::Lost { up_to, except, why }) => {
                let lost = self.last_id <= up_to && !except.contains(&self.last_id);
                return if lost { Err(why.into()) } else { Ok(None) };
            }
            Some(Inbound::Closed(why)) => {
                self.status.clear();
                return Err(match self.asked == names::INITIALIZE {
                    true => never_spoke(why),
                    false => why.into(),
                });
            }
            Some(Inbound::Bad(why)) => {
                tracing::debug!("the server sent an invalid message: {why}");
                if why.answered_hop() != Some(self.last_id) {
                    return Ok(None);
                }
                self.waiting = false;
                return Err(
                    Failure::new(Exit::Broken, format!("its answer is no message: {why}"))
                        .hint("-v shows more; a large answer may need --max-message"),
                );
            }
            // Only 2025-03-26 has these, but what is in one may be the answer.
            Some(Inbound::Batch(entries)) => {
                let mut answer = None;
                for msg in entries.into_iter().flatten() {
                    let one = Some(Inbound::Message(Envelope::new(msg)));
                    answer = answer.or(Box::pin(self.take(one)).await?);
                }
                return Ok(answer);
            }
            Some(_) => return Ok(None),
            None => return Err(Failure::new(Exit::Broken, "the server has gone")),
        };
        match msg.kind() {
            Kind::Request => {
                let id = msg.id().unwrap_or_else(Id::null);
                if msg.method() == names::INITIALIZE && id.as_hop() == Some(self.last_id) {
                    return Err(echoes(&self.port.name));
                }
                let answer = match (&*msg.method(), &self.roots) {
                    (names::PING, _) => Message::result(&id, "{}"),
                    (names::ROOTS_LIST, Some(roots)) => Message::result(&id, roots),
                    ("elicitation/create", _) if self.asks => {
                        self.status.clear();
                        Message::result(&id, &elicit::ask(msg.params()).await)
                    }
                    (method, _) => RpcError::method_not_found(method).answer(&id),
                };
                self.tell(answer).await?;
                Ok(None)
            }
            Kind::Notification => {
                self.note(&msg);
                Ok(None)
            }
            _ if msg.hop() != Some(self.last_id) => Ok(None),
            Kind::Result | Kind::Error => {
                self.waiting = false;
                Ok(Some(msg))
            }
        }
    }

    /// Shows what a server says meanwhile, on stderr.
    fn note(&mut self, msg: &Message) {
        let Some(params) = msg.params() else { return };
        match &*msg.method() {
            names::PROGRESS => {
                let number = |key| {
                    params
                        .get(key)
                        .filter(|v| v.kind() == JsonKind::Number)
                        .map(|v| v.text().to_owned())
                };
                let message = params
                    .get("message")
                    .and_then(Json::as_str)
                    .unwrap_or_default();
                let total = number("total").map_or(String::new(), |t| format!(" of {t}"));
                let done = number("progress").unwrap_or_default();
                let message = match &*message {
                    "" => String::new(),
                    message => format!(": {message}"),
                };
                self.status
                    .progress(&format!("progress {done}{total}{message}"));
            }
            "notifications/message" => {
                let level = params
                    .get("level")
                    .and_then(Json::as_str)
                    .unwrap_or_default();
                let data = params.get("data").map_or("", |d| d.text());
                tracing::info!("the server says ({level}): {data}");
            }
            _ => {}
        }
    }

    async fn tell(&mut self, msg: Message) -> Result<(), Failure> {
        let sent = self.port.tx.send(Outbound::One(Envelope::new(msg))).await;
        if sent.is_ok() {
            return Ok(());
        }
        // The port is closed; why is the last thing that it said.
        while let Some(inbound) = self.port.rx.recv().await {
            if let Inbound::Closed(why) = inbound {
                return Err(match self.asked == names::INITIALIZE {
                    true => never_spoke(why),
                    false => why.into(),
                });
            }
        }
        Err(Failure::new(Exit::Broken, "the server has gone"))
    }

    /// Takes leave: ends what is still asked, then the session, or the child and its children.
    pub(crate) async fn close(mut self) {
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
        let _ = timeout(FAREWELL, self.port.done).await;
    }
}

/// The address of a file, whatever is in its name.
fn file_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(*byte as char),
            byte if byte.is_ascii_alphanumeric() => uri.push(*byte as char),
            // Writing to memory cannot fail.
            byte => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri
}

/// Params with a `_meta` before everything else.
fn with_meta(meta: &str, params: Option<&str>) -> String {
    match params.map(str::trim).filter(|p| p.len() > 2) {
        Some(params) => format!(r#"{{"_meta":{meta},{}"#, params[1..].trim_start()),
        None => format!(r#"{{"_meta":{meta}}}"#),
    }
}

/// Whether a modern result asks for something before there can be a real one.
fn is_question(result: Json<'_>) -> bool {
    let kind = result.get("resultType").and_then(Json::as_str);
    kind.as_deref() == Some("input_required")
}

/// `{"name":…}` and the like, for one string parameter.
pub(crate) fn one_param(key: &str, value: &str) -> String {
    format!("{{{}:{}}}", quote(key), quote(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call may take an hour; the first answer has a shorter limit.
    #[tokio::test(start_paused = true)]
    async fn a_server_that_never_answers_is_given_up_after_half_a_minute() {
        let hour = Duration::from_secs(3600);
        let (port, _end) = Port::pair("silent", 8);
        let mut client = Client::new(port, Some(hour));
        let begun = tokio::time::Instant::now();
        let failure = client.open().await.unwrap_err();
        assert_eq!(failure.exit, Exit::Timeout);
        assert_eq!(failure.what(), "`silent` did not answer within 30 s");
        assert!(begun.elapsed() < FIRST_ANSWER * 2);
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_answer_may_take_as_long_as_the_user_says() {
        let (port, _end) = Port::pair("silent", 8);
        let wanted = Duration::from_secs(120);
        let mut client = Client::new(port, Some(wanted)).patient(Some(wanted));
        let failure = client.open().await.unwrap_err();
        assert_eq!(failure.what(), "`silent` did not answer within 120 s");
    }
}
