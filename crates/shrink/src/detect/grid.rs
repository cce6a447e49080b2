//! Tables: Markdown, drawn with characters, and aligned with spaces.

use memchr::memmem;

use super::found::{Detection, Found, Run, sure};
use super::line::Line;
use crate::kind::Kind;

/// A table with a rule below its header.
pub(super) fn ruled(text: &str, first: Line<'_>) -> Detection {
    // A rule has few different characters, so the first byte of the next line excludes most lines.
    let below = text.as_bytes().get(first.next);
    if !matches!(below, Some(b'|' | b'-' | b':' | b' ' | 0xe2)) {
        return Detection::No;
    }
    let Some(rule) = Line::at(text, first.next) else {
        return Detection::No;
    };
    let kind = if first.text.contains('|') && is_markdown_rule(rule.trimmed()) {
        Kind::Markdown
    } else if first.text.contains(['|', '│']) && is_plus_rule(rule.trimmed().trim_matches('|')) {
        Kind::Drawn
    } else {
        return Detection::No;
    };
    let mut run = Run::new(first, 0);
    for (index, line) in first.and_below(text).enumerate() {
        let fits = match kind {
            _ if index == 1 => true,
            Kind::Markdown if rule.trimmed().starts_with('|') => line.trimmed().starts_with('|'),
            _ => line.text.contains(['|', '│']),
        };
        if !fits {
            if kind == Kind::Drawn && is_footer(line.text) {
                run.with(line);
            }
            break;
        }
        run.yes(line);
    }
    run.detection(kind, 3, 0.98)
}

/// `|---|:-:|`, `--- | ---`
fn is_markdown_rule(rule: &str) -> bool {
    rule.contains("--") | rule.contains(":-") | rule.contains("-:") | rule.contains("|-")
        && rule.contains('|')
        && rule
            .bytes()
            .all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t'))
}

/// `-----+-----`, `─────┼─────`
fn is_plus_rule(rule: &str) -> bool {
    let ascii = rule.contains("-+-") && rule.bytes().all(|byte| matches!(byte, b'-' | b'+'));
    ascii || rule.contains("─┼─") && rule.chars().all(|one| matches!(one, '─' | '┼'))
}

/// `(3 rows)`, `3 rows in set (0.01 sec)`
fn is_footer(line: &str) -> bool {
    line.contains(" row")
        && line
            .trim_start_matches('(')
            .starts_with(|one: char| one.is_ascii_digit())
}

/// `+----+----+`, `┌────┬────┐`
fn is_border(line: &str) -> bool {
    let line = line.trim_matches([' ', '\t']);
    match line.as_bytes().first() {
        Some(b'+') => {
            line.len() > 4
                && line.ends_with('+')
                && line
                    .bytes()
                    .all(|byte| matches!(byte, b'+' | b'-' | b'=' | b':'))
        }
        Some(0xe2) => {
            line.starts_with(['┌', '╔', '╭', '┏', '╒', '╓'])
                && line.ends_with(['┐', '╗', '╮', '┓', '╕', '╖'])
        }
        _ => false,
    }
}

/// A table with a border.
pub(super) fn boxed(text: &str, first: Line<'_>) -> Detection {
    if !is_border(first.text) {
        return Detection::No;
    }
    const SIDES: [char; 26] = [
        '|', '+', '│', '║', '┃', '├', '╟', '╠', '┣', '╞', '┡', '┢', '╢', '└', '╚', '╰', '┗', '╘',
        '╙', '┌', '╔', '╭', '┏', '╒', '╓', '┠',
    ];
    let mut run = Run::new(first, 0);
    for line in first.and_below(text) {
        if !line.trimmed().starts_with(SIDES) {
            if is_footer(line.text) {
                run.with(line);
            }
            break;
        }
        run.yes(line);
    }
    run.detection(Kind::Drawn, 3, 0.98)
}

/// How many columns of a line are examined.
const WIDE: usize = 256;

/// Lines with spaces in the same columns.
pub(super) fn aligned(text: &str, first: Line<'_>) -> Detection {
    let inner = first.text.trim_end();
    if inner.len() > 4096
        || memmem::find(&inner.as_bytes()[first.indent().min(inner.len())..], b"  ").is_none()
    {
        return Detection::No;
    }
    let mut blank = Columns::blank(first.text);
    if blank.columns() < 2 {
        return Detection::No;
    }
    let mut end = first.next;
    let mut rows = 1;
    let mut flush = usize::from(first.indent() == 0);
    for line in first.below(text) {
        if line.is_blank() || line.text.len() > 4096 {
            break;
        }
        let mut both = blank.clone();
        both.keep(&Columns::blank(line.text));
        if both.columns() < 2 {
            break;
        }
        blank = both;
        end = line.next;
        rows += 1;
        flush += usize::from(line.indent() == 0);
    }
    let columns = blank.columns();
    let top = match is_names(first) || second_is_dashes(text, first) {
        true if columns >= 2 => 0.95,
        // Indentation alone is not a column.
        false if columns >= 3 && flush * 2 > rows => 0.85,
        _ => 0.0,
    };
    if rows < 4 || top == 0.0 {
        return match rows {
            1..4 => Detection::No,
            _ => Detection::NotBefore(end),
        };
    }
    Detection::Yes(Found {
        end,
        kind: Kind::Drawn,
        confidence: sure(top, rows, 0),
    })
}

/// Whether a line is in capitals, as header lines of aligned tables are.
fn is_names(line: Line<'_>) -> bool {
    let is_upper = line.bytes().iter().any(u8::is_ascii_uppercase);
    is_upper && !line.bytes().iter().any(u8::is_ascii_lowercase)
}

/// `-----  ----`
fn second_is_dashes(text: &str, line: Line<'_>) -> bool {
    matches!(text.as_bytes().get(line.next), Some(b'-' | b'='))
        && Line::at(text, line.next).is_some_and(|rule| {
            rule.text.contains(' ')
                && rule
                    .bytes()
                    .iter()
                    .all(|byte| matches!(byte, b'-' | b'=' | b' '))
        })
}

/// Which columns are blank, as bits, and where the text begins and ends.
#[derive(Clone)]
struct Columns {
    blank: [u64; WIDE / 64],
    begin: usize,
    end: usize,
}

impl Columns {
    fn blank(line: &str) -> Self {
        let mut blank = [u64::MAX; WIDE / 64];
        let (mut begin, mut end) = (WIDE, 0);
        for (at, one) in line.chars().take(WIDE).enumerate() {
            if one != ' ' {
                blank[at / 64] &= !(1 << (at % 64));
                begin = begin.min(at);
                end = at + 1;
            }
        }
        Self { blank, begin, end }
    }

    fn keep(&mut self, other: &Self) {
        for (mine, others) in self.blank.iter_mut().zip(other.blank) {
            *mine &= others;
        }
        self.begin = self.begin.min(other.begin);
        self.end = self.end.max(other.end);
    }

    /// The number of columns between the blank ones.
    fn columns(&self) -> usize {
        let is_blank = |at: usize| self.blank[at / 64] >> (at % 64) & 1 == 1;
        let begins = |at: &usize| !is_blank(*at) && (*at == 0 || is_blank(at - 1));
        (self.begin..self.end).filter(begins).count()
    }
}
