//! Progress in the place of a silent server.
//!
//! The values of a request's progress must increase. So those made here lie barely above the server's last one, and the
//! server's next one is raised only if it is not above them.

use std::time::{Duration, Instant};

use linkspan_mcp::names;
use linkspan_wire::{Json, Message, Object, quote};

/// How long a request may be silent.
pub(super) const BEAT: Duration = Duration::from_secs(10);
/// The distance between two values made here, in relation to the value.
const STEP: f64 = 1e-9;

/// The progress of one request.
pub(super) struct Progress {
    /// The client's token, as spelled.
    token: String,
    began: Instant,
    next: Instant,
    /// The last value that the client got.
    last: f64,
    /// The server's own last value, and its total as spelled.
    server: Option<(f64, Option<String>)>,
}

impl Progress {
    /// For a request that has a token.
    pub(super) fn of(request: &Message, now: Instant) -> Option<Self> {
        let token = request.params()?.path(&["_meta", "progressToken"])?;
        Some(Self {
            token: token.text().to_owned(),
            began: now,
            next: now + BEAT,
            last: 0.0,
            server: None,
        })
    }

    /// Whether a notification of progress is about this request.
    pub(super) fn is_of(&self, msg: &Message) -> bool {
        token_of(msg).is_some_and(|token| token.text() == self.token)
    }

    /// The client's own notification, for a request that goes on under this one.
    pub(super) fn renamed(&mut self, msg: &Message, now: Instant) -> Option<Message> {
        let msg = msg.with_value(token_of(msg)?, &self.token);
        Some(self.passes(&msg, now).unwrap_or(msg))
    }

    /// The server's own progress passes. The message in its place if the value has to be raised.
    pub(super) fn passes(&mut self, msg: &Message, now: Instant) -> Option<Message> {
        self.next = now + BEAT;
        let params = msg.params()?;
        let spelled = params.get("progress")?;
        let value = spelled.text().parse().ok();
        let value = value.filter(|value: &f64| value.is_finite())?;
        let before = self.server.as_ref().map(|(value, _)| *value);
        let total = params.get("total").map(|total| total.text().to_owned());
        self.server = Some((value, total));
        // A server whose own values do not increase is not corrected.
        let is_ours = value <= self.last && before.is_none_or(|before| value > before);
        if !is_ours {
            self.last = value;
            return None;
        }
        self.last = above(self.last);
        Some(msg.with_value(spelled, &self.last.to_string()))
    }

    /// When [`Progress::beat`] is due.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// A sign of life, if it is due.
    pub(super) fn beat(&mut self, now: Instant) -> Option<Message> {
        if now < self.next {
            return None;
        }
        self.next = now + BEAT;
        self.last = above(self.last);
        let running = now.saturating_duration_since(self.began).as_secs();
        let total = self.server.as_ref().and_then(|(_, total)| total.as_deref());
        // At the server's total there is no value above that makes sense with it.
        let total = total.filter(|total| total.parse().is_ok_and(|total: f64| self.last < total));
        let params = Object::empty()
            .with("progressToken", &self.token)
            .with("progress", &self.last.to_string())
            .with_some("total", total)
            .with(
                "message",
                &quote(&format!("still running after {running} s")),
            );
        Some(Message::notification(names::PROGRESS, Some(&params.text())))
    }
}

/// A value barely above.
fn above(value: f64) -> f64 {
    let next = value + value.abs().max(1.0) * STEP;
    if next.is_finite() { next } else { value }
}

fn token_of(msg: &Message) -> Option<Json<'_>> {
    msg.params()?.get("progressToken")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::message;

    fn progress() -> (Progress, Instant) {
        let now = Instant::now();
        let request = message(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"\u0074"}}}"#,
        );
        (Progress::of(&request, now).unwrap(), now)
    }

    fn of_server(value: &str) -> Message {
        message(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":"\u0074","progress":{value},"total":3}}}}"#
        ))
    }

    fn value(msg: &Message) -> f64 {
        let value = msg.params().unwrap().get("progress").unwrap();
        value.text().parse().unwrap()
    }

    #[test]
    fn a_silent_request_gets_progress_every_ten_seconds_under_its_token_as_spelled() {
        let (mut progress, now) = progress();
        assert!(progress.beat(now + BEAT / 2).is_none());
        let first = progress.beat(now + BEAT).unwrap();
        assert!(first.text().contains(r#""progressToken":"\u0074""#));
        assert!(first.text().contains("still running after 10 s"));
        assert!(progress.beat(now + BEAT).is_none());
        let second = progress.beat(now + 2 * BEAT).unwrap();
        assert!(value(&second) > value(&first));
    }

    #[test]
    fn progress_of_the_server_postpones_ours_and_passes_unchanged() {
        let (mut progress, now) = progress();
        assert!(progress.passes(&of_server("1"), now + BEAT / 2).is_none());
        assert!(progress.beat(now + BEAT).is_none());
        let ours = progress.beat(now + BEAT * 3 / 2).unwrap();
        assert!(value(&ours) > 1.0 && value(&ours) < 1.001, "{ours:?}");
        assert!(ours.text().contains(r#""total":3"#));
        assert!(progress.passes(&of_server("1.5"), now + 2 * BEAT).is_none());
    }

    #[test]
    fn a_value_of_the_server_that_would_not_increase_is_raised() {
        let (mut progress, now) = progress();
        let ours = progress.beat(now + BEAT).unwrap();
        let raised = progress.passes(&of_server("0"), now + BEAT).unwrap();
        assert!(value(&raised) > value(&ours));
        assert!(progress.passes(&of_server("1"), now + BEAT).is_none());
        assert!(
            progress.passes(&of_server("1"), now + BEAT).is_none(),
            "its own"
        );
    }

    #[test]
    fn there_is_no_total_that_the_value_has_passed() {
        let (mut progress, now) = progress();
        progress.passes(&of_server("3"), now);
        let ours = progress.beat(now + BEAT).unwrap();
        assert!(!ours.text().contains("total"));
    }

    #[test]
    fn values_at_the_limits_of_numbers_do_no_harm() {
        let (mut progress, now) = progress();
        for odd in ["1e999", "-1e308", "1.7976931348623157e308", "\"x\"", "null"] {
            progress.passes(&of_server(odd), now);
        }
        let ours = progress.beat(now + BEAT).unwrap();
        assert!(Json::parse(&ours.text()).is_ok(), "{ours:?}");
    }
}
