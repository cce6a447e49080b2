//! What the user sees while the client waits.

use std::time::Duration;

/// How often [`Observer::tick`] is called during a wait.
pub const TICK: Duration = Duration::from_millis(500);

/// Shows what the client waits for.
pub trait Observer: Send {
    /// Whether progress is shown; if not, the server is not asked for it.
    fn shows_progress(&self) -> bool;
    /// A wait begins. `what` completes "waiting for …".
    fn begin(&mut self, what: String);
    /// The server reports progress.
    fn progress(&mut self, text: &str);
    /// The wait continues.
    fn tick(&mut self);
    /// The wait has ended, or other output follows.
    fn clear(&mut self);
    /// Whether the user is signing in, so that the server's timeout does not run.
    fn waits_for_person(&self) -> bool {
        false
    }
    /// The server made a mistake that the client can tolerate.
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
