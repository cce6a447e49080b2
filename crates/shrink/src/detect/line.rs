//! Lines and their properties.

use memchr::memchr;

/// A line of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Where the line begins.
    pub(super) start: usize,
    /// Where the next line begins.
    pub(super) next: usize,
    /// The text without its line end.
    pub(super) text: &'a str,
}

impl<'a> Line<'a> {
    /// The line that begins at `start`, unless the text ends there.
    pub(super) fn at(text: &'a str, start: usize) -> Option<Self> {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let (line, next) = match memchr(b'\n', rest.as_bytes()) {
            Some(end) => (&rest[..end], start + end + 1),
            None => (rest, text.len()),
        };
        Some(Self {
            start,
            next,
            text: line.strip_suffix('\r').unwrap_or(line),
        })
    }

    /// This line and all lines below.
    pub(super) fn and_below(self, text: &'a str) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), move |line| Self::at(text, line.next))
    }

    /// The lines below this one.
    pub(super) fn below(self, text: &'a str) -> impl Iterator<Item = Self> {
        self.and_below(text).skip(1)
    }

    pub(super) fn bytes(self) -> &'a [u8] {
        self.text.as_bytes()
    }

    pub(super) fn first(self) -> Option<u8> {
        self.bytes().first().copied()
    }

    pub(super) fn is_blank(self) -> bool {
        self.text.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
    }

    /// The number of leading spaces and tabs.
    pub(super) fn indent(self) -> usize {
        let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t');
        self.bytes().iter().take_while(is_space).count()
    }

    /// The text without surrounding spaces and tabs.
    pub(super) fn trimmed(self) -> &'a str {
        self.text.trim_matches([' ', '\t'])
    }

    /// At most the first `bytes` bytes, which bounds the work for long lines.
    pub(super) fn head(self, bytes: usize) -> &'a str {
        &self.text[..self.text.floor_char_boundary(bytes)]
    }
}

/// The number of leading digits.
pub(super) fn digits(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count()
}

/// Whether a text could be a path: one word, or words separated by slashes.
pub(super) fn is_path(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() > 1024 || matches!(bytes.first(), None | Some(b' ')) || bytes.ends_with(b" ") {
        return false;
    }
    let (mut slash, mut dot, mut name) = (false, false, false);
    let mut spaces = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'/' | b'\\' => slash = true,
            b'.' => dot |= bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric),
            b' ' => {
                spaces += 1;
                if spaces > 3 {
                    return false;
                }
            }
            b'|' | b'<' | b'>' | b'"' | b'\'' | b'*' | b'?' | b'`' | b';' | 0..=0x1f | 0x7f => {
                return false;
            }
            // A drive letter.
            b':' if at == 1 && matches!(bytes.get(2), Some(b'/' | b'\\')) => {}
            b':' => return false,
            _ => name |= byte.is_ascii_alphanumeric() || byte >= 0x80 || byte == b'_',
        }
    }
    // A sentence may contain a slash.
    let is_phrase = || {
        let mark = [", ", ". ", "/ ", " /", " [", " -", "- "];
        mark.iter().any(|mark| text.contains(mark))
    };
    name && match spaces {
        0 => slash || dot,
        _ => slash && !is_phrase(),
    }
}

/// Whether a text is a path that ends in a file name with an extension.
pub(super) fn is_file(text: &str) -> bool {
    let far = text.len().saturating_sub(12);
    let tail = &text.as_bytes()[far..];
    let Some(dot) = memchr::memrchr(b'.', tail) else {
        return false;
    };
    let ending = &tail[dot + 1..];
    let is_ending = (1..=10).contains(&ending.len())
        && ending.iter().all(u8::is_ascii_alphanumeric)
        && !ending.iter().all(u8::is_ascii_digit);
    is_ending && is_path(text)
}
