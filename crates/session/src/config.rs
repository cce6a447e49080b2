//! The numbers that bound a session.

use std::time::Duration;

/// The limits of a session. Each of them ends a wait or caps a queue.
#[derive(Debug, Clone)]
pub struct Config {
    /// How long a call may go without a sign of life; `None` waits for ever.
    pub timeout: Option<Duration>,
    /// How long a client may think about a question of the server; its call does not run out meanwhile.
    pub question: Duration,
    /// How long answers in flight may still arrive after the front has closed.
    pub drain: Duration,
    /// How long a port may take to close its connection.
    pub close_timeout: Duration,
    /// Requests that one side may have in flight.
    pub max_in_flight: usize,
    /// Bytes towards a peer above which its counterpart is not read.
    pub high_water: usize,
    /// Bytes towards a peer above which new requests are refused.
    pub hard_cap: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            timeout: Some(Duration::from_secs(3600)),
            question: Duration::from_secs(3600),
            drain: Duration::from_secs(1),
            close_timeout: Duration::from_secs(3),
            max_in_flight: 4096,
            high_water: 1 << 20,
            hard_cap: 16 << 20,
        }
    }
}
