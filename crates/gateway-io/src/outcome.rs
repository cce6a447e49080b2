//! What the end of a request says about the connection to its server.

use linkspan_session::Fault;
use linkspan_wire::{Kind, Message};

/// What an answer says about the transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The server has answered, if only with an error.
    Answered,
    /// It could not be reached, or has not answered.
    Failed,
    /// Nothing: a bound of ours, or a sign-in.
    Neither,
}

impl Outcome {
    pub(crate) fn of_fault(why: &Fault) -> Self {
        let status = match why {
            Fault::HttpStatus { status, .. } => Some(i64::from(*status)),
            _ => None,
        };
        Self::of_kind(why.kind(), status)
    }

    pub(crate) fn of_answer(answer: &Message) -> Self {
        if answer.kind() != Kind::Error {
            return Self::Answered;
        }
        let data = answer.body().and_then(|error| error.get("data"));
        // Only our own faults have a kind.
        let kind = data.and_then(|data| data.get("kind")?.as_str());
        let status = data.and_then(|data| data.get("status")?.as_i64());
        kind.map_or(Self::Answered, |kind| Self::of_kind(&kind, status))
    }

    fn of_kind(kind: &str, status: Option<i64>) -> Self {
        match (kind, status) {
            ("http_status", Some(500..)) => Self::Failed,
            ("http_status", Some(429)) => Self::Neither,
            (
                "connect_failed" | "answer_lost" | "session_lost" | "peer_closed" | "timeout"
                | "bad_answer",
                _,
            ) => Self::Failed,
            ("overloaded" | "paused" | "closing" | "not_signed_in" | "too_large", _) => {
                Self::Neither
            }
            _ => Self::Answered,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::{Id, RpcError};

    #[test]
    fn only_failures_of_the_transport_count_as_failures() {
        let of = |data: &str| {
            let error = RpcError::server("x").with_data(data);
            Outcome::of_answer(&error.answer(&Id::number(1)))
        };
        assert_eq!(of(r#"{"kind":"timeout"}"#), Outcome::Failed);
        assert_eq!(
            of(r#"{"kind":"http_status","status":502}"#),
            Outcome::Failed
        );
        assert_eq!(
            of(r#"{"kind":"http_status","status":429}"#),
            Outcome::Neither
        );
        assert_eq!(
            of(r#"{"kind":"http_status","status":404}"#),
            Outcome::Answered
        );
        assert_eq!(of(r#"{"reason":"the tool failed"}"#), Outcome::Answered);
        assert_eq!(of(r#"{"kind":"not_signed_in"}"#), Outcome::Neither);
        let result = Message::result(&Id::number(1), r#"{"isError":true}"#);
        assert_eq!(Outcome::of_answer(&result), Outcome::Answered);
        let lost = Fault::AnswerLost {
            peer: "x".to_owned(),
            why: "y".to_owned(),
        };
        assert_eq!(Outcome::of_fault(&lost), Outcome::Failed);
    }
}
