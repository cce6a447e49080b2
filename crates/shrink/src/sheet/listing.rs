//! Listings with columns aligned by spaces, as `ps`, `ls -l` and `kubectl get` print them.

mod cells;
mod read;
mod ruled;

use std::borrow::Cow;

pub(super) use self::read::read;
use super::head::{Words, parse_runs, runs};
use super::measure::Measure;
use super::page::{Page, fill};
use super::rows::Rows;
use crate::rendering::Malformed;

/// The layout of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listing {
    /// Spaces between two columns.
    gap: usize,
    /// Right-aligned columns; the others are left-aligned.
    right: Vec<usize>,
    /// Columns with more or fewer spaces before them than `gap`, and the difference.
    extra: Vec<(usize, isize)>,
    measure: Measure,
    /// Whether an overlong cell shifts all cells that follow, rather than only those that it would overlap.
    shifts: bool,
    tail: Tail,
    rules: Option<Rules>,
}

/// Where lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// At the last non-empty cell.
    Trimmed,
    /// At the start of the last column or later.
    Begun,
    /// At this column or later.
    Full(usize),
}

/// Rules: lines of dashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rules {
    dash: char,
    /// Whether the dashes are as wide as the name instead of the column.
    named: bool,
    /// Whether there is a rule above the names, below them, and at the end.
    places: [bool; 3],
}

/// The position of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Track {
    is_right: bool,
    start: isize,
    width: usize,
}

impl Track {
    const fn end(self) -> isize {
        self.start.saturating_add_unsigned(self.width)
    }
}

impl Listing {
    /// Draws the listing.
    pub(super) fn draw(&self, rows: &Rows<'_>, page: &mut Page<'_>) -> Result<(), Malformed> {
        let tracks = self.tracks(rows);
        let names = rows.names.as_deref();
        let rule = |page: &mut Page<'_>, place: usize| match self.rules {
            Some(rules) if rules.places[place] => {
                page.line(|out| self.rule(out, rules, &tracks, names))
            }
            _ => Ok(()),
        };
        rule(page, 0)?;
        if let Some(names) = names {
            page.line(|out| self.line(out, names, &tracks))?;
        }
        rule(page, 1)?;
        for row in rows.rows() {
            page.line(|out| self.line(out, row, &tracks))?;
        }
        rule(page, 2)
    }

    fn line(&self, out: &mut String, cells: &[Cow<'_, str>], tracks: &[Track]) {
        let mut here: isize = 0;
        let mut shift: isize = 0;
        for (cell, track) in cells.iter().zip(tracks) {
            if cell.is_empty() {
                continue;
            }
            let width = self.measure.of(cell);
            let wanted = if track.is_right {
                track.end().saturating_sub_unsigned(width)
            } else {
                track.start
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
        let to = match (self.tail, tracks.last()) {
            (Tail::Trimmed, _) | (_, None) => here,
            (Tail::Begun, Some(last)) => last.start,
            (Tail::Full(width), Some(_)) => isize::try_from(width).unwrap_or(here),
        };
        fill(out, ' ', usize::try_from(to - here).unwrap_or(0));
    }

    fn rule(
        &self,
        out: &mut String,
        rules: Rules,
        tracks: &[Track],
        names: Option<&[Cow<'_, str>]>,
    ) {
        let mut here: isize = 0;
        for (i, track) in tracks.iter().enumerate() {
            let mut start = track.start;
            let mut width = track.width;
            if rules.named {
                let name = names.and_then(|names| names.get(i));
                width = name.map_or(width, |name| self.measure.of(name));
                if track.is_right {
                    start = track.end().saturating_sub_unsigned(width);
                }
            }
            fill(out, ' ', usize::try_from(start - here).unwrap_or(0));
            fill(out, rules.dash, width);
            here = here.max(start).saturating_add_unsigned(width);
        }
    }

    /// The positions of the columns.
    fn tracks(&self, rows: &Rows<'_>) -> Vec<Track> {
        let widths = least(rows, self.measure);
        let mut right = self.right.iter().peekable();
        let mut extra = self.extra.iter().peekable();
        let mut here: isize = 0;
        let mut tracks = Vec::with_capacity(widths.len());
        for (i, width) in widths.into_iter().enumerate() {
            if i > 0 {
                here = here.saturating_add_unsigned(self.gap);
            }
            if let Some((_, extra)) = extra.next_if(|(at, _)| *at == i) {
                here = here.saturating_add(*extra);
            }
            let track = Track {
                is_right: right.next_if_eq(&&i).is_some(),
                start: here,
                width,
            };
            here = track.end();
            tracks.push(track);
        }
        tracks
    }

    /// The words of the head.
    pub(super) fn head(&self) -> String {
        let mut head = "aligned".to_owned();
        let mut push = |words: &str| {
            head.push(' ');
            head.push_str(words);
        };
        if self.gap != 1 {
            push(&format!("gap={}", self.gap));
        }
        if !self.right.is_empty() {
            push(&format!("right={}", runs(self.right.iter().copied())));
        }
        if !self.extra.is_empty() {
            let pairs = self
                .extra
                .iter()
                .map(|(i, extra)| format!("{}:{extra}", i + 1));
            push(&format!("extra={}", pairs.collect::<Vec<_>>().join(",")));
        }
        if let Some(word) = self.measure.word() {
            push(word);
        }
        if self.shifts {
            push("shifts");
        }
        match self.tail {
            Tail::Trimmed => {}
            Tail::Begun => push("begun"),
            Tail::Full(width) => push(&format!("full={width}")),
        }
        if let Some(rules) = self.rules {
            let places = rules.places.map(|place| if place { '1' } else { '0' });
            let places: String = places.into_iter().collect();
            let kind = if rules.named { "dashes" } else { "rules" };
            push(&format!("{kind}={}{places}", rules.dash));
        }
        head
    }

    /// The inverse of [`Self::head`], for a table with this many columns.
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
                "begun" => listing.tail = Tail::Begun,
                "full" => listing.tail = Tail::Full(value.parse().ok()?),
                word => listing.measure = Measure::parse(word)?,
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

    /// How wide the head alone can make a line.
    pub(super) fn given(&self, columns: usize) -> usize {
        let extra = self.extra.iter().map(|(_, extra)| extra.unsigned_abs());
        let full = match self.tail {
            Tail::Full(width) => width,
            _ => 0,
        };
        let extra = extra.fold(full, usize::saturating_add);
        extra.saturating_add(self.gap.saturating_mul(columns))
    }
}

/// The least widths of the columns for their contents.
fn least(rows: &Rows<'_>, measure: Measure) -> Vec<usize> {
    let mut widths = vec![0; rows.width];
    for row in rows.all() {
        for (cell, width) in row.iter().zip(&mut widths) {
            *width = measure.of(cell).max(*width);
        }
    }
    widths
}
