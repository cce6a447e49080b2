//! A running agent, and requests to it.

use std::sync::Arc;

use linkspan_acp::client::{AUTH_REQUIRED, AgentConnection, Gone, Hello};
use linkspan_wire::{Json, JsonKind, Kind, Message};
use tokio::time::timeout;

use crate::error::ToolError;
use crate::options::AgentOptions;
use crate::sessions::Sessions;

/// The largest value of a session that is stored, in bytes.
const MAX_KEPT: usize = 1 << 20;

/// An agent that has answered `initialize`.
pub(crate) struct RunningAgent {
    pub(crate) connection: AgentConnection,
    pub(crate) hello: Hello,
    pub(crate) sessions: Arc<Sessions>,
    /// The command line.
    pub(crate) command: String,
}

impl RunningAgent {
    /// Sends a request that has to be answered within the start timeout.
    pub(crate) async fn ask_soon(
        &self,
        method: &str,
        params: &str,
        options: &AgentOptions,
    ) -> Result<Message, ToolError> {
        let answer = timeout(options.start_timeout, self.connection.ask(method, params)).await;
        let answer = answer.map_err(|_| ToolError::Timeout {
            method: method.to_owned(),
            limit: options.start_timeout,
        })?;
        self.result(answer)
    }

    /// The answer if it is a result; otherwise an error.
    pub(crate) fn result(&self, answer: Result<Message, Gone>) -> Result<Message, ToolError> {
        let answer = answer.map_err(|Gone(why)| ToolError::AgentEnded {
            command: self.command.clone(),
            why,
        })?;
        match answer.kind() {
            Kind::Error => Err(self.refusal(&answer)),
            _ => Ok(answer),
        }
    }

    /// The agent's error, with its login methods if it requires a login.
    fn refusal(&self, answer: &Message) -> ToolError {
        let error = answer.body();
        let message = error.and_then(|e| e.get("message")?.as_str());
        let code = error.and_then(|e| e.get("code")?.as_i64());
        let mut text = message.as_deref().unwrap_or("without a reason").to_owned();
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
        ToolError::Refused(text)
    }
}

/// A member of a result as JSON, if it has the right type and is not too large.
pub(crate) fn member(answer: &Message, key: &str, kind: JsonKind) -> Option<String> {
    let value = answer.body()?.get(key).filter(|v| v.kind() == kind)?;
    kept(value)
}

/// The JSON text of a value that is not too large to be stored.
pub(crate) fn kept(value: Json<'_>) -> Option<String> {
    (value.text().len() <= MAX_KEPT).then(|| value.text().to_owned())
}
