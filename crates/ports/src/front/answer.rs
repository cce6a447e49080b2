//! The answer to a modern request, on its way to the client.

use std::task::{Context, Poll, ready};

use http::StatusCode;
use linkspan_mcp::{HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION};
use linkspan_session::{Envelope, Fault, Outbound};
use linkspan_wire::{Code, Id, Json, Kind, Message, RpcError};

use super::house::Answering;
use super::ink::Ink;
use super::knowledge::Lesson;

/// What comes back for one request. Dropping it cancels the request.
pub(super) struct Answer {
    answering: Answering,
    id: Id,
    lesson: Option<Lesson>,
}

impl Answer {
    pub(super) fn new(answering: Answering, id: Id, lesson: Option<Lesson>) -> Self {
        Self {
            answering,
            id,
            lesson,
        }
    }

    /// The next message; an error of our own if the house closes without an answer.
    pub(super) async fn next(&mut self) -> Message {
        let message = self.answering.rx.recv().await;
        self.hear(message.map(|envelope| envelope.msg))
    }

    /// Writes what comes; `false` if that was the answer.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, ink: &mut Ink) -> Poll<bool> {
        let message = ready!(self.answering.rx.poll_recv(cx));
        let message = self.hear(message.map(|envelope| envelope.msg));
        let more = !message.is_answer();
        ink.message(None, Outbound::One(Envelope::new(message)));
        Poll::Ready(more)
    }

    fn hear(&self, message: Option<Message>) -> Message {
        let message = message.unwrap_or_else(|| RpcError::from(&Fault::Closing).answer(&self.id));
        if let Some(lesson) = &self.lesson
            && message.is_answer()
        {
            lesson.hear(&message);
        }
        message
    }
}

/// The HTTP status that goes with an answer.
pub(super) fn status(answer: &Message) -> StatusCode {
    if answer.kind() != Kind::Error {
        return StatusCode::OK;
    }
    let code = answer.body().and_then(|error| error.get("code"));
    match code.and_then(Json::as_i64) {
        Some(code) if code == Code::MethodNotFound.number() => StatusCode::NOT_FOUND,
        Some(HEADER_MISMATCH | MISSING_CAPABILITY | UNSUPPORTED_VERSION) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_errors_have_a_status_of_their_own() {
        let of = |code| status(&RpcError::new(code, "m").answer(&Id::number(1))).as_u16();
        assert_eq!(of(-32601), 404);
        for code in [-32020, -32021, -32022] {
            assert_eq!(of(code), 400);
        }
        for code in [-32602, -32603, -32000, 1] {
            assert_eq!(of(code), 200);
        }
        assert_eq!(status(&Message::result(&Id::number(1), "{}")).as_u16(), 200);
    }
}
