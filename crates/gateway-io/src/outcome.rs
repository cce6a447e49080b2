//! What the end of a request says about the connection to its server.

use std::borrow::Cow;

use linkspan_session::Fault;
use linkspan_wire::{Json, Kind, Message};

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
        let (kind, status) = told(why);
        Self::of_kind(kind, status)
    }

    pub(crate) fn of_answer(answer: &Message) -> Self {
        match told_by(answer) {
            Some((kind, status)) => Self::of_kind(&kind, status),
            None => Self::Answered,
        }
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

/// Whether the same request may work later, without an action of the user.
pub(crate) fn may_pass(why: &Fault) -> bool {
    let (kind, status) = told(why);
    kind_may_pass(kind, status)
}

/// The same for an answer: whether it is a fault of ours that may pass.
pub(crate) fn answer_may_pass(answer: &Message) -> bool {
    told_by(answer).is_some_and(|(kind, status)| kind_may_pass(&kind, status))
}

fn kind_may_pass(kind: &str, status: Option<i64>) -> bool {
    let is_bound = matches!(kind, "overloaded" | "paused" | "closing");
    let has_failed = Outcome::of_kind(kind, status) == Outcome::Failed;
    is_bound || has_failed && kind != "bad_answer"
}

/// The kind and the HTTP status of a fault.
fn told(why: &Fault) -> (&'static str, Option<i64>) {
    let status = match why {
        Fault::HttpStatus { status, .. } => Some(i64::from(*status)),
        _ => None,
    };
    (why.kind(), status)
}

/// The same for an error that one of our sessions has made; only these have a kind.
fn told_by(answer: &Message) -> Option<(Cow<'_, str>, Option<i64>)> {
    let error = answer.body().filter(|_| answer.kind() == Kind::Error)?;
    let data = error.get("data")?;
    let status = data.get("status").and_then(Json::as_i64);
    Some((data.get("kind")?.as_str()?, status))
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

    #[test]
    fn a_request_that_needs_the_user_is_not_repeated() {
        let of = |data: &str| {
            let error = RpcError::server("x").with_data(data);
            answer_may_pass(&error.answer(&Id::number(1)))
        };
        for kind in ["peer_closed", "timeout", "closing", "paused"] {
            assert!(of(&format!(r#"{{"kind":"{kind}"}}"#)), "{kind}");
        }
        for kind in ["not_signed_in", "too_large", "bad_answer", "other"] {
            assert!(!of(&format!(r#"{{"kind":"{kind}"}}"#)), "{kind}");
        }
        assert!(!of("{}"));
        assert!(may_pass(&Fault::Closing));
    }
}
