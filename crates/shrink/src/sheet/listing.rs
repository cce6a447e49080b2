//! Listings whose columns are held together by spaces, as `ps`, `ls -l` and `kubectl get` print them.

mod cells;
mod read;

use std::borrow::Cow;

pub(super) use self::read::read;
use super::head::{Words, parse_runs, runs};
use super::measure::Measure;
use super::page::{Page, fill};
use super::rows::Rows;
use crate::rendering::Malformed;

/// How a listing is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listing {
    /// Spaces between two columns.
    gap: usize,
    /// Columns whose cells end at the same place; all others begin at the same place.
    right: Vec<usize>,
    /// How many spaces more, or less, than usual there are before a column.
    extra: Vec<(usize, isize)>,
    measure: Measure,
    /// Whether a cell that is too long shifts all that follows, and not only what it has to.
    shifts: bool,
    tail: Tail,
    rules: Option<Rules>,
}

/// How far lines go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// To the last cell that is not empty.
    Trimmed,
    /// At least to where the last column begins.
    Begun,
    /// To the end of the last column.
    Full,
}

impl Tail {
    const ALL: [Self; 3] = [Self::Trimmed, Self::Begun, Self::Full];

    const fn word(self) -> Option<&'static str> {
        match self {
            Self::Trimmed => None,
            Self::Begun => Some("begun"),
            Self::Full => Some("full"),
        }
    }
}

/// Lines that consist of dashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rules {
    dash: char,
    /// Whether dashes are as wide as the name is, and not as the column.
    named: bool,
    /// Above the names, below them, and at the end.
    places: [bool; 3],
}

/// Where a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stop {
    is_right: bool,
    start: isize,
    width: usize,
}

impl Stop {
    const fn end(self) -> isize {
        self.start.saturating_add_unsigned(self.width)
    }
}

