//! What others wrote, made harmless for a terminal and for lines of ours.

use std::io::{self, Write};
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

/// A way to a terminal that cleans what takes it, however that is cut into pieces.
pub(crate) struct Cleaned<W> {
    out: W,
    /// The end of the last piece, if the next one decides what it is.
    held: Vec<u8>,
}

impl<W: Write> Cleaned<W> {
    pub(crate) fn new(out: W) -> Self {
        let held = Vec::new();
        Self { out, held }
    }

    pub(crate) fn inner(&self) -> &W {
        &self.out
    }

    /// There is no next piece.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.out
            .write_all(clean(&String::from_utf8_lossy(&held)).as_bytes())
    }
}

impl<W: Write> Write for Cleaned<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        self.held = all.split_off(all.len() - undecided(&all));
        let text = String::from_utf8_lossy(&all);
        self.out.write_all(clean(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// How many bytes at the end may belong to a character, or to an end of a line, that is not whole.
fn undecided(bytes: &[u8]) -> usize {
    if bytes.last() == Some(&b'\r') {
        return 1;
    }
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    let Some(lead) = tail.iter().rposition(|byte| *byte & 0xc0 != 0x80) else {
        return 0;
    };
    let begun = &tail[lead..];
    match std::str::from_utf8(begun) {
        // No error but that it ends.
        Err(e) if e.valid_up_to() == 0 && e.error_len().is_none() => begun.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_pieces(bytes: &[u8], of: usize) -> String {
        let mut cleaned = Cleaned::new(Vec::new());
        for piece in bytes.chunks(of) {
            cleaned.write_all(piece).unwrap();
        }
        cleaned.finish().unwrap();
        String::from_utf8(cleaned.out).unwrap()
    }

    #[test]
    fn it_does_not_matter_how_a_text_is_cut() {
        let text = "é\u{20ac}\u{1f600}a\r\nb\rc\x1b[31m\u{9b}5m\té\r";
        let mut bytes = text.as_bytes().to_vec();
        bytes.extend(b"\xff\xc3x\xe2\x82\n\xf0\x9f");
        let whole = clean(&String::from_utf8_lossy(&bytes));
        for of in 1..=bytes.len() {
            assert_eq!(in_pieces(&bytes, of), whole, "{of}");
        }
    }

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
