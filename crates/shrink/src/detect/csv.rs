//! Tables of values separated by commas, tabs, semicolons or bars.

use memchr::{memchr, memchr_iter};

use super::found::{Detection, Found, sure};
use super::line::Line;
use crate::kind::Kind;

/// The most bytes of a record with line breaks in its values.
const LONG: usize = 1 << 16;

/// A table whose values are separated by `MARK`.
pub(super) fn find<const MARK: u8>(text: &str, first: Line<'_>) -> Detection {
    let bytes = first.bytes();
    if matches!(bytes.first(), None | Some(b' ' | b'|')) || memchr(MARK, bytes).is_none() {
        return Detection::No;
    }
    // A header does not end like a statement or a sentence.
    let last = bytes.last().copied().unwrap_or(MARK);
    if MARK != b'\t' && (last == MARK || matches!(last, b'.' | b';' | b'{' | b'(')) {
        return Detection::No;
    }
    table(text, first, MARK)
}

fn table(text: &str, first: Line<'_>, mark: u8) -> Detection {
    let Some((columns, mut end)) = record(text, first, mark) else {
        return Detection::No;
    };
    let (mut rows, mut spaced) = (1, spaced(first, mark));
    let (mut irregular, mut pending, mut at) = (0, 0, end);
    while let Some(line) = Line::at(text, at).filter(|line| !line.is_blank()) {
        let Some((count, next)) = record(text, line, mark) else {
            break;
        };
        at = next;
        if count == columns {
            rows += 1;
            spaced += self::spaced(line, mark);
            irregular += std::mem::take(&mut pending);
            end = next;
        } else {
            // One record in twenty may have another number of values.
            pending += 1;
            if (irregular + pending) * 20 > rows {
                break;
            }
        }
    }
    // Lines of prose may have equally many commas by chance; the more commas, the less likely that is.
    let prose = spaced * 2 > rows;
    let (least, top) = match (columns, mark) {
        (2, b'\t') => (4, 0.9),
        (_, b'\t') => (3, 0.95),
        (2, _) if prose => (usize::MAX, 0.0),
        (2, _) => (8, 0.8),
        (3, _) if prose => (8, 0.8),
        (3, _) => (4, 0.9),
        _ if prose => (5, 0.85),
        _ => (3, 0.95),
    };
    if rows < least {
        return match rows {
            1..4 => Detection::No,
            _ => Detection::NotBefore(end),
        };
    }
    Detection::Yes(Found {
        end,
        kind: Kind::Csv,
        confidence: sure(top, rows, irregular),
    })
}

/// 1 if a space follows the first mark, as in prose.
fn spaced(line: Line<'_>, mark: u8) -> usize {
    let at = memchr(mark, line.bytes());
    usize::from(at.is_some_and(|at| line.bytes().get(at + 1) == Some(&b' ')))
}

/// The number of values of a record, and where the next record begins.
fn record(text: &str, line: Line<'_>, mark: u8) -> Option<(usize, usize)> {
    if memchr(b'"', line.bytes()).is_none() {
        return Some((1 + memchr_iter(mark, line.bytes()).count(), line.next));
    }
    let end = text.len().min(line.start + LONG.max(line.text.len() + 1));
    let bytes = &text.as_bytes()[line.start..end];
    let (mut at, mut columns) = (0, 1);
    loop {
        if bytes.get(at) == Some(&b'"') {
            at += 1;
            // Two quotes are an escaped quote.
            loop {
                at += memchr(b'"', bytes.get(at..)?)? + 1;
                match bytes.get(at) {
                    Some(b'"') => at += 1,
                    _ => break,
                }
            }
        }
        let stop = bytes
            .get(at..)?
            .iter()
            .position(|byte| *byte == mark || *byte == b'\n');
        match stop {
            Some(stop) if bytes[at + stop] == mark => {
                at += stop + 1;
                columns += 1;
            }
            Some(stop) => return Some((columns, line.start + at + stop + 1)),
            None if end == text.len() => return Some((columns, end)),
            None => return None,
        }
    }
}
