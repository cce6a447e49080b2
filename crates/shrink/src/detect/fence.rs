//! Code fences: lines of three or more backticks or tildes around a text.

use super::line::Line;

/// An opening fence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fence<'a> {
    mark: u8,
    length: usize,
    /// The first word of the info string.
    pub(super) lang: Option<&'a str>,
}

/// Finds fences. An unclosed fence is searched to the end of the text, so only a few of those are tried.
#[derive(Debug)]
pub(super) struct Fences {
    tries: u8,
}

impl Default for Fences {
    fn default() -> Self {
        Self { tries: 8 }
    }
}

impl Fences {
    /// The fence that this line opens, and its closing line.
    pub(super) fn open<'a>(
        &mut self,
        text: &'a str,
        line: Line<'a>,
    ) -> Option<(Fence<'a>, Line<'a>)> {
        if self.tries == 0 {
            return None;
        }
        let fence = Fence::read(line)?;
        let closing = line.below(text).find(|line| fence.is_closed_by(*line));
        if closing.is_none() {
            self.tries -= 1;
        }
        Some((fence, closing?))
    }
}

impl<'a> Fence<'a> {
    fn read(line: Line<'a>) -> Option<Self> {
        let (mark, length, info) = marks(line)?;
        if mark == b'`' && info.contains('`') {
            return None;
        }
        let word = info.trim().trim_start_matches('{').trim_start_matches('.');
        let lang = word.split([' ', ',', '{', '}', ':']).next();
        Some(Self {
            mark,
            length,
            lang: lang.filter(|lang| !lang.is_empty() && lang.len() <= 40),
        })
    }

    fn is_closed_by(&self, line: Line<'_>) -> bool {
        marks(line).is_some_and(|(mark, length, rest)| {
            mark == self.mark && length >= self.length && rest.trim().is_empty()
        })
    }
}

/// The fence character of a line, its count, and the rest of the line.
fn marks(line: Line<'_>) -> Option<(u8, usize, &str)> {
    let rest = &line.text[line.indent()..];
    let mark = *rest.as_bytes().first()?;
    if mark != b'`' && mark != b'~' {
        return None;
    }
    let length = rest.bytes().take_while(|byte| *byte == mark).count();
    (length >= 3).then(|| (mark, length, &rest[length..]))
}
