//! Newline-delimited JSON, as spoken on stdio.

use bytes::{Buf, Bytes, BytesMut};
use memchr::{memchr, memchr2};

use crate::clipped::Clipped;
use crate::error::WireError;
use crate::limits::Limits;

/// Cuts a byte stream into lines, in time linear in its length.
#[derive(Debug)]
pub struct Lines {
    buf: BytesMut,
    /// The length of the prefix of `buf` that has no newline.
    searched: usize,
    /// Set while the rest of a line that is too long runs past.
    skipping: Option<Clipped>,
    limits: Limits,
}

/// What [`Lines::next`] finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A line without its newline.
    Text(Bytes),
    /// A line that was longer than the limit and was dropped.
    TooLarge(WireError),
}

impl Lines {
    /// An empty stream.
    pub fn new(limits: Limits) -> Self {
        Self {
            buf: BytesMut::new(),
            searched: 0,
            skipping: None,
            limits,
        }
    }

    /// Where a reader puts the bytes that follow.
    pub fn buffer(&mut self) -> &mut BytesMut {
        &mut self.buf
    }

    /// The next complete line.
    #[expect(
        clippy::should_implement_trait,
        reason = "more lines may come after a None"
    )]
    pub fn next(&mut self) -> Option<Line> {
        loop {
            let found = memchr(b'\n', &self.buf[self.searched..]);
            let Some(offset) = found else {
                self.searched = self.buf.len();
                self.shed();
                return None;
            };
            let end = self.searched + offset;
            self.searched = 0;
            let line = self.buf.split_to(end);
            self.buf.advance(1);
            if let Some(mut clipped) = self.skipping.take() {
                clipped.push(&line);
                return Some(self.too_large(&clipped));
            }
            if line.len() > self.limits.max_bytes() {
                return Some(self.too_large(&Clipped::of(&line)));
            }
            if !line.trim_ascii().is_empty() {
                return Some(Line::Text(line.freeze()));
            }
        }
    }

    /// The text behind the last newline, if it ends in a value and a carriage return: some servers end their lines with
    /// a bare CR. A newline that follows then gives a blank line.
    pub fn ended_by_cr(&mut self) -> Option<Line> {
        let ended = self.buf.ends_with(b"}\r") || self.buf.ends_with(b"]\r");
        if !ended || self.skipping.is_some() {
            return None;
        }
        self.searched = 0;
        Some(Line::Text(self.buf.split().freeze()))
    }

    /// The text behind the last newline at the end of the stream.
    pub fn finish(&mut self) -> Option<Line> {
        if let Some(mut clipped) = self.skipping.take() {
            clipped.push(&self.buf.split());
            return Some(self.too_large(&clipped));
        }
        let rest = self.buf.split().freeze();
        self.searched = 0;
        (!rest.trim_ascii().is_empty()).then_some(Line::Text(rest))
    }

    /// Drops data that exceeds the limit of a line.
    fn shed(&mut self) {
        if let Some(clipped) = &mut self.skipping {
            clipped.push(&self.buf);
            self.buf.clear();
            self.searched = 0;
        } else if self.buf.len() > self.limits.max_bytes() {
            self.skipping = Some(Clipped::of(&self.buf));
            // Not `clear`: the buffer has grown to the limit and should be freed.
            self.buf = BytesMut::new();
            self.searched = 0;
        }
    }

    fn too_large(&self, clipped: &Clipped) -> Line {
        Line::TooLarge(clipped.too_large(&self.limits))
    }
}

/// Puts JSON on one line.
///
/// In valid JSON a raw CR or LF can only be white space between tokens, so dropping them is safe.
pub fn one_line(json: Bytes) -> Bytes {
    let Some(first) = memchr2(b'\r', b'\n', &json) else {
        return json;
    };
    let mut out = Vec::with_capacity(json.len());
    out.extend_from_slice(&json[..first]);
    out.extend(json[first..].iter().filter(|b| !matches!(b, b'\r' | b'\n')));
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(chunks: &[&[u8]], limits: Limits) -> Vec<Line> {
        let mut lines = Lines::new(limits);
        let mut out = Vec::new();
        for chunk in chunks {
            lines.buffer().extend_from_slice(chunk);
            while let Some(line) = lines.next() {
                out.push(line);
            }
        }
        out.extend(lines.finish());
        out
    }

    fn text(line: &'static str) -> Line {
        Line::Text(Bytes::from_static(line.as_bytes()))
    }

    #[test]
    fn blank_lines_are_skipped_and_the_last_line_needs_no_newline() {
        let lines = texts(&[b"a\n\n  \r\nb", b"c\r\nd"], Limits::default());
        assert_eq!(lines, [text("a"), text("bc\r"), text("d")]);
    }

    #[test]
    fn a_line_that_is_too_long_costs_itself_only() {
        let long = format!("{{\"id\":7,\"x\":\"{}\"}}", "y".repeat(100));
        let bytes = [long.as_bytes(), b"\nok\n"].concat();
        for size in [1, 7, 1000] {
            let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
            let lines = texts(&chunks, Limits::new(50));
            let Line::TooLarge(why) = &lines[0] else {
                panic!("{lines:?}")
            };
            assert_eq!(why.id().text(), "7");
            assert_eq!(lines[1..], [text("ok")]);
        }
    }

    #[test]
    fn a_line_that_never_ends_does_not_grow_the_buffer() {
        let mut lines = Lines::new(Limits::new(1000));
        for _ in 0..10_000 {
            lines.buffer().extend_from_slice(&[b'x'; 100]);
            assert_eq!(lines.next(), None);
            assert!(lines.buffer().len() <= 1100);
        }
    }

    #[test]
    fn a_bare_cr_behind_a_value_ends_a_line() {
        let mut lines = Lines::new(Limits::default());
        let mut given = |chunk: &[u8]| {
            lines.buffer().extend_from_slice(chunk);
            lines.next().or_else(|| lines.ended_by_cr())
        };
        assert_eq!(given(b"{\"a\":1"), None);
        assert_eq!(given(b",\r"), None, "white space inside a value");
        assert_eq!(given(b"\"b\":2}\r"), Some(text("{\"a\":1,\r\"b\":2}\r")));
        assert_eq!(given(b"\n"), None, "the second half of CR LF");
        assert_eq!(given(b"[1]\r"), Some(text("[1]\r")));
    }

    proptest! {
        #[test]
        fn chunk_borders_do_not_matter(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200),
            size in 1usize..20,
        ) {
            let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(texts(&chunks, Limits::new(30)), texts(&[&bytes], Limits::new(30)));
        }
    }

    #[test]
    fn pretty_printed_json_fits_on_one_line() {
        let pretty = Bytes::from_static(b"{\r\n  \"a\": \"x\\ny\"\n}");
        assert_eq!(&one_line(pretty)[..], b"{  \"a\": \"x\\ny\"}");
    }
}
