//! Packs short forms of regions and the plain text between them into one text, and unpacks it.
//!
//! A line `%word head` begins a region in short form; it ends at the next line of that form, at `%end`, or at the end
//! of the text. An original line of that form gets another `%` in front.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::json::{self, Layout};
use crate::kind::Kind;
use crate::marks;
use crate::rendering::{Malformed, Rendered, Rendering};

const END: &str = "end";
const CRLF: &str = "/crlf";

/// A region and its short form.
pub(crate) struct Replaced {
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
    pub(crate) by: Rendered,
    /// The layout of JSON that must be restored byte for byte.
    pub(crate) layout: Layout,
}

/// Whether all line ends of a region are CR LF; and the region as renderings expect it: without its last line end,
/// lines separated by LF.
pub(crate) fn region(text: &str) -> (bool, Cow<'_, str>) {
    let crlf = is_crlf(text);
    let text = strip_end(text, crlf);
    if crlf {
        (true, text.replace("\r\n", "\n").into())
    } else {
        (false, text.into())
    }
}

/// `text` with these regions, in order, replaced by their short forms.
pub(crate) fn pack(text: &str, replaced: &[Replaced]) -> String {
    let mut out = String::with_capacity(text.len() / 2);
    let mut at = 0;
    let mut open = false;
    for Replaced {
        range, by, layout, ..
    } in replaced
    {
        if at < range.start {
            if open {
                out.push_str("%end\n");
            }
            escape(&text[at..range.start], &mut out);
        }
        let original = &text[range.clone()];
        let crlf = is_crlf(original);
        out.push('%');
        out.push_str(by.word);
        out.push_str(&layout.suffix());
        out.push_str(if crlf { CRLF } else { "" });
        if !by.head.is_empty() {
            out.push(' ');
            out.push_str(&by.head);
        }
        out.push('\n');
        escape(&by.body, &mut out);
        if strip_end(original, crlf).len() < original.len() {
            out.push('\n');
        }
        open = true;
        at = range.end;
    }
    if at < text.len() {
        if open {
            out.push_str("%end\n");
        }
        escape(&text[at..], &mut out);
    }
    out
}

/// Whether `packed` decodes to `text`: to the same bytes, or to the same value if the whole text is one JSON value.
/// `packed` must not contain marks that the text does not have.
pub(crate) fn is_faithful(text: &str, replaced: &[Replaced], packed: &str) -> bool {
    if marks::count(packed) > marks::count(text) {
        return false;
    }
    let mut replaced = replaced.iter();
    let mut rest = 0;
    for piece in Pieces(packed) {
        let (decoded, kind, range) = match piece {
            Piece::Plain(plain) => {
                let plain = unescape(plain);
                let end = rest + plain.len();
                if text.get(rest..end) != Some(&*plain) {
                    return false;
                }
                rest = end;
                continue;
            }
            Piece::Short(short) => match (short.decode(), replaced.next()) {
                (Ok(decoded), Some(one)) => (decoded, one.kind, one.range.clone()),
                _ => return false,
            },
        };
        if range.start != rest {
            return false;
        }
        rest = range.end;
        let is_whole = range.len() == text.len();
        let original = &text[range];
        let is_same = || is_whole && kind == Kind::Json && json::same(kind, original, &decoded);
        if decoded != original && !is_same() {
            return false;
        }
    }
    rest == text.len() && replaced.next().is_none()
}

/// Decodes a packed text. A text without short forms decodes to itself.
pub fn decode(text: &str) -> Result<String, Malformed> {
    if !Pieces(text).any(|piece| matches!(piece, Piece::Short(_))) {
        return Ok(text.to_owned());
    }
    let mut out = String::with_capacity(text.len() * 2);
    for piece in Pieces(text) {
        match piece {
            Piece::Plain(plain) => out.push_str(&unescape(plain)),
            Piece::Short(short) => {
                let start = short.whole.as_ptr() as usize - text.as_ptr() as usize;
                let decoded = short.decode().map_err(|mut why| {
                    why.line += 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..start]).count();
                    why
                })?;
                out.push_str(&decoded);
            }
        }
    }
    Ok(match marks::unescape(&out) {
        Cow::Borrowed(_) => out,
        Cow::Owned(unescaped) => unescaped,
    })
}

enum Piece<'a> {
    Plain(&'a str),
    Short(Short<'a>),
}

struct Short<'a> {
    rendering: &'static Rendering,
    layout: Layout,
    crlf: bool,
    head: &'a str,
    /// Includes its last line end.
    body: &'a str,
    whole: &'a str,
}

impl Short<'_> {
    fn decode(&self) -> Result<String, Malformed> {
        let (body, ended) = match self.body.strip_suffix('\n') {
            Some(body) => (body, true),
            None => (self.body, false),
        };
        let mut decoded = (self.rendering.decode)(self.head, &unescape(body))?;
        if self.layout != Layout::default() {
            decoded = self.layout.print(&decoded)?;
        }
        if self.crlf {
            decoded = decoded.replace('\n', "\r\n");
        }
        if ended {
            decoded.push_str(if self.crlf { "\r\n" } else { "\n" });
        }
        Ok(decoded)
    }
}

