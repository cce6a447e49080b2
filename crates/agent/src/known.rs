//! What has been seen of an agent, by all connections together: which tools make sense.

use std::sync::{Mutex, PoisonError};

use linkspan_acp::client::Hello;

/// What one knows of the agent, if it has ever been started.
#[derive(Default)]
pub(crate) struct Known(Mutex<Option<Seen>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Whether it takes up stored sessions.
    pub(crate) loads: bool,
    /// Whether one can log in.
    pub(crate) logs_in: bool,
    /// Whether a session had modes; `None` if there was none yet.
    pub(crate) modes: Option<bool>,
    /// The same of other things that one can choose.
    pub(crate) options: Option<bool>,
}

impl Known {
    pub(crate) fn get(&self) -> Option<Seen> {
        *self.lock()
    }

    pub(crate) fn learn(&self, hello: &Hello) {
        let mut seen = self.lock();
        *seen = Some(Seen {
            loads: hello.load || hello.resume,
            logs_in: !hello.auth.is_empty(),
            modes: seen.and_then(|seen| seen.modes),
            options: seen.and_then(|seen| seen.options),
        });
    }

    pub(crate) fn learn_session(&self, has_modes: bool, has_options: bool) {
        if let Some(seen) = &mut *self.lock() {
            seen.modes = Some(has_modes || seen.modes == Some(true));
            seen.options = Some(has_options || seen.options == Some(true));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
