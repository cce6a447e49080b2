//! Finds the columns of a table from its rules.

use super::frame::{Bars, Rule};
use crate::context::Stop;
use crate::sheet::measure::{LineCursor, Measure};

/// A line by its type.
#[derive(Clone, Copy)]
pub(super) enum Line {
    Rule(Rule),
    /// With the index of its first field.
    Row(Bars, usize),
    Other,
}

/// The boundaries of columns, taken from a rule.
pub(super) struct Ruler {
    pub(super) indent: usize,
    /// The positions of the bars between cells, relative to the indent.
    pub(super) stops: Vec<usize>,
    pub(super) has_left: bool,
    /// The position of the last bar.
    pub(super) right: Option<usize>,
    /// The length of the rule.
    pub(super) end: usize,
}

/// All lines, cut at the stops.
pub(super) struct Cut<'a> {
    pub(super) lines: Vec<Line>,
    pub(super) fields: Vec<&'a str>,
    /// The number of rows.
    pub(super) rows: usize,
    pub(super) measure: Measure,
}

impl Cut<'_> {
    /// Whether hardly any line is neither rule nor row.
    pub(super) fn is_whole(&self) -> bool {
        let others = self.lines.iter().filter(|line| matches!(line, Line::Other));
        others.count() <= 2
    }
}

impl Ruler {
    pub(super) fn of(line: &str) -> Option<Self> {
        let rule = line.trim_start_matches(' ');
        let indent = line.len() - rule.len();
        let chars: Vec<char> = rule.chars().collect();
        if chars.len() < 3 || !chars.iter().all(|c| is_line(*c)) {
            return None;
        }
        // The first character that occurs twice in a row.
        let fill = chars.windows(2).find(|two| two[0] == two[1])?[0];
        let has_left = chars.first() != Some(&fill);
        let last = chars.len() - 1;
        let right = (chars[last] != fill).then_some(last);
        let inner = usize::from(has_left)..right.unwrap_or(chars.len());
        let stops = inner.filter(|at| chars[*at] != fill).collect();
        Some(Self {
            indent,
            stops,
            has_left,
            right,
            end: chars.len(),
        })
    }

    pub(super) fn columns(&self) -> usize {
        self.stops.len() + 1
    }

    pub(super) fn cut<'a>(
        &self,
        lines: &[&'a str],
        measure: Measure,
        stop: &Stop,
    ) -> Option<Cut<'a>> {
        let mut cut = Cut {
            lines: Vec::with_capacity(lines.len()),
            fields: Vec::new(),
            rows: 0,
            measure,
        };
        for (number, line) in lines.iter().enumerate() {
            if number % 1024 == 0 && stop.is_set() {
                return None;
            }
            let inner = self.inner(line);
            let kind = match inner.and_then(|inner| self.rule(inner)) {
                Some(rule) => Line::Rule(rule),
                None => {
                    let start = cut.fields.len();
                    match inner.and_then(|inner| self.row(inner, measure, &mut cut.fields)) {
                        Some(bars) => {
                            cut.rows += 1;
                            Line::Row(bars, start)
                        }
                        None => {
                            cut.fields.truncate(start);
                            Line::Other
                        }
                    }
                }
            };
            cut.lines.push(kind);
        }
        Some(cut)
    }

    /// A line without its indent.
    fn inner<'a>(&self, line: &'a str) -> Option<&'a str> {
        let spaces = line.bytes().take(self.indent).take_while(|b| *b == b' ');
        line.get(spaces.count().max(self.indent)..)
    }

    /// Parses a rule that fits the columns.
    fn rule(&self, line: &str) -> Option<Rule> {
        let mut chars = line.chars().enumerate().peekable();
        let left = if self.has_left {
            Some(chars.next()?.1)
        } else {
            None
        };
        let fill = chars.peek()?.1;
        let mut stops = self.stops.iter().peekable();
        let mut cross = None;
        let mut right = None;
        let mut count = usize::from(self.has_left);
        if !is_line(fill) || matches!(fill, '|' | '│' | '┃' | '║') || !left.is_none_or(is_line)
        {
            return None;
        }
        for (at, c) in chars {
            count += 1;
            if Some(at) == self.right {
                right = Some(c).filter(|c| is_line(*c));
            } else if stops.next_if_eq(&&at).is_some() {
                if !is_line(c) || cross.is_some_and(|cross| cross != c) {
                    return None;
                }
                cross = Some(c);
            } else if c != fill {
                return None;
            }
        }
        let whole = count == self.end && right.is_some() == self.right.is_some();
        whole.then_some(Rule {
            left,
            fill,
            cross: cross.unwrap_or(fill),
            right,
        })
    }

    /// Appends the fields of a row.
    fn row<'a>(&self, line: &'a str, measure: Measure, fields: &mut Vec<&'a str>) -> Option<Bars> {
        let mut cursor = LineCursor::new(line, measure);
        let mut left = None;
        let mut mid = None;
        let mut start = 0;
        if self.has_left {
            (_, left, start) = cursor.bar(0)?;
            left?;
        }
        for stop in &self.stops {
            let (end, bar, next) = cursor.bar(*stop)?;
            if bar.is_none() || mid.is_some_and(|mid| Some(mid) != bar) {
                return None;
            }
            mid = bar;
            fields.push(line.get(start..end)?);
            start = next;
        }
        let mut right = None;
        let end = match self.right {
            Some(stop) => {
                let (end, bar, next) = cursor.bar(stop)?;
                if bar.is_none() || next != line.len() {
                    return None;
                }
                right = bar;
                end
            }
            None => line.len(),
        };
        fields.push(line.get(start..end)?);
        // Without bars, a line of one column could be any line.
        let (None, None, None) = (left, mid, right) else {
            return Some(Bars {
                left,
                mid: mid.or(left).unwrap_or('|'),
                right,
            });
        };
        None
    }
}

impl LineCursor<'_> {
    /// Advances to a column: returns the byte offset, the bar there if any, and the offset behind it.
    fn bar(&mut self, at: usize) -> Option<(usize, Option<char>, usize)> {
        if self.is_ascii {
            let bar = char::from(*self.line.as_bytes().get(at)?);
            return Some((at, Some(bar).filter(|c| is_bar(*c)), at + 1));
        }
        let mut chars = self.line.get(self.byte..)?.chars();
        loop {
            let c = chars.next()?;
            let byte = self.byte;
            let column = self.column;
            self.byte += c.len_utf8();
            // A bar is one column wide in every measure.
            self.column += if is_bar(c) {
                1
            } else {
                self.measure.of_char(c)
            };
            if column == at {
                return Some((byte, Some(c).filter(|c| is_bar(*c)), self.byte));
            }
            if column > at {
                return None;
            }
        }
    }
}

/// Whether rules consist of this character.
fn is_line(c: char) -> bool {
    matches!(
        c,
        '-' | '=' | '+' | '|' | '*' | '~' | '_' | ':' | '\u{2500}'..='\u{257f}'
    )
}

/// Whether this character may separate cells.
fn is_bar(c: char) -> bool {
    matches!(c, '|' | '!' | ':' | '*' | '\u{2500}'..='\u{257f}')
}