impl Listing {
    /// Writes it.
    pub(super) fn draw(&self, rows: &Rows<'_>, page: &mut Page<'_>) -> Result<(), Malformed> {
        let stops = self.stops(rows);
        let names = rows.names.as_deref();
        let rule = |page: &mut Page<'_>, place: usize| match self.rules {
            Some(rules) if rules.places[place] => {
                page.line(|out| self.rule(out, rules, &stops, names))
            }
            _ => Ok(()),
        };
        rule(page, 0)?;
        if let Some(names) = names {
            page.line(|out| self.line(out, names, &stops))?;
        }
        rule(page, 1)?;
        for row in rows.rows() {
            page.line(|out| self.line(out, row, &stops))?;
        }
        rule(page, 2)
    }

    fn line(&self, out: &mut String, cells: &[Cow<'_, str>], stops: &[Stop]) {
        let mut here: isize = 0;
        let mut shift: isize = 0;
        for (cell, stop) in cells.iter().zip(stops) {
            if cell.is_empty() {
                continue;
            }
            let width = self.measure.of(cell);
            let wanted = match stop.is_right {
                true => stop.end().saturating_sub_unsigned(width),
                false => stop.start,
            };
            let wanted = wanted.saturating_add(shift);
            let least = here + isize::from(here > 0);
            let start = wanted.max(least);
            if self.shifts {
                shift += start - wanted;
            }
            fill(out, ' ', usize::try_from(start - here).unwrap_or(0));
            out.push_str(cell);
            here = start.saturating_add_unsigned(width);
        }
        let to = match (self.tail, stops.last()) {
            (Tail::Trimmed, _) | (_, None) => here,
            (Tail::Begun, Some(last)) => last.start,
            (Tail::Full, Some(last)) => last.end(),
        };
        fill(out, ' ', usize::try_from(to - here).unwrap_or(0));
    }

    fn rule(&self, out: &mut String, rules: Rules, stops: &[Stop], names: Option<&[Cow<'_, str>]>) {
        let mut here: isize = 0;
        for (i, stop) in stops.iter().enumerate() {
            let mut start = stop.start;
            let mut width = stop.width;
            if rules.named {
                let name = names.and_then(|names| names.get(i));
                width = name.map_or(width, |name| self.measure.of(name));
                if stop.is_right {
                    start = stop.end().saturating_sub_unsigned(width);
                }
            }
            fill(out, ' ', usize::try_from(start - here).unwrap_or(0));
            fill(out, rules.dash, width);
            here = here.max(start).saturating_add_unsigned(width);
        }
    }

    /// Where the columns are.
    fn stops(&self, rows: &Rows<'_>) -> Vec<Stop> {
        let widths = least(rows, self.measure);
        let mut right = self.right.iter().peekable();
        let mut extra = self.extra.iter().peekable();
        let mut here: isize = 0;
        let mut stops = Vec::with_capacity(widths.len());
        for (i, width) in widths.into_iter().enumerate() {
            if i > 0 {
                here = here.saturating_add_unsigned(self.gap);
            }
            if let Some((_, extra)) = extra.next_if(|(at, _)| *at == i) {
                here = here.saturating_add(*extra);
            }
            let stop = Stop {
                is_right: right.next_if_eq(&&i).is_some(),
                start: here,
                width,
            };
            here = stop.end();
            stops.push(stop);
        }
        stops
    }

    /// The words for it.
    pub(super) fn head(&self) -> String {
        let mut head = "aligned".to_owned();
        let mut say = |words: &str| {
            head.push(' ');
            head.push_str(words);
        };
        if self.gap != 1 {
            say(&format!("gap={}", self.gap));
        }
        if !self.right.is_empty() {
            say(&format!("right={}", runs(self.right.iter().copied())));
        }
        if !self.extra.is_empty() {
            let pairs = self
                .extra
                .iter()
                .map(|(i, extra)| format!("{}:{extra}", i + 1));
            say(&format!("extra={}", pairs.collect::<Vec<_>>().join(",")));
        }
        if let Some(word) = self.measure.word() {
            say(word);
        }
        if self.shifts {
            say("shifts");
        }
        if let Some(word) = self.tail.word() {
            say(word);
        }
        if let Some(rules) = self.rules {
            let places = rules.places.map(|place| if place { '1' } else { '0' });
            let places: String = places.into_iter().collect();
            let kind = if rules.named { "dashes" } else { "rules" };
            say(&format!("{kind}={}{places}", rules.dash));
        }
        head
    }

    /// The way back, for a table with so many columns.
    pub(super) fn parse(words: Words<'_>, columns: usize) -> Option<Self> {
        let mut listing = Self::plain();
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            match key {
                "gap" => listing.gap = value.parse().ok()?,
                "right" => listing.right = parse_runs(value, columns)?,
                "extra" => {
                    let pairs = value.split(',').map(|pair| {
                        let (i, extra) = pair.split_once(':')?;
                        let i: usize = i.parse().ok()?;
                        Some((i.checked_sub(1)?, extra.parse().ok()?))
                    });
                    listing.extra = pairs.collect::<Option<_>>()?;
                }
                "shifts" => listing.shifts = true,
                "rules" | "dashes" => {
                    let mut chars = value.chars();
                    let dash = chars.next()?;
                    let mut place = || Some(chars.next()? == '1');
                    listing.rules = Some(Rules {
                        dash,
                        named: key == "dashes",
                        places: [place()?, place()?, place()?],
                    });
                }
                word => match Tail::ALL.into_iter().find(|tail| tail.word() == Some(word)) {
                    Some(tail) => listing.tail = tail,
                    None => listing.measure = Measure::parse(word)?,
                },
            }
        }
        Some(listing)
    }

    const fn plain() -> Self {
        Self {
            gap: 1,
            right: Vec::new(),
            extra: Vec::new(),
            measure: Measure::Chars,
            shifts: false,
            tail: Tail::Trimmed,
            rules: None,
        }
    }

    /// How wide a line may get by what the head says alone.
    pub(super) fn given(&self, columns: usize) -> usize {
        let extra = self.extra.iter().map(|(_, extra)| extra.unsigned_abs());
        let extra = extra.fold(0, usize::saturating_add);
        extra.saturating_add(self.gap.saturating_mul(columns))
    }
}

/// How wide columns must be for what is in them.
fn least(rows: &Rows<'_>, measure: Measure) -> Vec<usize> {
    let mut widths = vec![0; rows.width];
    for row in rows.all() {
        for (cell, width) in row.iter().zip(&mut widths) {
            *width = measure.of(cell).max(*width);
        }
    }
    widths
}
