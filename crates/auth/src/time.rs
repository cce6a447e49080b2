//! Points in time that survive a restart.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Seconds since 1970, as JWTs and token lifetimes count them. Machines get the current time from their caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// This moment by the system's clock.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self(since.map_or(0, |since| since.as_secs()))
    }

    /// The time in the `Date` of an HTTP message.
    pub fn of_http_date(text: &str) -> Option<Self> {
        let time = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
        u64::try_from(time.as_second()).ok().map(Self)
    }

    /// This much later.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        Self(self.0.saturating_add(time.as_secs()))
    }

    /// How long until `later`; zero if that is past.
    pub fn until(self, later: Self) -> Duration {
        Duration::from_secs(later.0.saturating_sub(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_of_a_message_is_a_time() {
        let read = Timestamp::of_http_date("Thu, 19 Nov 2026 04:30:00 GMT");
        assert_eq!(read, Some(Timestamp(1_795_062_600)));
        assert_eq!(Timestamp::of_http_date("yesterday"), None);
    }
}
