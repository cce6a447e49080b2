//! Large texts without work per call: every `blob` result is a prefix of one text, which is
//! written when it is first needed, and only as far as that.

use std::sync::{Mutex, PoisonError};

/// Largest `size` that `blob` serves.
pub const MAX: usize = 16 * 1024 * 1024;

/// Bytes of one line of the text, its line feed included.
const LINE: usize = 80;
/// The same line as JSON: `\n` takes two bytes.
const LINE_JSON: usize = LINE + 1;

/// The text so far. A shorter one is leaked for its readers: there are few.
static TEXT: Mutex<&[u8]> = Mutex::new(b"");

/// Writes the whole text now, so that the first call does not pay for it.
pub fn prepare() {
    text(MAX);
}

/// JSON-escaped text (without quotes) that decodes to exactly `size` bytes.
pub fn text(size: usize) -> Option<&'static [u8]> {
    if size > MAX {
        return None;
    }
    // A cut never falls inside the escape: the rest of a line is at most LINE - 1 bytes.
    let length = size / LINE * LINE_JSON + size % LINE;
    let mut text = TEXT.lock().unwrap_or_else(PoisonError::into_inner);
    if text.len() < length {
        *text = line().repeat(length / LINE_JSON + 1).leak();
    }
    Some(&text[..length])
}

fn line() -> Vec<u8> {
    let letters = b"abcdefghijklmnopqrstuvwxyz 0123456789 ".iter().cycle();
    letters.take(LINE - 1).chain(b"\\n").copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_to_the_size_asked_for() {
        for size in [0, 1, 79, 80, 81, 1_000_000, MAX] {
            let text = text(size).unwrap_or_default();
            let escapes = text.iter().filter(|b| **b == b'\\').count();
            assert_eq!(text.len() - escapes, size);
            assert_ne!(text.last(), Some(&b'\\'));
        }
        assert!(text(MAX + 1).is_none());
    }
}
