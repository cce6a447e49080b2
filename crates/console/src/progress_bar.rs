//! A bar on the terminal for work on many bytes.

use std::cell::RefCell;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};

/// Less is done before a bar would be visible.
const WORTH_A_BAR: u64 = 8 << 20;

/// The bar on stderr; does nothing unless that is a terminal.
#[derive(Debug, Default)]
pub struct ByteBar(RefCell<Option<ProgressBar>>);

impl ByteBar {
    /// Work on this many bytes begins.
    pub fn begin(&self, action: &'static str, bytes: u64) {
        if bytes < WORTH_A_BAR || !io::stderr().is_terminal() {
            return;
        }
        let template = "{msg} [{wide_bar}] {bytes}/{total_bytes}";
        let bar = ProgressBar::new(bytes).with_message(action);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        self.0.replace(Some(bar));
    }

    /// This many bytes are done; they may be more than announced.
    pub fn at(&self, bytes: u64) {
        if let Some(bar) = &*self.0.borrow() {
            if bar.length().is_some_and(|length| bytes > length) {
                bar.set_length(bytes);
            }
            bar.set_position(bytes);
        }
    }

    /// The work has ended; the bar is removed.
    pub fn end(&self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}
