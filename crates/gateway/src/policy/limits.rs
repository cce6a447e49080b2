//! How often requests pass: a token bucket for each rule and sender.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::sender::{Sender, SenderId};

/// Buckets that are kept.
const MOST_BUCKETS: usize = 10_000;

/// How often requests pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// The time between two requests in the long run.
    every: Duration,
    /// How many requests pass at once.
    burst: u32,
}

impl Rate {
    /// `count` requests in each `period`, and at most `burst` at once; both at least 1.
    pub fn new(count: u32, period: Duration, burst: u32) -> Self {
        Self {
            every: period / count.max(1),
            burst: burst.max(1),
        }
    }
}

/// The buckets. A bucket is the time at which it is full again; one that is full is not kept.
#[derive(Debug, Default)]
pub struct Limits {
    buckets: HashMap<(usize, SenderId), Instant>,
}

impl Limits {
    /// Takes a token from the bucket of a sender and the rule with this number.
    ///
    /// # Errors
    /// How long it takes until there is one.
    pub fn take(
        &mut self,
        sender: &Sender,
        rule: usize,
        rate: Rate,
        now: Instant,
    ) -> Result<(), Duration> {
        let key = (rule, sender.id());
        let full = self.buckets.get(&key).copied().unwrap_or(now).max(now);
        let missing = full.duration_since(now);
        let most = rate.every.saturating_mul(rate.burst - 1);
        if missing > most {
            return Err(missing - most);
        }
        let Some(full) = full.checked_add(rate.every) else {
            return Err(rate.every);
        };
        if self.buckets.len() >= MOST_BUCKETS && !self.buckets.contains_key(&key) {
            self.make_room(now);
        }
        self.buckets.insert(key, full);
        Ok(())
    }

    /// Puts a token back that was taken for a request which has only led to a question.
    pub fn give_back(&mut self, sender: &Sender, rule: usize, rate: Rate) {
        if let Some(full) = self.buckets.get_mut(&(rule, sender.id())) {
            *full = full.checked_sub(rate.every).unwrap_or(*full);
        }
    }

    /// Forgets full buckets; if all are in use, the eighth of them that will be full first.
    fn make_room(&mut self, now: Instant) {
        self.buckets.retain(|_, full| *full > now);
        if self.buckets.len() < MOST_BUCKETS {
            return;
        }
        let mut times: Vec<Instant> = self.buckets.values().copied().collect();
        let (_, limit, _) = times.select_nth_unstable(MOST_BUCKETS / 8);
        self.buckets.retain(|_, full| *full > *limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn sender(n: usize) -> Sender {
        Sender::Verified {
            id: n.to_be_bytes().into(),
            key: None,
            claims: Vec::new(),
            views: Vec::new(),
        }
    }

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let (mut limits, start) = (Limits::default(), Instant::now());
        let rate = Rate::new(6, MINUTE, 2);
        let mut take = |seconds| {
            limits.take(
                &Sender::Local,
                1,
                rate,
                start + Duration::from_secs(seconds),
            )
        };
        assert_eq!((take(0), take(0)), (Ok(()), Ok(())));
        assert_eq!(take(0), Err(Duration::from_secs(10)));
        assert_eq!(take(9), Err(Duration::from_secs(1)));
        assert_eq!(take(10), Ok(()));
        assert_eq!(take(10), Err(Duration::from_secs(10)));
        assert_eq!((take(100), take(100)), (Ok(()), Ok(())));
        assert!(take(100).is_err());
    }

    #[test]
    fn a_token_that_is_given_back_can_be_taken_again() {
        let (mut limits, now) = (Limits::default(), Instant::now());
        let rate = Rate::new(1, MINUTE, 1);
        for _ in 0..3 {
            assert_eq!(limits.take(&Sender::Local, 1, rate, now), Ok(()));
            limits.give_back(&Sender::Local, 1, rate);
        }
        assert_eq!(limits.take(&Sender::Local, 1, rate, now), Ok(()));
        limits.give_back(&Sender::Local, 2, rate);
        assert_eq!(limits.take(&Sender::Local, 1, rate, now), Err(MINUTE));
    }

    #[test]
    fn senders_and_rules_have_their_own_buckets() {
        let (mut limits, now) = (Limits::default(), Instant::now());
        let rate = Rate::new(1, MINUTE, 1);
        assert_eq!(limits.take(&sender(1), 1, rate, now), Ok(()));
        assert_eq!(limits.take(&sender(2), 1, rate, now), Ok(()));
        assert_eq!(limits.take(&sender(1), 2, rate, now), Ok(()));
        assert!(limits.take(&sender(1), 1, rate, now).is_err());
    }

    #[test]
    fn a_sender_with_a_new_token_keeps_its_bucket() {
        let (mut limits, now) = (Limits::default(), Instant::now());
        let rate = Rate::new(1, MINUTE, 1);
        assert_eq!(limits.take(&sender(1), 1, rate, now), Ok(()));
        let mut renewed = sender(1);
        if let Sender::Verified { claims, .. } = &mut renewed {
            claims.push(("exp".to_owned(), "2".to_owned()));
        }
        assert!(limits.take(&renewed, 1, rate, now).is_err());
    }

    #[test]
    fn buckets_are_bounded_and_those_in_use_stay() {
        let (mut limits, now) = (Limits::default(), Instant::now());
        let (slow, fast) = (Rate::new(1, MINUTE, 1), Rate::new(60, MINUTE, 1));
        limits.take(&Sender::Local, 1, slow, now).unwrap();
        for n in 0..3 * MOST_BUCKETS {
            limits.take(&sender(n), 1, fast, now).unwrap();
            assert!(limits.buckets.len() <= MOST_BUCKETS);
        }
        assert!(limits.take(&Sender::Local, 1, slow, now).is_err());
        limits.take(&sender(0), 2, fast, now + 2 * MINUTE).unwrap();
    }
}
