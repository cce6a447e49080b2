//! A progress bar, on a terminal only.

use linkspan_bcp_tools::Progress;
use linkspan_console::ByteBar;

/// A bar on stderr.
#[derive(Default)]
pub(super) struct Bar(ByteBar);

impl Progress for Bar {
    fn begin(&self, action: &'static str, bytes: u64) {
        self.0.begin(action, bytes);
    }

    fn at(&self, bytes: u64) {
        self.0.at(bytes);
    }

    fn end(&self) {
        self.0.end();
    }
}
