//! Assigns the lines of a table with rules to its parts.

use super::frame::{Bars, Frame, Rule};
use super::ruler::Line;

/// The most lines of names.
const NAMES: usize = 4;

/// The index of a line, and the index of its first field.
pub(super) type FieldLine = (usize, usize);

/// The lines of each part of the table.
pub(super) struct Plan {
    pub(super) frame: Frame,
    /// The lines of the names.
    pub(super) names: Vec<FieldLine>,
    /// The lines of all rows.
    places: Vec<FieldLine>,
    /// The end of each row in `places`; `None` if each line is a row.
    ends: Option<Vec<usize>>,
    /// Lines outside the table.
    pub(super) literal: Vec<usize>,
    /// The line below the table.
    pub(super) below: Option<usize>,
}

impl Plan {
    pub(super) fn of(lines: &[Line]) -> Option<Self> {
        let is_ours = |line: &Line| !matches!(line, Line::Other);
        let first = lines.iter().position(is_ours)?;
        Self::from(lines, first).or_else(|| {
            // Text above the table may use the same characters.
            let next = lines
                .iter()
                .skip(first + 1)
                .position(|line| matches!(line, Line::Rule(_)))?;
            Self::from(lines, first + 1 + next)
        })
    }

    fn from(lines: &[Line], first: usize) -> Option<Self> {
        let is_ours = |line: &Line| !matches!(line, Line::Other);
        let last = lines.iter().rposition(is_ours)?;
        let mut literal: Vec<usize> = (0..first).chain(last + 1..lines.len()).collect();
        let outside = literal.len();
        let rule_at = |at: usize| match lines.get(at) {
            Some(Line::Rule(rule)) => Some(*rule),
            _ => None,
        };
        let top = rule_at(first);
        let bottom = rule_at(last).filter(|_| last > first);
        let from = first + usize::from(top.is_some());
        let to = last + 1 - usize::from(bottom.is_some());
        // Inner rules: the first one is below the names.
        let inner: Vec<(usize, Rule)> = (from..to)
            .filter_map(|at| Some((at, rule_at(at)?)))
            .collect();
        let under = inner.first().copied();
        let start = under.map_or(from, |(at, _)| at + 1);
        let bars_of = |line: Option<&Line>| match line {
            Some(Line::Row(bars, _)) => Some(*bars),
            _ => None,
        };
        let first_bars = |range: &[Line]| range.iter().find_map(|line| bars_of(Some(line)));
        let name_bars = first_bars(lines.get(from..start)?);
        let row_bars = first_bars(lines.get(start..to)?)?;
        let between = inner.get(1).map(|(_, rule)| *rule);
        let more = inner.get(1..).unwrap_or_default();
        let is_regular = more.iter().all(|(_, rule)| Some(*rule) == between);
        let mut names = Vec::new();
        let mut places = Vec::new();
        let mut ends = Vec::new();
        for (at, line) in lines.iter().enumerate().take(to).skip(from) {
            match line {
                Line::Row(bars, fields) if at < start && Some(*bars) == name_bars => {
                    names.push((at, *fields));
                }
                Line::Row(bars, fields) if at >= start && *bars == row_bars => {
                    places.push((at, *fields));
                }
                Line::Rule(_) if at > start => ends.push(places.len()),
                Line::Rule(_) => {}
                _ => literal.push(at),
            }
        }
        ends.push(places.len());
        let is_filled = ends.first() != Some(&0) && ends.windows(2).all(|two| two[0] < two[1]);
        // Occasional rules do not separate all rows.
        let is_between =
            is_regular && is_filled && more.len() * 3 >= places.len() && literal.len() == outside;
        let between = between.filter(|_| is_between);
        if between.is_none() {
            literal.extend(more.iter().map(|(at, _)| *at));
        }
        let no_names = names.is_empty() && under.is_some();
        if no_names || names.len() > NAMES || literal.len() > 8 + lines.len() / 4 {
            return None;
        }
        Some(Self {
            frame: Frame {
                top,
                names: name_bars.unwrap_or(row_bars),
                under: under.map(|(_, rule)| rule),
                rows: row_bars,
                between,
                bottom,
            },
            names,
            places,
            ends: between.map(|_| ends),
            literal,
            below: (last + 1 < lines.len()).then_some(last + 1),
        })
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.ends.as_ref().map_or(self.places.len(), Vec::len)
    }

    /// The lines of a row.
    pub(super) fn row(&self, number: usize) -> &[FieldLine] {
        let (start, end) = match &self.ends {
            None => (number, number + 1),
            Some(ends) => {
                let start = number.checked_sub(1).and_then(|before| ends.get(before));
                let end = ends.get(number).copied().unwrap_or(0);
                (start.copied().unwrap_or(0), end)
            }
        };
        self.places.get(start..end).unwrap_or_default()
    }

    /// The lines of all rows.
    pub(super) fn places(&self) -> &[FieldLine] {
        &self.places
    }
}

impl Bars {
    /// Whether there is a bar at the end.
    pub(super) const fn is_closed(&self) -> bool {
        self.right.is_some()
    }
}
