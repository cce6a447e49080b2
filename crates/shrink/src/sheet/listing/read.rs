//! Infers the layout of a listing.

use std::borrow::Cow;

use super::cells::{Cells, at_gaps, at_gutters, at_spaces, at_starts};
use super::ruled::Ruled;
use super::{Listing, Rules, Tail, Track, least};
use crate::context::Stop;
use crate::sheet::Found;
use crate::sheet::measure::Measure;
use crate::sheet::page::Literal;
use crate::sheet::rows::{Rows, is_number};
use crate::sheet::style::Style;

/// Parses a listing, cut in the way that explains most lines. The drawing is checked against the first `look` rows.
pub(in crate::sheet) fn read<'a>(lines: &[&'a str], look: usize, stop: &Stop) -> Option<Found<'a>> {
    let mut best: Option<Found<'a>> = None;
    // A few title lines may precede the listing.
    for skip in 0..TITLES {
        let fewer = |best: &Found<'_>, found: &Found<'_>| found.literal.len() < best.literal.len();
        let Some(rest) = lines.get(skip..).filter(|rest| rest.len() > 2) else {
            break;
        };
        if best.as_ref().is_some_and(|best| best.literal.len() <= skip) {
            break;
        }
        let found = below(lines, rest, look, stop);
        if let Some(found) = found
            && best.as_ref().is_none_or(|best| fewer(best, &found))
        {
            best = Some(found);
        }
    }
    best
}

/// The most title lines.
const TITLES: usize = 4;

/// Parses a listing in the last lines of the text.
fn below<'a>(all: &[&'a str], lines: &[&'a str], look: usize, stop: &Stop) -> Option<Found<'a>> {
    let is_ascii = lines.iter().all(|line| line.is_ascii());
    let measures = if is_ascii {
        &Measure::ALL[..1]
    } else {
        &Measure::ALL[..2]
    };
    let ruled = Ruled::of(lines);
    let mut best: Option<Found<'a>> = None;
    for measure in measures {
        let is_named = ruled.rules.is_some() || is_header(&ruled.rest);
        let starts = ruled.starts.as_deref();
        let ways: [&dyn Fn() -> Option<Cells<'a>>; 4] = [
            &|| starts.and_then(|starts| at_starts(&ruled.rest, starts, *measure)),
            &|| at_spaces(&ruled.rest, *measure),
            &|| at_gutters(&ruled.rest, *measure, is_named),
            &|| at_gaps(&ruled.rest, *measure),
        ];
        for cells in ways {
            if stop.is_set() {
                return None;
            }
            let found = cells().and_then(|cells| fit(&cells, lines, &ruled, *measure, look));
            let Some(found) = found else { continue };
            let is_perfect = found.literal.is_empty();
            let fewer = |best: &Found<'_>| found.literal.len() < best.literal.len();
            if best.as_ref().is_none_or(fewer) {
                best = Some(found);
            }
            if is_perfect {
                break;
            }
        }
        if best.as_ref().is_some_and(|best| best.literal.is_empty()) {
            break;
        }
    }
    // Converts line numbers to those of the whole text.
    let skipped = all.len() - lines.len();
    let mut found = best?;
    found.literal.iter_mut().for_each(|(at, _)| *at += skipped);
    let above = all.iter().copied().enumerate().take(skipped);
    found.literal.splice(0..0, above);
    Some(found)
}

/// Whether the first line looks like names: it has no digits, or no lower-case letters.
fn is_header(lines: &[&str]) -> bool {
    let Some(first) = lines.first() else {
        return false;
    };
    let digits = first.bytes().any(|byte| byte.is_ascii_digit());
    let small = first.bytes().any(|byte| byte.is_ascii_lowercase());
    !first.is_empty() && (!digits || !small)
}

fn fit<'a>(
    cells: &Cells<'a>,
    lines: &[&'a str],
    ruled: &Ruled<'a>,
    measure: Measure,
    look: usize,
) -> Option<Found<'a>> {
    let columns = cells.columns;
    let count = cells.places.len();
    if columns < 2 || count < 2 || cells.irregular.len() > 3 + ruled.rest.len() / 4 {
        return None;
    }
    let tracks: Vec<Track> = (0..columns).map(|i| track(cells, i, measure)).collect();
    let is_named = named(cells, &tracks, ruled.rules.is_some())?;
    let (mut listing, irregular) = drawn_by(cells, ruled, measure, &tracks, look)?;
    if irregular.len() * 4 > count || (is_named && irregular.first() == Some(&0)) {
        return None;
    }
    let original = |number: usize| ruled.places.get(number).copied();
    let mut literal: Vec<usize> = cells
        .irregular
        .iter()
        .filter_map(|number| original(*number))
        .collect();
    let mut rows = Rows {
        width: columns,
        names: None,
        cells: Vec::with_capacity(cells.cells.len()),
    };
    let mut irregular = irregular.into_iter().peekable();
    for (number, place) in cells.places.iter().enumerate() {
        if irregular.next_if_eq(&number).is_some() {
            literal.extend(original(*place));
        } else if number == 0 && is_named {
            rows.names = Some(row(cells, 0));
        } else {
            rows.cells.extend(row(cells, number));
        }
    }
    listing.settle(&rows, &tracks);
    if let Some(rules) = ruled.rules {
        let rule = lines.get(*ruled.at.first()?)?;
        listing.rules = listing.rules_like(rule, rules, &rows);
    }
    if listing.rules.is_none() {
        literal.extend(&ruled.at);
    }
    literal.sort_unstable();
    let literal: Vec<Literal<'a>> = literal
        .iter()
        .filter_map(|at| Some((*at, *lines.get(*at)?)))
        .collect();
    Some(Found {
        style: Style::Listing(listing),
        rows,
        literal,
    })
}