struct Pieces<'a>(&'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let text = self.0;
            if text.is_empty() {
                return None;
            }
            let (line, below) = cut_line(text);
            let Some(ControlLine {
                word,
                layout,
                crlf,
                head,
                extra: 0,
            }) = ControlLine::read(line)
            else {
                let end = next_control_line(text).unwrap_or(text.len());
                self.0 = &text[end..];
                return Some(Piece::Plain(&text[..end]));
            };
            let Some(rendering) = Rendering::of(word) else {
                // Plain text follows `%end`.
                self.0 = below;
                if ControlLine::read(cut_line(below).0).is_some_and(|control| control.extra == 0)
                    || below.is_empty()
                {
                    continue;
                }
                let end = next_control_line(below).unwrap_or(below.len());
                self.0 = &below[end..];
                return Some(Piece::Plain(&below[..end]));
            };
            let end = match ControlLine::read(cut_line(below).0) {
                Some(control) if control.extra == 0 => 0,
                _ => next_control_line(below).unwrap_or(below.len()),
            };
            self.0 = &below[end..];
            let whole = &text[..text.len() - self.0.len()];
            return Some(Piece::Short(Short {
                rendering,
                layout,
                crlf,
                head,
                body: &below[..end],
                whole,
            }));
        }
    }
}

/// Where the next control line begins, after the first line.
fn next_control_line(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        from += memchr(b'\n', &text.as_bytes()[from..])? + 1;
        if text.as_bytes().get(from) == Some(&b'%')
            && ControlLine::read(cut_line(&text[from..]).0)
                .is_some_and(|control| control.extra == 0)
        {
            return Some(from);
        }
    }
}

/// A control line (`%word head` or `%end`), or an escaped line.
struct ControlLine<'a> {
    /// How many `%` precede the first one.
    extra: usize,
    word: &'a str,
    layout: Layout,
    crlf: bool,
    head: &'a str,
}

impl<'a> ControlLine<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let named = line.trim_start_matches('%');
        let extra = (line.len() - named.len()).checked_sub(1)?;
        let (word, head) = named.split_once(' ').unwrap_or((named, ""));
        let (word, crlf) = match word.strip_suffix(CRLF) {
            Some(word) => (word, true),
            None => (word, false),
        };
        let (word, layout) = match word.split_once('/') {
            Some((word, layout)) => (word, Layout::parse(layout)?),
            None => (word, Layout::default()),
        };
        let rendering = Rendering::of(word);
        let is_json = rendering.is_some_and(|one| one.kinds.contains(&Kind::Json));
        let known = word == END || rendering.is_some();
        (known && (is_json || layout == Layout::default())).then_some(Self {
            extra,
            word,
            layout,
            crlf,
            head,
        })
    }
}

fn escape(text: &str, out: &mut String) {
    let mut from = 0;
    let mut line = 0;
    loop {
        if text.as_bytes().get(line) == Some(&b'%')
            && ControlLine::read(cut_line(&text[line..]).0).is_some()
        {
            out.push_str(&text[from..line]);
            out.push('%');
            from = line;
        }
        match memchr(b'\n', &text.as_bytes()[line..]) {
            Some(end) => line += end + 1,
            None => return out.push_str(&text[from..]),
        }
    }
}

fn unescape(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut from = 0;
    let mut line = 0;
    loop {
        if text.as_bytes().get(line) == Some(&b'%')
            && ControlLine::read(cut_line(&text[line..]).0).is_some_and(|control| control.extra > 0)
        {
            out.push_str(&text[from..line]);
            from = line + 1;
        }
        match memchr(b'\n', &text.as_bytes()[line..]) {
            Some(end) => line += end + 1,
            None if from == 0 => return text.into(),
            None => {
                out.push_str(&text[from..]);
                return out.into();
            }
        }
    }
}

/// The first line without its end, and the text below it.
fn cut_line(text: &str) -> (&str, &str) {
    match memchr(b'\n', text.as_bytes()) {
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, ""),
    }
}

fn strip_end(text: &str, crlf: bool) -> &str {
    let end = if crlf { "\r\n" } else { "\n" };
    text.strip_suffix(end).unwrap_or(text)
}

