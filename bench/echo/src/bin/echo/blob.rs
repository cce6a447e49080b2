//! Large texts without work per call: one text is written at start, every `blob` result
//! is a prefix of it.

use std::sync::LazyLock;

/// Largest `size` that `blob` serves.
pub const MAX: usize = 16 * 1024 * 1024;

/// Bytes of one line of the text, its line feed included.
const LINE: usize = 80;
/// The same line as JSON: `\n` takes two bytes.
const LINE_JSON: usize = LINE + 1;

static TEXT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut line = vec![0u8; LINE - 1];
    for (i, byte) in line.iter_mut().enumerate() {
        *byte = b"abcdefghijklmnopqrstuvwxyz 0123456789 "[i % 38];
    }
    line.extend_from_slice(b"\\n");
    line.repeat(MAX / LINE + 1)
});

/// Writes the text now, so that the first call does not pay for it.
pub fn prepare() {
    LazyLock::force(&TEXT);
}

/// JSON-escaped text (without quotes) that decodes to exactly `size` bytes.
pub fn text(size: usize) -> Option<&'static [u8]> {
    // A cut never falls inside the escape: the rest of a line is at most LINE - 1 bytes.
    (size <= MAX).then(|| &TEXT[..size / LINE * LINE_JSON + size % LINE])
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