fn row<'a>(cells: &Cells<'a>, number: usize) -> Vec<Cow<'a, str>> {
    let columns = cells.columns;
    let cells = cells.cells.iter().skip(number * columns).take(columns);
    cells.map(|cell| Cow::Borrowed(cell.text)).collect()
}

/// The listing that draws most rows exactly, and the numbers of the rows that it draws differently.
fn drawn_by(
    cells: &Cells<'_>,
    ruled: &Ruled<'_>,
    measure: Measure,
    tracks: &[Track],
    look: usize,
) -> Option<(Listing, Vec<usize>)> {
    let mut best: Option<(Listing, Vec<usize>)> = None;
    let mut line = String::new();
    let width = cells
        .places
        .first()
        .and_then(|place| ruled.rest.get(*place));
    let width = width.map_or(0, |line| measure.of(line));
    let tails = [Tail::Trimmed, Tail::Begun, Tail::Full(width)];
    for (shifts, tail) in [false, true]
        .into_iter()
        .flat_map(|shifts| tails.map(|tail| (shifts, tail)))
    {
        let listing = Listing {
            measure,
            shifts,
            tail,
            ..Listing::plain()
        };
        let most = best
            .as_ref()
            .map_or(usize::MAX, |(_, irregular)| irregular.len());
        let mut irregular = Vec::new();
        for (number, place) in cells.places.iter().enumerate() {
            // The first `look` rows represent all rows, unless one of them is irregular.
            if number >= look && irregular.is_empty() {
                break;
            }
            line.clear();
            listing.line(&mut line, &row(cells, number), tracks);
            if ruled.rest.get(*place) != Some(&&*line) {
                irregular.push(number);
                if irregular.len() >= most {
                    break;
                }
            }
        }
        if irregular.len() < most {
            let is_perfect = irregular.is_empty();
            best = Some((listing, irregular));
            if is_perfect {
                break;
            }
        }
    }
    best
}

/// The position of a column, where most of its cells begin or end.
fn track(cells: &Cells<'_>, column: usize, measure: Measure) -> Track {
    let all = cells.cells.iter().skip(column).step_by(cells.columns);
    let filled = all.filter(|cell| !cell.text.is_empty());
    let mut starts: Vec<usize> = filled.clone().map(|cell| cell.at).collect();
    let mut ends: Vec<usize> = filled.map(|cell| cell.at + measure.of(cell.text)).collect();
    let (start, starting) = mode(&mut starts);
    let (end, ending) = mode(&mut ends);
    let is_right = ending > starting;
    Track {
        is_right,
        start: isize::try_from(if is_right { end } else { start }).unwrap_or(0),
        width: 0,
    }
}

fn mode(numbers: &mut [usize]) -> (usize, usize) {
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|a, b| a == b);
    runs.max_by_key(|run| run.len())
        .map_or((0, 0), |run| (run[0], run.len()))
}

/// Whether the first row has names. `None` if names are above other columns than their own.
fn named(cells: &Cells<'_>, tracks: &[Track], ruled: bool) -> Option<bool> {
    let columns = cells.columns;
    let first = cells.cells.get(..columns)?;
    let second = cells.cells.get(columns..columns * 2)?;
    let numbers = first
        .iter()
        .zip(second)
        .any(|(a, b)| is_number(a.text) && is_number(b.text));
    let same = first.iter().zip(second);
    let same = same.filter(|(a, b)| a.text == b.text && !a.text.is_empty());
    let same = same.count() * 3 > columns;
    let is_named = ruled || !(numbers || same);
    if is_named {
        for (i, (name, track)) in first.iter().zip(tracks).enumerate() {
            let from = isize::try_from(name.at).ok()?;
            let inside = if track.is_right {
                from < track.start
            } else {
                from <= track.start.saturating_add(1) || i == 0
            };
            if !name.text.is_empty() && !inside {
                return None;
            }
        }
    }
    Some(is_named)
}

impl Listing {
    /// The rules, if they are drawn like this line.
    fn rules_like(&self, line: &str, rules: Rules, rows: &Rows<'_>) -> Option<Rules> {
        let tracks = self.tracks(rows);
        let mut drawn = String::new();
        let choices = [false, true].map(|named| Rules { named, ..rules });
        choices.into_iter().find(|rules| {
            drawn.clear();
            self.rule(&mut drawn, *rules, &tracks, rows.names.as_deref());
            drawn == line
        })
    }

    /// Describes the positions of columns as a gap with exceptions.
    fn settle(&mut self, rows: &Rows<'_>, tracks: &[Track]) {
        let widths = least(rows, self.measure);
        self.right = (0..tracks.len())
            .filter(|i| tracks.get(*i).is_some_and(|track| track.is_right))
            .collect();
        let mut fewest = usize::MAX;
        for gap in [1, 2, 3, 4] {
            let mut here: isize = 0;
            let mut extras = Vec::new();
            for (i, (track, width)) in tracks.iter().zip(&widths).enumerate() {
                if i > 0 {
                    here += gap;
                }
                let start = if track.is_right {
                    track.start.saturating_sub_unsigned(*width)
                } else {
                    track.start
                };
                if start != here {
                    extras.push((i, start - here));
                }
                here = start.saturating_add_unsigned(*width);
            }
            if extras.len() < fewest {
                fewest = extras.len();
                self.gap = gap.unsigned_abs();
                self.extra = extras;
            }
        }
    }
}
