//! Text of peers without the characters that control a terminal or begin a line.

use std::path::Path;

use linkspan_wire::{escape_block, escape_line, replace_unprintable};

/// A text of a peer without control characters.
pub(crate) fn clean(words: &str) -> String {
    replace_unprintable(words)
}

/// A name on one line, without control characters and invisible characters.
pub(crate) fn on_one_line(name: &str) -> String {
    escape_line(name).into_owned()
}

/// A text of several lines for the end of a message: further lines are indented, so that they do not look like messages
/// of this program.
pub(crate) fn indented(words: &str, indent: &str) -> String {
    escape_block(words, indent).into_owned()
}

/// A path for a message.
pub(crate) fn path(path: &Path) -> String {
    on_one_line(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_may_end_as_on_windows_but_cannot_be_written_over() {
        assert_eq!(clean("a\r\nb\r\n"), "a\r\nb\r\n");
        assert_eq!(clean("a\rb\r"), "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(on_one_line("a\nb\x1b é"), "a\\nb\\u{1b} é");
    }
}
