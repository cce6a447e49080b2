//! What a running tool can do to its client.

use std::sync::Arc;

use crate::conn::Cut;
use crate::message::Message;
use crate::state::{Shared, StreamKey};

/// Events that may be queued for a slow client before the tool has to wait.
const HELD: usize = 32;

pub(crate) struct Outlet {
    pub shared: Arc<Shared>,
    /// The stream of the answer.
    answers: StreamKey,
    /// The stream of all other messages.
    side: StreamKey,
    /// Whether the answer is the last event of its stream.
    last: bool,
    /// The id of the call, as written.
    pub id: String,
}

impl Outlet {
    pub fn new(
        shared: &Arc<Shared>,
        call: &Message,
        answers: StreamKey,
        side: StreamKey,
        last: bool,
    ) -> Self {
        let id = call.id.clone().unwrap_or_default();
        // An id may be reused once its first request is done.
        shared.with(|state| state.cancelled.remove(&id));
        Self {
            shared: Arc::clone(shared),
            answers,
            side,
            last,
            id,
        }
    }

    /// Sends a notification or a request, as soon as there is room.
    pub fn note(&self, text: &str) {
        let side = self.side;
        self.shared.until(
            || false,
            |state| {
                let stream = state.streams.get(&side)?;
                if !stream.keep && stream.events.len() >= HELD {
                    return None;
                }
                state.push(side, text);
                Some(())
            },
        );
    }

    /// Answers with a result, byte for byte.
    pub fn result(&self, result: &str) {
        self.finish(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
            self.id
        ));
    }

    /// Answers with an error, byte for byte.
    pub fn error(&self, error: &str) {
        self.finish(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#,
            self.id
        ));
    }

    /// Answers with a whole message.
    pub fn finish(&self, text: &str) {
        self.shared.with(|state| state.push(self.answers, text));
        self.close();
    }

    /// Ends the stream, even without an answer.
    pub fn close(&self) {
        if self.last {
            self.shared.with(|state| {
                if let Some(stream) = state.streams.get_mut(&self.answers) {
                    stream.done = true;
                }
            });
        }
    }

    /// Asks the client and waits for its answer.
    pub fn ask(&self, method: &str, params: &str) -> Option<Message> {
        let id = format!("\"ask-{}\"", self.shared.with(|state| state.number()));
        self.note(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ));
        self.shared
            .until(|| false, |state| state.answers.remove(&id))
    }

    /// Waits for the test to open a gate; `false` if the call was cancelled instead.
    pub fn gate(&self, name: &str, heed_cancel: bool) -> bool {
        let opened = self.shared.until(
            || false,
            |state| {
                if heed_cancel && state.cancelled.contains(&self.id) {
                    return Some(false);
                }
                state.gates.contains(name).then_some(true)
            },
        );
        opened == Some(true)
    }

    /// Breaks the connection here; later events can only be had by resuming.
    pub fn cut(&self, how: Cut) {
        self.shared.with(|state| {
            if let Some(stream) = state.streams.get_mut(&self.answers) {
                stream.cut = Some((stream.end(), how));
            }
        });
    }

    /// Closes the connection without an answer.
    pub fn die(&self) {
        self.shared.with(|state| {
            if let Some(stream) = state.streams.get_mut(&self.answers) {
                stream.dead = true;
            }
        });
    }
}
