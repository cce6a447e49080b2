//! The questions that a server may send to its client.

use linkspan_wire::{Id, Message};

/// Requests of a legacy server that exist in the modern era.
const QUESTIONS: [&str; 3] = ["elicitation/create", "sampling/createMessage", "roots/list"];

/// Requests during which a modern server may ask.
const MAY_ASK: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

pub(crate) fn is_question(method: &str) -> bool {
    QUESTIONS.contains(&method)
}

/// Whether a client may get a question while it waits for this method.
pub fn may_ask(method: &str) -> bool {
    MAY_ASK.contains(&method)
}

/// A question of a legacy server that waits for its answer.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The server's id, for the answer.
    pub(crate) id: Id,
    /// Under which the client gets it: the server's own id as text.
    pub(crate) key: String,
    pub(crate) msg: Message,
}

impl Question {
    /// As a member of `inputRequests`.
    pub(crate) fn request(&self) -> String {
        let method = linkspan_wire::quote(&self.msg.method());
        match self.msg.params() {
            Some(params) => format!(
                r#"{{"method":{method},"params":{}}}"#,
                // The modern era tracks no elicitation beyond its call.
                linkspan_wire::Object::of(Some(params))
                    .without(&["elicitationId"])
                    .text()
            ),
            None => format!(r#"{{"method":{method}}}"#),
        }
    }
}
