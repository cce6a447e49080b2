//! Stops a loop of sign-ins or token requests: a server that refuses every token would otherwise open a browser tab
//! per turn.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// The time that is looked at.
const WINDOW: Duration = Duration::from_secs(30);
/// How many sign-ins may begin in it.
const MOST_LOGINS: usize = 5;
/// How often tokens may be written in it.
const MOST_WRITES: usize = 20;

/// How long no person is asked after a sign-in that led to nothing: the first time, and at most. It doubles each time.
const PAUSE: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(3600));
/// After how long such sign-ins are forgotten.
const FORGOTTEN: Duration = Duration::from_secs(2 * 3600);

/// Sign-ins or token requests that go in circles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Storm {
    /// Sign-ins began and did not last.
    #[error("{count} sign-ins for one credential within {} s: no further one is started; check that the server accepts the tokens that it is sent (audience, scopes)", WINDOW.as_secs())]
    Logins {
        /// How many.
        count: usize,
    },
    /// Tokens were issued and not accepted.
    #[error("{count} new tokens for one credential within {} s: no further one is requested; check that the server accepts the tokens that it is sent (audience, scopes)", WINDOW.as_secs())]
    Tokens {
        /// How many.
        count: usize,
    },
}

/// When sign-ins began and tokens were written, of one credential.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Attempts {
    #[serde(default)]
    logins: Vec<Timestamp>,
    #[serde(default)]
    writes: Vec<Timestamp>,
    /// When a sign-in last led to nothing, unless another one has succeeded since.
    #[serde(default)]
    failed: Option<Timestamp>,
    /// How many sign-ins led to nothing, and when the last one did. A success does not end that: the server may refuse
    /// its tokens.
    #[serde(default)]
    in_vain: Option<(u32, Timestamp)>,
}

impl Attempts {
    /// Whether tokens may be requested.
    pub(super) fn check(&self, now: Timestamp) -> Result<(), Storm> {
        let count = recent(&self.writes, now).count();
        if count >= MOST_WRITES {
            return Err(Storm::Tokens { count });
        }
        Ok(())
    }

    /// Counts a sign-in, if one may begin.
    pub(super) fn begin_login(&mut self, now: Timestamp) -> Result<(), Storm> {
        self.check(now)?;
        let count = recent(&self.logins, now).count();
        if count >= MOST_LOGINS {
            return Err(Storm::Logins { count });
        }
        push(&mut self.logins, now, MOST_LOGINS);
        Ok(())
    }

    /// Counts tokens. They are never refused: the authorization server may have revoked the ones before them.
    pub(super) fn count_write(&mut self, now: Timestamp) {
        push(&mut self.writes, now, MOST_WRITES);
    }

    /// Notes a sign-in that led to nothing: a person refused or did not finish, or the server refused its tokens.
    /// Several processes may note the same one, so those of a pause count once.
    pub(super) fn fail_login(&mut self, now: Timestamp) {
        let known = self
            .in_vain
            .filter(|(_, last)| is_within(*last, now, FORGOTTEN));
        let before = known.map_or(0, |(count, _)| count);
        let more = u32::from(before == 0 || self.pause(now).is_none());
        self.in_vain = Some((before.saturating_add(more), now));
        self.failed = Some(now);
    }

    /// Notes a sign-in that led to tokens.
    pub(super) fn end_login(&mut self) {
        self.failed = None;
    }

    /// For how long no person is to be asked, unless they want it.
    pub(super) fn pause(&self, now: Timestamp) -> Option<Duration> {
        let failed = self.failed.filter(|at| *at <= now)?;
        let count = self.in_vain.map_or(1, |(count, _)| count);
        let (first, longest) = PAUSE;
        let doubled = 1_u32
            .checked_shl(count.saturating_sub(1))
            .unwrap_or(u32::MAX);
        let pause = first.saturating_mul(doubled).min(longest);
        let left = pause.saturating_sub(failed.until(now));
        (!left.is_zero()).then_some(left)
    }

    /// Whether a sign-in has failed since a moment.
    pub(super) fn has_failed(&self, since: Timestamp) -> bool {
        self.failed.is_some_and(|at| at > since)
    }

    /// Whether nothing of it matters any more.
    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        let times = [&self.logins, &self.writes];
        let is_recent = |(_, last): (u32, Timestamp)| is_within(last, now, FORGOTTEN);
        !self.in_vain.is_some_and(is_recent)
            && times
                .iter()
                .all(|times| recent(times, now).next().is_none())
    }
}

