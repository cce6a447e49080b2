//! A bar for work that takes a while, on a terminal only.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use linkspan_bcp::Source;

/// A file below this is done before anybody has seen a bar.
const WORTH_A_BAR: u64 = 8 << 20;

/// How far the work is.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// For reading a file.
    pub(crate) fn new(what: &'static str, source: &Source) -> Self {
        Self::of(what, source.length().unwrap_or_default())
    }

    /// For so many bytes.
    pub(crate) fn of(what: &'static str, bytes: u64) -> Self {
        if bytes < WORTH_A_BAR || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let template = "{msg} [{wide_bar}] {bytes}/{total_bytes}";
        let bar = ProgressBar::new(bytes).with_message(what);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self(Some(bar))
    }

    /// So many bytes are done. More than there should be, where they were compressed.
    pub(crate) fn at(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            if bar.length().is_some_and(|length| bytes > length) {
                bar.set_length(bytes);
            }
            bar.set_position(bytes);
        }
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
