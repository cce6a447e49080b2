//! The features of an agent, shared by all connections. They determine the listed tools.

use linkspan_acp::client::Hello;
use parking_lot::Mutex;

/// The features of the agent; `None` until it has been started once.
#[derive(Default)]
pub(crate) struct KnownFeatures(Mutex<Option<Features>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Features {
    /// Whether it loads or resumes stored sessions.
    pub(crate) can_load: bool,
    /// Whether it has login methods.
    pub(crate) can_authenticate: bool,
    /// Whether a session had modes; `None` before the first session.
    pub(crate) modes: Option<bool>,
    /// Whether a session had configuration options; `None` before the first session.
    pub(crate) options: Option<bool>,
}

impl KnownFeatures {
    pub(crate) fn get(&self) -> Option<Features> {
        *self.0.lock()
    }

    pub(crate) fn learn(&self, hello: &Hello) {
        let mut features = self.0.lock();
        *features = Some(Features {
            can_load: hello.load || hello.resume,
            can_authenticate: !hello.auth.is_empty(),
            modes: features.and_then(|known| known.modes),
            options: features.and_then(|known| known.options),
        });
    }

    pub(crate) fn learn_session(&self, has_modes: bool, has_options: bool) {
        if let Some(features) = &mut *self.0.lock() {
            features.modes = Some(has_modes || features.modes == Some(true));
            features.options = Some(has_options || features.options == Some(true));
        }
    }
}
