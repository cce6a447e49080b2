//! Text for a terminal, without control characters.

use std::io::{self, Write};

use linkspan_wire::replace_unprintable;

/// Replaces control characters in text for a terminal, however it is split into writes.
pub struct Cleaned<W> {
    out: W,
    /// The end of the last write, which may be an incomplete character or line end.
    held: Vec<u8>,
}

impl<W: Write> Cleaned<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        let held = Vec::new();
        Self { out, held }
    }

    pub(crate) fn inner(&self) -> &W {
        &self.out
    }

    /// Writes the rest of the text.
    pub fn finish(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        let text = String::from_utf8_lossy(&held);
        self.out.write_all(replace_unprintable(&text).as_bytes())
    }
}

impl<W: Write> Write for Cleaned<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        self.held = all.split_off(all.len() - undecided(&all));
        let text = String::from_utf8_lossy(&all);
        self.out.write_all(replace_unprintable(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The number of bytes at the end that may belong to an incomplete character or line end.
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
        // The character is only incomplete.
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
    fn the_result_does_not_depend_on_the_size_of_writes() {
        let text = "é\u{20ac}\u{1f600}a\r\nb\rc\x1b[31m\u{9b}5m\té\r";
        let mut bytes = text.as_bytes().to_vec();
        bytes.extend(b"\xff\xc3x\xe2\x82\n\xf0\x9f");
        let whole = replace_unprintable(&String::from_utf8_lossy(&bytes));
        for of in 1..=bytes.len() {
            assert_eq!(in_pieces(&bytes, of), whole, "{of}");
        }
    }
}
