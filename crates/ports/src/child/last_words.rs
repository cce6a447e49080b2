//! The stderr lines of a child that may explain why it exited.
//!
//! The last lines are often not the useful ones: a panic is followed by its backtrace and by the messages of the
//! launcher. So lines that look like the beginning of an error, and those that follow them, are kept when newer lines
//! push them out of the tail.

use std::collections::VecDeque;

use linkspan_wire::escape_block;

/// Limits of the tail.
const TAIL: Room = Room {
    lines: 20,
    bytes: 4096,
};
/// Limits of the error lines before the tail.
const TELLING: Room = Room {
    lines: 8,
    bytes: 2048,
};
/// Bytes that are kept of a line: most of a panic's message, but not a whole minified script.
const LINE: usize = 512;
/// Lines after the beginning of an error that belong to it: Rust prints the message in the second one.
const BEHIND: u8 = 2;

/// Marks omitted lines.
const GAP: &str = "…";

/// Bounded in lines and in bytes.
#[derive(Debug, Default)]
pub(super) struct LastWords {
    telling: Kept,
    tail: Kept,
    /// How many of the next lines belong to the last error.
    behind: u8,
    /// Whether lines were omitted between the two.
    gap: bool,
}

#[derive(Clone, Copy)]
struct Room {
    lines: usize,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<Heard>,
    bytes: usize,
}

#[derive(Debug)]
struct Heard {
    text: String,
    telling: bool,
}

impl LastWords {
    /// Adds a line. It is escaped, because it ends up in our error messages.
    pub(super) fn push(&mut self, line: &str) {
        let line = &*escape_block(line, "");
        let telling = self.tells(line);
        self.tail.push(Heard {
            text: clipped(line),
            telling,
        });
        while let Some(old) = self.tail.overflow(TAIL) {
            // Omitted lines leave a gap.
            self.gap |= !old.telling;
            if old.telling {
                if std::mem::take(&mut self.gap) && !self.telling.lines.is_empty() {
                    self.telling.push(gap());
                }
                self.telling.push(old);
            }
            while self.telling.overflow(TELLING).is_some() {}
        }
    }

    /// All kept lines, in order.
    pub(super) fn text(&self) -> String {
        let telling = self.telling.lines.iter().map(|heard| &*heard.text);
        let gap = (self.gap && !self.telling.lines.is_empty()).then_some(GAP);
        let tail = self.tail.lines.iter().map(|heard| &*heard.text);
        let all: Vec<&str> = telling.chain(gap).chain(tail).collect();
        all.join("\n")
    }

    fn tells(&mut self, line: &str) -> bool {
        if begins_trouble(line) {
            self.behind = BEHIND;
            return true;
        }
        if self.behind > 0 && !is_frame(line) {
            self.behind -= 1;
            return true;
        }
        self.behind = 0;
        false
    }
}

impl Kept {
    fn push(&mut self, heard: Heard) {
        self.bytes += heard.text.len();
        self.lines.push_back(heard);
    }

    /// Removes the oldest line if the limit is exceeded.
    fn overflow(&mut self, room: Room) -> Option<Heard> {
        if self.lines.len() <= room.lines && self.bytes <= room.bytes {
            return None;
        }
        let old = self.lines.pop_front()?;
        self.bytes -= old.text.len();
        Some(old)
    }
}

fn gap() -> Heard {
    Heard {
        text: GAP.to_owned(),
        telling: false,
    }
}

/// Whether a line looks like an error message of one of the usual languages.
fn begins_trouble(line: &str) -> bool {
    if line.starts_with([' ', '\t']) {
        // Names in stack frames contain words like `error` too.
        return false;
    }
    let is_word = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let word = word.to_ascii_lowercase();
        word.ends_with("error")
            || word.ends_with("exception")
            || matches!(
                &*word,
                "err" | "fatal" | "panic" | "traceback" | "uncaught" | "unhandled"
            )
    };
    // `TypeError: …`, `java.lang.IllegalStateException: …`, `panic: …`, `npm ERR! …`, and a log level behind a time.
    line.contains(" panicked at ") || line.split_ascii_whitespace().take(4).any(is_word)
}

