//! Whether a call may be sent to a server now: its breaker, and the calls that it gets at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use linkspan_gateway::Breaker;
use linkspan_session::{Fault, now};
use linkspan_wire::{Kind, Message};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How long a call waits while the server has as many as it gets at the same time.
const PATIENCE: Duration = Duration::from_secs(60);
/// Calls that may wait for that.
const MOST_WAITING: usize = 256;

/// The admission of calls to one server.
pub(crate) struct Admission {
    breaker: Mutex<Breaker>,
    slots: Option<Arc<Semaphore>>,
    waiting: AtomicUsize,
}

/// A call's place among those that the server gets at the same time; `None` if they are not limited.
pub(crate) type Place = Option<OwnedSemaphorePermit>;

impl Admission {
    /// For a server that gets so many calls at the same time.
    pub(crate) fn new(most: Option<usize>) -> Self {
        let slots = |most: usize| Arc::new(Semaphore::new(most.clamp(1, Semaphore::MAX_PERMITS)));
        Self {
            breaker: Mutex::default(),
            slots: most.map(slots),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Waits for the place of a call to the server with this name.
    pub(crate) async fn admit(&self, server: &str) -> Result<Place, Fault> {
        let admitted = self.breaker.lock().admit(now());
        admitted.map_err(|wait| Fault::Paused {
            peer: server.to_owned(),
            wait,
        })?;
        let Some(slots) = &self.slots else {
            return Ok(None);
        };
        let busy = Fault::Overloaded {
            what: "the server has as many calls as `concurrency` allows",
        };
        if let Ok(slot) = slots.clone().try_acquire_owned() {
            return Ok(Some(slot));
        }
        let waiting = Waiting::new(&self.waiting);
        if waiting.before >= MOST_WAITING {
            return Err(busy);
        }
        match timeout(PATIENCE, slots.clone().acquire_owned()).await {
            Ok(Ok(slot)) => Ok(Some(slot)),
            _ => Err(busy),
        }
    }

    /// A call was answered, by the server or with a fault of ours.
    pub(crate) fn answered(&self, answer: &Message) {
        self.heard(Outcome::of_answer(answer));
    }

    /// A call could not be sent.
    pub(crate) fn failed(&self, why: &Fault) {
        self.heard(Outcome::of_fault(why));
    }

    fn heard(&self, outcome: Outcome) {
        match outcome {
            Outcome::Answered => self.breaker.lock().succeeded(),
            Outcome::Failed => self.breaker.lock().failed(now()),
            Outcome::Neither => {}
        }
    }
}

/// Counts a waiting call until it is dropped.
struct Waiting<'a> {
    count: &'a AtomicUsize,
    /// Calls that were waiting before.
    before: usize,
}

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        let before = count.fetch_add(1, Ordering::Relaxed);
        Self { count, before }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What an answer says about the transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The server has answered, if only with an error.
    Answered,
    /// It could not be reached, or has not answered.
    Failed,
    /// Nothing: a bound of ours, or a sign-in.
    Neither,
}

impl Outcome {
    fn of_fault(why: &Fault) -> Self {
        let status = match why {
            Fault::HttpStatus { status, .. } => Some(i64::from(*status)),
            _ => None,
        };
        Self::of_kind(why.kind(), status)
    }

    fn of_answer(answer: &Message) -> Self {
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
