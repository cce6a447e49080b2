//! Settings of the BCP server.

use std::time::Duration;

use linkspan_bcp::render::Mode;

/// Settings of the BCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The mode of a call without one.
    pub mode: Mode,
    /// The time limit of a call.
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