/// Whether the text has line ends, all of them are CR LF, and there is no other CR.
fn is_crlf(text: &str) -> bool {
    let bytes = text.as_bytes();
    if memrchr(b'\r', bytes).is_none() {
        return false;
    }
    let ends = memchr::memchr2_iter(b'\r', b'\n', bytes);
    let mut last_cr = None;
    for at in ends {
        match (bytes[at], last_cr) {
            (b'\r', None) => last_cr = Some(at),
            (b'\n', Some(cr)) if cr + 1 == at => last_cr = None,
            _ => return false,
        }
    }
    last_cr.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A short form for tests, in which the body is copied as is: only the packing is tested here.
    fn replaced(range: Range<usize>, body: &str) -> Replaced {
        Replaced {
            range,
            kind: Kind::Plain,
            by: Rendered {
                word: "log",
                head: "head %end".to_owned(),
                body: body.to_owned(),
            },
            layout: Layout::default(),
        }
    }

    /// The pieces of a packed text: whether each is plain, and its text or body.
    fn pieces(packed: &str) -> Vec<(bool, String)> {
        Pieces(packed)
            .map(|piece| match piece {
                Piece::Plain(text) => (false, unescape(text).into_owned()),
                Piece::Short(short) => {
                    assert_eq!(short.head, "head %end");
                    (true, unescape(short.body).into_owned())
                }
            })
            .collect()
    }

    #[test]
    fn a_whole_text_has_no_end_line() {
        let packed = pack("one\ntwo\n", &[replaced(0..8, "12")]);
        assert_eq!(packed, "%log head %end\n12\n");
    }

    #[test]
    fn plain_text_after_a_region_follows_an_end_line() {
        let text = "before\none\nafter\n";
        let packed = pack(text, &[replaced(7..11, "1")]);
        assert_eq!(packed, "before\n%log head %end\n1\n%end\nafter\n");
        let (both, plain, short) = (pieces(&packed), false, true);
        let expected = [(plain, "before\n"), (short, "1\n"), (plain, "after\n")];
        assert_eq!(both, expected.map(|(is, text)| (is, text.to_owned())));
    }

    #[test]
    fn imitated_control_lines_are_escaped() {
        for line in [
            "%end",
            "%log x",
            "%%end",
            "%json/crlf",
            "%%%table y",
            "%json/2+ascii x",
        ] {
            let text = format!("{line}\none\n{line}");
            let at = line.len() + 1;
            let packed = pack(&text, &[replaced(at..at + 4, &format!("{line}\n{line}"))]);
            let found = pieces(&packed);
            assert_eq!(found[0].1, format!("{line}\n"), "{packed}");
            assert_eq!(found[1].1, format!("{line}\n{line}\n"), "{packed}");
            assert_eq!(found[2].1, line, "{packed}");
        }
    }

    #[test]
    fn other_lines_with_a_per_cent_sign_are_not_escaped() {
        let mut out = String::new();
        let text = "%files\n% comment\n%endless\n%json/x\n%log/2\n";
        escape(text, &mut out);
        assert_eq!(out, text);
    }

    #[test]
    fn a_text_without_regions_decodes_to_itself() {
        for text in ["", "hello\n%%end\n", "%%log\n"] {
            assert_eq!(decode(text).as_deref(), Ok(text));
        }
    }

    #[test]
    fn line_ends_are_detected() {
        assert_eq!(region("a\r\nb\r\n"), (true, "a\nb".into()));
        assert_eq!(region("a\r\nb"), (true, "a\nb".into()));
        assert_eq!(region("a\r\nb\n"), (false, "a\r\nb".into()));
        assert_eq!(region("a\rb\r\n"), (false, "a\rb\r".into()));
        assert_eq!(region("\r"), (false, "\r".into()));
    }

    fn line() -> impl Strategy<Value = String> {
        prop_oneof![
            Just(String::new()),
            Just("%end".to_owned()),
            Just("%%end x".to_owned()),
            Just("%log/crlf head %end".to_owned()),
            Just("%".to_owned()),
            "[a%\r ]{0,4}",
        ]
    }

    proptest! {
        #[test]
        fn plain_text_and_bodies_are_restored(
            parts in prop::collection::vec((prop::collection::vec(line(), 1..4), any::<bool>()), 1..6),
            ended in any::<bool>(),
        ) {
            let mut text = String::new();
            let mut list = Vec::new();
            let mut expected: Vec<(bool, String)> = Vec::new();
            let last = parts.len() - 1;
            for (i, (lines, short)) in parts.into_iter().enumerate() {
                let mut part = lines.join("\n");
                if i < last || ended {
                    part.push('\n');
                }
                if part.is_empty() {
                    continue;
                }
                let start = text.len();
                text.push_str(&part);
                let (_, inner) = region(&part);
                if short {
                    let end = if part.ends_with('\n') { "\n" } else { "" };
                    list.push(replaced(start..text.len(), &inner));
                    expected.push((true, format!("{inner}{end}")));
                } else {
                    match expected.last_mut() {
                        Some((false, plain)) => plain.push_str(&part),
                        _ => expected.push((false, part)),
                    }
                }
            }
            let packed = pack(&text, &list);
            prop_assert_eq!(pieces(&packed), expected, "{}", packed);
        }
    }
}
