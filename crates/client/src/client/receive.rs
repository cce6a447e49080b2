//! Messages of the server: answers, requests and notifications.

use linkspan_mcp::names;
use linkspan_session::{Envelope, Fault, Inbound};
use linkspan_wire::{Id, Json, JsonKind, Kind, Message, RpcError};
use tokio::time::{Instant, timeout};

use super::Client;
use crate::elicitation;
use crate::error::ClientError;
use crate::observer::TICK;

impl Client {
    /// Waits for the answer to the last request.
    pub(super) async fn wait(&mut self) -> Result<Message, ClientError> {
        loop {
            let inbound = self.next().await?;
            if let Some(answer) = self.take(inbound).await? {
                return Ok(answer);
            }
        }
    }

    /// The next message; meanwhile the observer is called regularly. The timeout does not run while the user
    /// signs in.
    async fn next(&mut self) -> Result<Option<Inbound>, Fault> {
        let mut start = Instant::now();
        loop {
            let left = self
                .timeout
                .map(|limit| limit.saturating_sub(start.elapsed()));
            let tick = left.map_or(TICK, |left| left.min(TICK));
            if let Ok(inbound) = timeout(tick, self.port.rx.recv()).await {
                return Ok(inbound);
            }
            self.observer.tick();
            if self.observer.waits_for_person() {
                start = Instant::now();
            } else if let Some(limit) = self.timeout.filter(|limit| start.elapsed() >= *limit) {
                return Err(Fault::Timeout { after: limit });
            }
        }
    }

    /// Handles an event; returns a message if it is the answer.
    async fn take(&mut self, inbound: Option<Inbound>) -> Result<Option<Message>, ClientError> {
        match inbound {
            Some(Inbound::Message(envelope)) => self.message(envelope.msg).await,
            Some(Inbound::Failed { hop, why }) if hop == self.last_id => {
                self.waiting = false;
                Err(why.into())
            }
            Some(Inbound::Lost { up_to, except, why }) => {
                let lost = self.last_id <= up_to && !except.contains(&self.last_id);
                if lost { Err(why.into()) } else { Ok(None) }
            }
            Some(Inbound::Closed(why)) => {
                self.observer.clear();
                Err(self.closed(why))
            }
            Some(Inbound::Bad(why)) => {
                tracing::debug!("the server sent an invalid message: {why}");
                if why.answered_hop() != Some(self.last_id) {
                    return Ok(None);
                }
                self.waiting = false;
                Err(ClientError::BadAnswer(why.to_string()))
            }
            // Only 2025-03-26 has batches, but one may contain the answer.
            Some(Inbound::Batch(entries)) => {
                let mut answer = None;
                for msg in entries.into_iter().flatten() {
                    let one = Some(Inbound::Message(Envelope::new(msg)));
                    answer = answer.or(Box::pin(self.take(one)).await?);
                }
                Ok(answer)
            }
            Some(_) => Ok(None),
            None => Err(ClientError::Gone),
        }
    }

    /// The error for a closed connection.
    pub(super) fn closed(&self, why: Fault) -> ClientError {
        if self.asked == names::INITIALIZE {
            ClientError::before_first_answer(why)
        } else {
            why.into()
        }
    }

    async fn message(&mut self, msg: Message) -> Result<Option<Message>, ClientError> {
        match msg.kind() {
            Kind::Request => {
                let answer = self.answer_to(&msg).await?;
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

    /// The answer to a request of the server.
    async fn answer_to(&mut self, msg: &Message) -> Result<Message, ClientError> {
        let id = msg.id().unwrap_or_else(Id::null);
        if msg.method() == names::INITIALIZE && id.as_hop() == Some(self.last_id) {
            return Err(ClientError::Echo(self.port.name.clone()));
        }
        Ok(match (&*msg.method(), &self.roots, &self.person) {
            (names::PING, ..) => Message::result(&id, "{}"),
            (names::ROOTS_LIST, Some(roots), _) => Message::result(&id, roots),
            ("elicitation/create", _, Some(person)) => {
                self.observer.clear();
                Message::result(&id, &elicitation::ask(person, msg.params()).await)
            }
            (method, ..) => RpcError::method_not_found(method).answer(&id),
        })
    }

    /// Shows progress, and logs the server's log messages.
    fn note(&mut self, msg: &Message) {
        let Some(params) = msg.params() else { return };
        let text = |key| params.get(key).and_then(Json::as_str).unwrap_or_default();
        match &*msg.method() {
            names::PROGRESS => {
                let number = |key| {
                    let value = params.get(key).filter(|v| v.kind() == JsonKind::Number);
                    value.map(|v| v.text().to_owned())
                };
                let total = number("total").map_or(String::new(), |t| format!(" of {t}"));
                let done = number("progress").unwrap_or_default();
                let message = match &*text("message") {
                    "" => String::new(),
                    message => format!(": {message}"),
                };
                self.observer
                    .progress(&format!("progress {done}{total}{message}"));
            }
            "notifications/message" => {
                let data = params.get("data").map_or("", |d| d.text());
                tracing::info!("the server says ({}): {data}", text("level"));
            }
            _ => {}
        }
    }
}
