//! Settings of the reader server.

use std::time::Duration;

use linkspan_bcp::render::Mode;

/// Settings of the reader server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The mode of a call that does not name one.
    pub mode: Mode,
    /// How long a call may take.
    pub limit: Option<Duration>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: Mode::Xml,
            limit: Some(Duration::from_secs(30)),
        }
    }
}