/// Times within the window. Later ones than now are of a clock that was set back, and would block for too long.
fn recent(times: &[Timestamp], now: Timestamp) -> impl Iterator<Item = Timestamp> {
    let is_recent = move |time: &Timestamp| is_within(*time, now, WINDOW);
    times.iter().copied().filter(is_recent)
}

fn is_within(time: Timestamp, now: Timestamp, window: Duration) -> bool {
    time <= now && time.until(now) < window
}

fn push(times: &mut Vec<Timestamp>, now: Timestamp, most: usize) {
    let mut kept: Vec<Timestamp> = recent(times, now).collect();
    kept.push(now);
    let surplus = kept.len().saturating_sub(most);
    kept.drain(..surplus);
    *times = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sixth_sign_in_within_thirty_seconds_is_refused() {
        let mut attempts = Attempts::default();
        for second in 0..5 {
            attempts.begin_login(Timestamp(1000 + second)).unwrap();
        }
        let refused = attempts.begin_login(Timestamp(1029));
        assert_eq!(refused, Err(Storm::Logins { count: 5 }));
        // The first one is out of the window.
        assert_eq!(attempts.begin_login(Timestamp(1030)), Ok(()));
    }

    #[test]
    fn tokens_are_not_requested_after_twenty_writes_within_thirty_seconds() {
        let mut attempts = Attempts::default();
        for second in 0..20 {
            attempts.check(Timestamp(1000 + second)).unwrap();
            attempts.count_write(Timestamp(1000 + second));
        }
        let refused = Err(Storm::Tokens { count: 20 });
        assert_eq!(attempts.check(Timestamp(1029)), refused);
        assert_eq!(attempts.begin_login(Timestamp(1029)), refused);
        assert_eq!(attempts.check(Timestamp(1030)), Ok(()));
    }

    #[test]
    fn tokens_of_five_seconds_are_no_storm() {
        let mut attempts = Attempts::default();
        for turn in 0..1000 {
            let now = Timestamp(1000 + 4 * turn);
            attempts.check(now).unwrap();
            attempts.count_write(now);
        }
        assert!(attempts.writes.len() <= MOST_WRITES);
    }

    #[test]
    fn a_person_who_declined_is_not_asked_for_a_time_that_grows() {
        let seconds =
            |attempts: &Attempts, now| attempts.pause(Timestamp(now)).map(|it| it.as_secs());
        let mut attempts = Attempts::default();
        assert_eq!(seconds(&attempts, 1000), None);
        attempts.fail_login(Timestamp(1000));
        // Another process notes the same.
        attempts.fail_login(Timestamp(1000));
        assert_eq!(seconds(&attempts, 1000), Some(60));
        assert_eq!(seconds(&attempts, 1059), Some(1));
        assert_eq!(seconds(&attempts, 1060), None);
        attempts.fail_login(Timestamp(1060));
        assert_eq!(seconds(&attempts, 1060), Some(120));
        for _ in 0..100 {
            let now = attempts.failed.unwrap().after(Duration::from_secs(3600));
            attempts.fail_login(now);
        }
        let last = attempts.failed.unwrap().0;
        assert_eq!(seconds(&attempts, last), Some(3600), "at most");
        assert_eq!(seconds(&attempts, last - 1), None, "the clock was set back");
        assert!(!attempts.is_over(Timestamp(last + 7199)));
        assert!(attempts.is_over(Timestamp(last + 7200)));
        attempts.fail_login(Timestamp(last + 7200));
        assert_eq!(seconds(&attempts, last + 7200), Some(60), "forgotten");
    }

    #[test]
    fn a_sign_in_ends_the_pause_and_not_its_growth() {
        let mut attempts = Attempts::default();
        attempts.fail_login(Timestamp(1000));
        attempts.end_login();
        assert_eq!(attempts.pause(Timestamp(1000)), None);
        // The server refuses the tokens.
        attempts.fail_login(Timestamp(1000));
        assert_eq!(
            attempts.pause(Timestamp(1000)),
            Some(Duration::from_secs(120))
        );
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_block() {
        let mut attempts = Attempts::default();
        for _ in 0..5 {
            attempts.begin_login(Timestamp(9000)).unwrap();
        }
        assert_eq!(attempts.begin_login(Timestamp(1000)), Ok(()));
        assert!(!attempts.is_over(Timestamp(1001)));
        assert!(attempts.is_over(Timestamp(1031)));
    }
}
