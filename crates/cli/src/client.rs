//! A small MCP client, for trying servers out.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use linkspan_mcp::{Era, OUR_INFO, Revision, modern_meta, names};
use linkspan_session::{Envelope, Fault, Inbound, Outbound, Port};
use linkspan_wire::{Id, Json, Kind, Message, RpcError, quote};
use tokio::time::timeout;

use crate::exit::{Exit, Failure};
use crate::show::clean;

const FAREWELL: Duration = Duration::from_secs(4);
/// How long a server may take to shake hands; `npx` may have to fetch it first.
const HANDSHAKE: Duration = Duration::from_secs(60);

/// A conversation with one server.
pub(crate) struct Client {
    port: Port,
    last_id: u64,
    era: Era,
    timeout: Option<Duration>,
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
            last_id: 0,
            era: Era::Legacy,
            timeout,
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

    /// Begins the conversation: by `initialize`, or without it if the server is a modern one.
    ///
    /// The handshake comes first because a server that does not know a modern request may stay
    /// silent, or exit.
    pub(crate) async fn open(&mut self) -> Result<(), Failure> {
        let params = format!(
            r#"{{"protocolVersion":"{}","capabilities":{{{}}},"clientInfo":{}}}"#,
            Revision::LAST_LEGACY,
            self.roots.as_ref().map_or("", |_| r#""roots":{}"#),
            OUR_INFO
        );
        let patience = self.timeout;
        self.timeout = Some(patience.unwrap_or(HANDSHAKE).min(HANDSHAKE));
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
                Err(failure.hint("is it an MCP server? -v shows what it says"))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Whether the server has a handshake, and so a `ping`.
    pub(crate) fn is_modern(&self) -> bool {
        self.era == Era::Modern
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
        self.last_id += 1;
        method.clone_into(&mut self.asked);
        let id = Id::number(self.last_id);
        let params = match self.era {
            Era::Legacy => params.map(str::to_owned),
            Era::Modern => Some(with_meta(params)),
        };
        self.tell(Message::request(&id, method, params.as_deref()))
            .await?;
        self.waiting = true;
        loop {
            let inbound = match self.timeout {
                None => self.port.rx.recv().await,
                Some(limit) => timeout(limit, self.port.rx.recv())
                    .await
                    .map_err(|_| Fault::Timeout { after: limit })?,
            };
            if let Some(answer) = self.take(inbound).await? {
                return Ok(answer);
            }
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
            Some(Inbound::Closed(why)) => return Err(why.into()),
            Some(Inbound::Bad(why)) => {
                tracing::warn!("the server sent something that is no message: {why}");
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
                let answer = match (&*msg.method(), &self.roots) {
                    (names::PING, _) => Message::result(&id, "{}"),
                    (names::ROOTS_LIST, Some(roots)) => Message::result(&id, roots),
                    (method, _) => RpcError::method_not_found(method).answer(&id),
                };
                self.tell(answer).await?;
                Ok(None)
            }
            Kind::Notification => {
                note(&msg);
                Ok(None)
            }
            _ if msg.id().and_then(|id| id.as_hop()) != Some(self.last_id) => Ok(None),
            Kind::Result | Kind::Error => {
                self.waiting = false;
                Ok(Some(msg))
            }
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
                return Err(why.into());
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

fn with_meta(params: Option<&str>) -> String {
    let meta = match (Json::parse("{}"), Json::parse(OUR_INFO)) {
        (Ok(none), Ok(info)) => modern_meta(none, info),
        _ => "{}".to_owned(),
    };
    match params.map(str::trim).filter(|p| p.len() > 2) {
        Some(params) => format!(r#"{{"_meta":{meta},{}"#, params[1..].trim_start()),
        None => format!(r#"{{"_meta":{meta}}}"#),
    }
}

/// Shows what a server says meanwhile, on stderr.
fn note(msg: &Message) {
    let Some(params) = msg.params() else { return };
    match &*msg.method() {
        names::PROGRESS if std::io::stderr().is_terminal() => {
            let number = |key| params.get(key).map(|v| v.text().to_owned());
            let message = params
                .get("message")
                .and_then(Json::as_str)
                .unwrap_or_default();
            let total = number("total").map_or(String::new(), |t| format!("/{t}"));
            let done = number("progress").unwrap_or_default();
            anstream::eprintln!("{}", clean(&format!("{done}{total} {message}")));
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

fn refusal(msg: &Message, asked: &str) -> Failure {
    let error = msg.body();
    let message = error.and_then(|e| e.get("message")?.as_str());
    let code = error.and_then(|e| Some(e.get("code")?.text().to_owned()));
    let what = format!(
        "the server says: {} ({})",
        message.as_deref().unwrap_or("no reason"),
        code.as_deref().unwrap_or("no code")
    );
    let mut failure = Failure::new(Exit::ServerError, what);
    if let Some(data) = error.and_then(|e| e.get("data")) {
        failure = failure.data(data.as_str().unwrap_or(data.text().into()));
    }
    if code.as_deref() == Some("-32601") {
        failure = failure.hint(format!("this server does not offer `{asked}`"));
    }
    failure
}

/// `{"name":…}` and the like, for one string parameter.
pub(crate) fn one_param(key: &str, value: &str) -> String {
    format!("{{{}:{}}}", quote(key), quote(value))
}
