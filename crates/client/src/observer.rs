//! What a person sees while the client waits.

use std::time::Duration;

/// How often [`Observer::tick`] is called during a wait.
pub const TICK: Duration = Duration::from_millis(500);

/// Sees what the client waits for.
pub trait Observer: Send {
    /// Whether progress is shown; without that the server is not asked for it.
    fn shows_progress(&self) -> bool;
    /// A wait begins. `what` completes "waiting for …".
    fn begin(&mut self, what: String);
    /// The server reports progress.
    fn progress(&mut self, text: &str);
    /// The wait goes on.
    fn tick(&mut self);
    /// The wait is over, or something else is printed.
    fn clear(&mut self);
    /// Whether a person is signing in, so that the wait says nothing about the server.
    fn waits_for_person(&self) -> bool {
        false
    }
    /// The server did something wrong that is no reason to stop.
    fn warn(&mut self, text: &str);
}

/// Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn shows_progress(&self) -> bool {
        false
    }

    fn begin(&mut self, _what: String) {}

    fn progress(&mut self, _text: &str) {}

    fn tick(&mut self) {}

    fn clear(&mut self) {}

    fn warn(&mut self, _text: &str) {}
}
