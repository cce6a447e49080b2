//! Why a text is not a message.

use bytes::Bytes;

use crate::hop::Hop;
use crate::id::Id;
use crate::rpc::RpcError;

/// A syntax error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Syntax {
    /// A byte that JSON does not allow here.
    #[error("unexpected byte at offset {0}")]
    Unexpected(usize),
    /// The text stops in the middle of a value.
    #[error("the text ends too early")]
    Torn,
    /// More brackets open than the limit, which is [`crate::MAX_DEPTH`] by default.
    #[error("nested too deeply at offset {0}")]
    TooDeep(usize),
    /// Not UTF-8.
    #[error("not UTF-8 at offset {0}")]
    Utf8(usize),
}

/// Why a text is not a JSON-RPC message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// Not JSON.
    #[error("not JSON: {0}")]
    Json(#[from] Syntax),
    /// JSON, but not JSON-RPC 2.0. The id is the sender's if it was found.
    #[error("not JSON-RPC 2.0: {why}")]
    Shape {
        /// The error.
        why: &'static str,
        /// The id, when the text has exactly one valid one.
        id: Option<Bytes>,
        /// Whether it looks like an answer.
        is_answer: bool,
    },
    /// A JSON object without any member of a JSON-RPC message but perhaps an `id`: a line of a log, for
    /// example.
    #[error("not JSON-RPC 2.0: no `jsonrpc`, `method`, `result` or `error`")]
    Foreign {
        /// The id, when the text has exactly one valid one.
        id: Option<Bytes>,
    },
    /// A JSON-RPC message as far as it can be read, but not valid JSON. Only [`crate::Resync`] looks this
    /// closely at a text.
    #[error("not JSON: {why}")]
    Damaged {
        /// The syntax error.
        why: Syntax,
        /// The id, when exactly one was found.
        id: Option<Bytes>,
        /// Whether it looks like an answer.
        is_answer: bool,
    },
    /// An answer behind other text on its line, for example a log line. It may be the answer itself or a quotation: if
    /// no other answer follows, it was the answer.
    #[error("not JSON: an answer behind other text on its line")]
    Quoted {
        /// Its id.
        id: Bytes,
    },
    /// Larger than the limit.
    #[error("message of more than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
        /// The id, when it is near the beginning or the end of the text.
        id: Option<Bytes>,
        /// Whether it looks like an answer.
        is_answer: bool,
    },
    /// Deeper than the limit. The id is the sender's if it was found.
    #[error("message nested more than {limit} levels deep")]
    TooDeep {
        /// The limit.
        limit: usize,
        /// The id, when the text has exactly one valid one.
        id: Option<Bytes>,
        /// Whether it looks like an answer.
        is_answer: bool,
    },
}

impl WireError {
    /// The id to answer with: the sender's if it is known, `null` otherwise.
    pub fn id(&self) -> Id {
        match self {
            Self::Shape { id: Some(id), .. }
            | Self::Foreign { id: Some(id) }
            | Self::Damaged { id: Some(id), .. }
            | Self::TooLarge { id: Some(id), .. }
            | Self::TooDeep { id: Some(id), .. }
            | Self::Quoted { id } => Id::from_raw(id.clone()),
            _ => Id::null(),
        }
    }

    /// Whether it looks like an answer, and its id if that was found.
    fn role(&self) -> Option<(bool, Option<&Bytes>)> {
        match self {
            Self::Shape { id, is_answer, .. }
            | Self::Damaged { id, is_answer, .. }
            | Self::TooLarge { id, is_answer, .. }
            | Self::TooDeep { id, is_answer, .. } => Some((*is_answer, id.as_ref())),
            Self::Json(_) | Self::Foreign { .. } | Self::Quoted { .. } => None,
        }
    }

    /// Whether this was an answer without a usable id: it is missing, `null` or unreadable.
    pub fn is_nameless_answer(&self) -> bool {
        matches!(self.role(), Some((true, id)) if id.is_none_or(|id| &**id == b"null"))
    }

    /// The same error for the answer to `id`.
    #[must_use]
    pub fn answering(mut self, answered: &Id) -> Self {
        if let Self::Quoted { .. } = self {
            self = Self::Shape {
                why: "an answer behind other text on its line",
                id: None,
                is_answer: true,
            };
        }
        if let Self::Shape { id, is_answer, .. }
        | Self::Damaged { id, is_answer, .. }
        | Self::TooLarge { id, is_answer, .. }
        | Self::TooDeep { id, is_answer, .. } = &mut self
        {
            *id = Some(answered.bytes().clone());
            *is_answer = true;
        }
        self
    }

    /// The hop that the peer tried to answer, if it was found.
    pub fn answered_hop(&self) -> Option<Hop> {
        match self.role() {
            Some((true, _)) => self.id().as_hop(),
            _ => None,
        }
    }

    /// The hop of the answer behind other text, see [`WireError::Quoted`].
    pub fn quoted_hop(&self) -> Option<Hop> {
        match self {
            Self::Quoted { .. } => self.id().as_hop(),
            _ => None,
        }
    }

    /// The id of the request, if this looks like one and its id was found.
    pub fn asked(&self) -> Option<Id> {
        match self.role() {
            Some((false, Some(id))) => Some(Id::from_raw(id.clone())),
            _ => None,
        }
    }

    /// The error answer that JSON-RPC prescribes.
    pub fn to_rpc(&self) -> RpcError {
        match self {
            Self::Json(_) | Self::Damaged { .. } | Self::Quoted { .. } => RpcError::parse_error(self.to_string()),
            Self::Shape { .. } | Self::Foreign { .. } => RpcError::invalid_request(self.to_string()),
            Self::TooDeep { limit, .. } => RpcError::parse_error(self.to_string()).with_data(
                format!(r#"{{"kind":"too_deep","limit":{limit},"hint":"send it as text"}}"#),
            ),
            Self::TooLarge { limit, .. } => RpcError::invalid_request(self.to_string()).with_data(
                format!(
                    r#"{{"kind":"too_large","limit":{limit},"hint":"send less at once, or raise --max-message"}}"#
                ),
            ),
        }
    }
}
