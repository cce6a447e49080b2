//! Why a request has no result.

use std::time::Duration;

use linkspan_session::Fault;
use linkspan_wire::{Message, escape_line};

/// Why a request has no result.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The connection failed.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The server has not answered the first request.
    #[error("`{server}` did not answer within {} s", limit.as_secs_f64())]
    NoFirstAnswer {
        /// The server.
        server: String,
        /// The timeout.
        limit: Duration,
    },
    /// The command ended without an answer to the first request.
    #[error("{peer} ended before it answered ({status}){}", printed(last_words))]
    EndedAtOnce {
        /// The command.
        peer: String,
        /// Its exit status.
        status: String,
        /// The last lines of its stderr.
        last_words: String,
    },
    /// The command repeats its input.
    #[error("`{0}` sends back what it is sent: it is not an MCP server")]
    Echo(String),
    /// The server answered with an error.
    #[error("the server says: {message} ({code})")]
    Refused {
        /// The method of the request.
        method: String,
        /// The message of the error.
        message: String,
        /// The code of the error, as the server wrote it.
        code: String,
        /// The data of the error.
        data: Option<String>,
    },
    /// The answer is not a valid message.
    #[error("its answer is not a valid message: {0}")]
    BadAnswer(String),
    /// The connection was closed without a reason.
    #[error("the server has closed the connection")]
    Gone,
    /// The server requests input that this client cannot give.
    #[error("the server asks for `{0}` before it answers")]
    CannotAnswer(String),
    /// The server requests input too many times.
    #[error("the server requests input again and again without giving a result")]
    TooManyQuestions,
}

impl ClientError {
    /// Whether the server refused the request, and other requests may work.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Refused { .. } | Self::Fault(Fault::HttpStatus { .. })
        )
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Fault(fault) => fault.hint(),
            Self::NoFirstAnswer { .. } => {
                "is it an MCP server? -v shows what it prints; --timeout 120 waits longer"
            }
            Self::EndedAtOnce { .. } => {
                "an MCP server stays and answers on stdout; check the command and its arguments"
            }
            Self::Echo(_) => "check the command and its arguments",
            Self::Refused { method, code, .. } if code == "-32601" => {
                return Some(format!("this server does not offer `{method}`"));
            }
            Self::BadAnswer(_) => "-v shows more; a large answer may need --max-message",
            Self::CannotAnswer(_) => {
                "run linkspan at a terminal to answer questions; other requests are not supported"
            }
            Self::TooManyQuestions => "this is an error of the server",
            Self::Refused { .. } | Self::Gone => return None,
        };
        Some(hint.to_owned())
    }

    /// The error for a connection that was closed before the first answer.
    pub(crate) fn before_first_answer(fault: Fault) -> Self {
        match fault {
            Fault::Ended {
                peer,
                status,
                last_words,
            } => Self::EndedAtOnce {
                peer,
                status,
                last_words,
            },
            other => other.into(),
        }
    }

    /// The error in a server's answer.
    pub(crate) fn refusal(answer: &Message, method: &str) -> Self {
        let error = answer.body();
        let message = error.and_then(|e| e.get("message")?.as_str());
        let code = error.and_then(|e| Some(e.get("code")?.text().to_owned()));
        let data = error.and_then(|e| e.get("data"));
        Self::Refused {
            method: method.to_owned(),
            message: message.map_or_else(|| "no reason".to_owned(), Into::into),
            code: code.unwrap_or_else(|| "no code".to_owned()),
            data: data.map(|data| data.as_str().unwrap_or(data.text().into()).into_owned()),
        }
    }
}

fn printed(last_words: &str) -> String {
    if last_words.is_empty() {
        ", and printed nothing".to_owned()
    } else {
        format!("; it printed:\n{last_words}")
    }
}

/// A peer's text that cannot end a line or control a terminal.
pub(crate) fn on_one_line(text: &str) -> String {
    escape_line(text).into_owned()
}
