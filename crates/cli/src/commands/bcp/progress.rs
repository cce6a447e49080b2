//! A progress bar, on a terminal only.

use std::cell::RefCell;
use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use linkspan_bcp_tools::Progress;

/// Smaller files are done before a bar would be visible.
const WORTH_A_BAR: u64 = 8 << 20;

/// A bar on stderr.
#[derive(Default)]
pub(super) struct Bar(RefCell<Option<ProgressBar>>);

impl Progress for Bar {
    fn begin(&self, action: &'static str, bytes: u64) {
        if bytes < WORTH_A_BAR || !std::io::stderr().is_terminal() {
            return;
        }
        let template = "{msg} [{wide_bar}] {bytes}/{total_bytes}";
        let bar = ProgressBar::new(bytes).with_message(action);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        self.0.replace(Some(bar));
    }

    fn at(&self, bytes: u64) {
        if let Some(bar) = &*self.0.borrow() {
            if bar.length().is_some_and(|length| bytes > length) {
                bar.set_length(bytes);
            }
            bar.set_position(bytes);
        }
    }

    fn end(&self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}
