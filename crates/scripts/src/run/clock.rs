//! The time limit of a program.

use std::time::Duration;

use tokio::time::Instant;

use crate::folder::RunSettings;

/// The remaining time of a program.
pub(crate) struct Clock {
    began: Instant,
    limit: Duration,
    extends: bool,
    most: Duration,
    pub(crate) grace: Duration,
    deadline: Instant,
    stopped: Option<Instant>,
}

impl Clock {
    pub(crate) fn new(run: &RunSettings, limit: Option<Duration>) -> Self {
        let began = Instant::now();
        let limit = limit.unwrap_or(run.timeout);
        Self {
            began,
            limit,
            extends: run.progress_extends,
            most: run.max_timeout.max(limit),
            grace: run.grace,
            deadline: began + limit,
            stopped: None,
        }
    }

    pub(crate) fn deadline(&self) -> Instant {
        match self.stopped {
            // A client may answer slowly, but not without limit.
            Some(_) => (self.began + self.most).max(self.deadline),
            None => self.deadline,
        }
    }

    /// The time that was allowed, for messages.
    pub(crate) fn allowed(&self) -> Duration {
        if self.extends || self.stopped.is_some() {
            Instant::now().duration_since(self.began).min(self.most)
        } else {
            self.limit
        }
    }

    pub(crate) fn sign_of_life(&mut self) {
        if self.extends {
            let later = Instant::now() + self.limit;
            self.deadline = later.min(self.began + self.most).max(self.deadline);
        }
    }

    /// Stops the clock while the client answers a question.
    pub(crate) fn stop(&mut self) {
        self.stopped.get_or_insert_with(Instant::now);
    }

    pub(crate) fn go_on(&mut self) {
        if let Some(since) = self.stopped.take() {
            self.deadline += since.elapsed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{advance, sleep};

    const SECOND: Duration = Duration::from_secs(1);

    fn settings(extends: bool) -> RunSettings {
        RunSettings {
            timeout: 10 * SECOND,
            progress_extends: extends,
            max_timeout: 25 * SECOND,
            ..RunSettings::default()
        }
    }

    fn left(clock: &Clock) -> u64 {
        let left = clock.deadline().duration_since(Instant::now());
        (left.as_millis() as u64).div_ceil(1000)
    }

    #[tokio::test(start_paused = true)]
    async fn progress_extends_the_deadline_up_to_the_maximum() {
        let (mut fixed, mut lively) = (
            Clock::new(&settings(false), None),
            Clock::new(&settings(true), None),
        );
        advance(9 * SECOND).await;
        fixed.sign_of_life();
        lively.sign_of_life();
        assert_eq!((left(&fixed), left(&lively)), (1, 10));
        advance(9 * SECOND).await;
        lively.sign_of_life();
        assert_eq!(left(&lively), 7);
    }

    #[tokio::test(start_paused = true)]
    async fn the_clock_stops_while_the_client_answers() {
        let mut clock = Clock::new(&settings(false), None);
        sleep(4 * SECOND).await;
        clock.stop();
        assert_eq!(left(&clock), 21);
        sleep(15 * SECOND).await;
        clock.go_on();
        assert_eq!(left(&clock), 6);
    }
}
