//! The response stream of a modern request.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::StatusCode;
use linkspan_mcp::{HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION};
use linkspan_session::{Envelope, Fault, Outbound};
use linkspan_wire::{Code, Id, Json, Kind, Message, RpcError};
use tokio::sync::watch;

use super::knowledge::Lesson;
use super::phase::{self, Phase};
use super::service::Answering;
use super::sse_writer::SseWriter;

/// The messages for one request. Dropping it cancels the request.
pub(super) struct Answer {
    answering: Answering,
    id: Id,
    lesson: Option<Lesson>,
    given_up: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Answer {
    /// Waits for messages until the front shuts down.
    pub(super) fn new(
        answering: Answering,
        id: Id,
        lesson: Option<Lesson>,
        phase: watch::Receiver<Phase>,
    ) -> Self {
        Self {
            answering,
            id,
            lesson,
            given_up: Box::pin(phase::given_up(phase)),
        }
    }

    /// The next message; an error of our own if there will be no answer.
    pub(super) async fn next(&mut self) -> Envelope {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// Writes the next message; `false` if it was the answer.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, writer: &mut SseWriter) -> Poll<bool> {
        let envelope = ready!(self.poll_next(cx));
        let more = !envelope.msg.is_answer();
        writer.message(None, Outbound::One(envelope));
        Poll::Ready(more)
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Envelope> {
        let said = match self.answering.poll_recv(cx) {
            Poll::Ready(said) => said,
            Poll::Pending => {
                ready!(self.given_up.as_mut().poll(cx));
                None
            }
        };
        let closing = || Envelope::new(RpcError::from(&Fault::Closing).answer(&self.id));
        let envelope = said.unwrap_or_else(closing);
        if let Some(lesson) = &self.lesson
            && envelope.msg.is_answer()
        {
            lesson.hear(&envelope.msg);
        }
        Poll::Ready(envelope)
    }
}

/// The HTTP status of an answer.
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
