//! What others wrote, made harmless for a terminal and for lines of ours.

use std::path::Path;

use linkspan_wire::{escape_block, escape_line, replace_unprintable};

/// A text of a peer without the characters that would drive a terminal.
pub(crate) fn clean(words: &str) -> String {
    replace_unprintable(words)
}

/// A name that can neither end a line nor drive a terminal nor hide a part of itself.
pub(crate) fn on_one_line(name: &str) -> String {
    escape_line(name).into_owned()
}

/// What a line of ours ends with if it may have several lines: the further ones are indented, so that
/// they cannot pass for lines of ours.
pub(crate) fn indented(words: &str, indent: &str) -> String {
    escape_block(words, indent).into_owned()
}

/// A path as a message names it.
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