fn is_frame(line: &str) -> bool {
    line.starts_with([' ', '\t']) || line.starts_with("stack backtrace:")
}

fn clipped(line: &str) -> String {
    if line.len() <= LINE {
        line.to_owned()
    } else {
        format!("{}{GAP}", &line[..line.floor_char_boundary(LINE)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(lines: impl IntoIterator<Item = String>) -> String {
        let mut words = LastWords::default();
        for line in lines {
            words.push(&line);
        }
        words.text()
    }

    fn owned(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    fn chatter(count: usize) -> impl Iterator<Item = String> {
        (0..count).map(|n| format!("listening on {n}"))
    }

    #[test]
    fn a_few_words_are_kept_as_they_are() {
        let said = owned(&["starting", "Error: no key", "    at main (x.js:1:1)"]);
        assert_eq!(after(said.clone()), said.join("\n"));
    }

    #[test]
    fn a_line_cannot_pass_for_one_of_ours() {
        let text = after(owned(&[
            "a\rerror: forged\u{2028}b\u{1b}[2K\u{202e}",
            "\tat main",
        ]));
        assert_eq!(
            text,
            "a\\rerror: forged\\u{2028}b\\u{1b}[2K\\u{202e}\n\tat main"
        );
    }

    #[test]
    fn a_panic_keeps_its_message_though_its_backtrace_is_long() {
        let panic = owned(&[
            "thread 'main' (7) panicked at src/main.rs:5:9:",
            "the quay is closed",
            "stack backtrace:",
        ]);
        let frame = |n| {
            let name = format!("  {n:2}: core::error::panicking::frame");
            [
                name,
                "             at /rustc/library/std/src/panicking.rs".to_owned(),
            ]
        };
        let all = chatter(5).chain(panic).chain((0..80).flat_map(frame));
        let all = all.chain(owned(&["note: Some details are omitted"]));
        let text = after(all);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..3],
            [
                "thread 'main' (7) panicked at src/main.rs:5:9:",
                "the quay is closed",
                GAP
            ]
        );
        assert_eq!(lines.last(), Some(&"note: Some details are omitted"));
        assert_eq!(lines.len(), 3 + TAIL.lines);
    }

    #[test]
    fn the_trouble_of_other_languages_is_known_too() {
        for line in [
            "Traceback (most recent call last):",
            "TypeError: x is not a function",
            "Uncaught Error: no such module",
            "Exception in thread \"main\" java.lang.IllegalStateException: closed",
            "panic: runtime error: index out of range",
            "fatal: not a git repository",
            "error: script \"start\" exited with code 1",
            "npm ERR! missing script: start",
            "2026-11-15T20:00:00Z ERROR agent: cannot bind",
            "[error] cannot bind",
        ] {
            let text = after(owned(&[line]).into_iter().chain(chatter(100)));
            assert!(text.starts_with(line), "{line}: {text}");
        }
        for line in [
            "ready",
            "    at Error.captureStackTrace",
            "no errors so far",
        ] {
            let text = after(owned(&[line]).into_iter().chain(chatter(100)));
            assert!(!text.contains(line), "{line}: {text}");
        }
    }

    #[test]
    fn of_many_troubles_the_last_ones_are_kept() {
        let retry = |n| [format!("Error: try {n} failed"), "  at once".to_owned()];
        let text = after((0..1000).flat_map(retry).chain(chatter(100)));
        assert!(
            text.contains("try 999") && !text.contains("try 900"),
            "{text}"
        );
        assert!(
            text.lines().count() <= TELLING.lines + 1 + TAIL.lines,
            "{text}"
        );
    }

    #[test]
    fn the_last_lines_are_bounded_in_size() {
        for fill in [
            "x".repeat(8000),
            "Error: é".repeat(1000),
            "Error: x".to_owned(),
        ] {
            let text = after((0..500).map(|_| fill.clone()));
            assert!(
                text.len() <= TAIL.bytes + TELLING.bytes + 200,
                "{}",
                text.len()
            );
            assert!(!text.is_empty());
        }
    }
}
