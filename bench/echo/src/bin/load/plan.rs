//! How much is measured. Everything is limited twice, in count and in time, so that a slow or dead bridge cannot block
//! the run.

use std::time::Duration;

pub struct Plan {
    /// Start-ups: at most this many, at least three, new ones only within `start_limit`.
    pub starts: usize,
    pub start_limit: Duration,
    /// Pause before resident memory at rest is read.
    pub settle: Duration,
    /// Calls one at a time: first to warm up, then measured.
    pub warm: Bound,
    pub calls: Bound,
    /// Calls with `in_flight` at once: first to warm up, then measured.
    pub in_flight: usize,
    pub flood_warm: Bound,
    pub flood: Bound,
    /// Large results and arguments of each size.
    pub large: Bound,
    /// Sessions open at once.
    pub sessions: usize,
}

/// Ends when either limit is reached.
#[derive(Clone, Copy)]
pub struct Bound {
    pub count: usize,
    pub time: Duration,
}

const fn bound(count: usize, secs: u64) -> Bound {
    Bound {
        count,
        time: Duration::from_secs(secs),
    }
}

impl Plan {
    pub const fn full() -> Self {
        Self {
            starts: 15,
            start_limit: Duration::from_secs(5),
            settle: Duration::from_millis(1000),
            warm: bound(1000, 3),
            calls: bound(2000, 10),
            in_flight: 64,
            flood_warm: bound(2000, 2),
            // Long enough that clock ticks of CPU time (10 ms) do not matter.
            flood: bound(150_000, 4),
            large: bound(9, 15),
            sessions: 50,
        }
    }

    pub const fn quick() -> Self {
        Self {
            starts: 3,
            start_limit: Duration::from_secs(2),
            settle: Duration::from_millis(300),
            warm: bound(200, 1),
            calls: bound(500, 2),
            in_flight: 64,
            flood_warm: bound(500, 1),
            flood: bound(20_000, 2),
            large: bound(3, 5),
            sessions: 50,
        }
    }
}
