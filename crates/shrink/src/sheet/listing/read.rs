//! Finding out how a listing is laid out.

use std::borrow::Cow;

use super::cells::{Cells, at_gaps, at_gutters, at_spaces, at_starts};
use super::{Listing, Rules, Stop, Tail, least};
use crate::sheet::Found;
use crate::sheet::measure::Measure;
use crate::sheet::page::Literal;
use crate::sheet::rows::{Rows, is_number};
use crate::sheet::style::Style;

/// A listing, if that is what the lines are, taken apart in the way that explains most of it. Of so many
/// rows it is made sure that they are drawn the same.
pub(in crate::sheet) fn read<'a>(lines: &[&'a str], look: usize) -> Option<Found<'a>> {
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
            &|| starts.map(|starts| at_starts(&ruled.rest, starts, *measure)),
            &|| at_spaces(&ruled.rest, *measure),
            &|| at_gutters(&ruled.rest, *measure, is_named),
            &|| at_gaps(&ruled.rest, *measure),
        ];
        for cells in ways {
            let found = cells().and_then(|cells| fit(&cells, lines, &ruled, *measure, look));
            let Some(found) = found else { continue };
            if found.literal.is_empty() {
                return Some(found);
            }
            let fewer = |best: &Found<'_>| found.literal.len() < best.literal.len();
            if best.as_ref().is_none_or(fewer) {
                best = Some(found);
            }
        }
    }
    best
}

/// Whether the first line looks like names: it has no digits, or is in capitals.
fn is_header(lines: &[&str]) -> bool {
    let Some(first) = lines.first() else {
        return false;
    };
    let digits = first.bytes().any(|byte| byte.is_ascii_digit());
    let small = first.bytes().any(|byte| byte.is_ascii_lowercase());
    !first.is_empty() && (!digits || !small)
}

/// The lines without those that consist of dashes.
struct Ruled<'a> {
    rest: Vec<&'a str>,
    /// Which line each of them is.
    places: Vec<usize>,
    /// The lines of dashes.
    at: Vec<usize>,
    rules: Option<Rules>,
    /// Where runs of dashes begin.
    starts: Option<Vec<usize>>,
}

impl<'a> Ruled<'a> {
    fn of(lines: &[&'a str]) -> Self {
        let mut ruled = Self {
            rest: Vec::with_capacity(lines.len()),
            places: Vec::with_capacity(lines.len()),
            at: Vec::new(),
            rules: None,
            starts: None,
        };
        for (at, line) in lines.iter().enumerate() {
            match dashes(line) {
                Some(dash) => {
                    ruled.at.push(at);
                    ruled.rules.get_or_insert(Rules {
                        dash,
                        named: false,
                        places: [false; 3],
                    });
                    ruled.starts.get_or_insert_with(|| starts(line, dash));
                }
                None => {
                    ruled.rest.push(line);
                    ruled.places.push(at);
                }
            }
        }
        let above = ruled.at.first() == Some(&0);
        let expected: &[usize] = match (above, ruled.at.len()) {
            (true, 3) => &[0, 2],
            (true, 2) => &[0],
            (false, 2) => &[1],
            (false, 1) => &[1],
            _ => &[],
        };
        let ends = ruled.at.last() == Some(&(lines.len() - 1)) && ruled.at.len() > 1;
        let given = ruled.at.get(..expected.len()) == Some(expected) && !expected.is_empty();
        match &mut ruled.rules {
            Some(rules) if given => {
                rules.places = [above, expected.len() > usize::from(above), ends]
            }
            _ => ruled.rules = None,
        }
        ruled
    }
}

/// Whether a line consists of runs of one character such as `-`.
fn dashes(line: &str) -> Option<char> {
    let dash = line.trim_start_matches(' ').chars().next()?;
    let is_rule = matches!(dash, '-' | '=' | '─' | '━' | '═')
        && line.chars().all(|c| c == dash || c == ' ')
        && line.contains(' ')
        && line.chars().filter(|c| *c == dash).nth(2).is_some();
    is_rule.then_some(dash)
}

fn starts(line: &str, dash: char) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut before = ' ';
    for (at, c) in line.chars().enumerate() {
        if c == dash && before == ' ' {
            starts.push(at);
        }
        before = c;
    }
    starts
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
    if columns < 2 || count < 2 || cells.odd.len() > 3 + ruled.rest.len() / 4 {
        return None;
    }
    let stops: Vec<Stop> = (0..columns).map(|i| stop(cells, i, measure)).collect();
    let is_named = named(cells, &stops, measure, ruled.rules.is_some())?;
    let row = |number: usize| -> Vec<Cow<'a, str>> {
        let cells = cells.cells.iter().skip(number * columns).take(columns);
        cells.map(|cell| Cow::Borrowed(cell.text)).collect()
    };
    let mut best: Option<(Listing, Vec<usize>)> = None;
    let mut line = String::new();
    for (shifts, tail) in [false, true]
        .into_iter()
        .flat_map(|shifts| Tail::ALL.map(|tail| (shifts, tail)))
    {
        let listing = Listing {
            measure,
            shifts,
            tail,
            ..Listing::plain()
        };
        let most = best.as_ref().map_or(usize::MAX, |(_, odd)| odd.len());
        let mut odd = Vec::new();
        for (number, place) in cells.places.iter().enumerate() {
            // The first ones are as good as all, until one is odd.
            if number >= look && odd.is_empty() {
                break;
            }
            line.clear();
            listing.line(&mut line, &row(number), &stops);
            if ruled.rest.get(*place) != Some(&&*line) {
                odd.push(number);
                if odd.len() >= most {
                    break;
                }
            }
        }
        if odd.len() < most {
            let is_perfect = odd.is_empty();
            best = Some((listing, odd));
            if is_perfect {
                break;
            }
        }
    }
    let (mut listing, odd) = best?;
    if odd.len() * 4 > count || (is_named && odd.first() == Some(&0)) {
        return None;
    }
    let original = |number: usize| ruled.places.get(number).copied();
    let mut literal: Vec<usize> = cells
        .odd
        .iter()
        .filter_map(|number| original(*number))
        .collect();
    let mut rows = Rows {
        width: columns,
        names: None,
        cells: Vec::with_capacity(cells.cells.len()),
    };
    let mut odd = odd.into_iter().peekable();
    for (number, place) in cells.places.iter().enumerate() {
        if odd.next_if_eq(&number).is_some() {
            literal.extend(original(*place));
        } else if number == 0 && is_named {
            rows.names = Some(row(0));
        } else {
            rows.cells.extend(row(number));
        }
    }
    listing.settle(&rows, &stops);
    match ruled.rules {
        Some(rules) => {
            listing.rules = Some(rules);
            let rule = lines.get(*ruled.at.first()?)?;
            let stops = listing.stops(&rows);
            let fits = [false, true].into_iter().find(|named| {
                let rules = Rules {
                    named: *named,
                    ..rules
                };
                line.clear();
                listing.rule(&mut line, rules, &stops, rows.names.as_deref());
                line == **rule
            });
            match fits {
                Some(named) => listing.rules = Some(Rules { named, ..rules }),
                None => {
                    listing.rules = None;
                    literal.extend(&ruled.at);
                }
            }
        }
        None => literal.extend(&ruled.at),
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

/// Where a column is: most of its cells begin or end there.
fn stop(cells: &Cells<'_>, column: usize, measure: Measure) -> Stop {
    let all = cells.cells.iter().skip(column).step_by(cells.columns);
    let filled = all.filter(|cell| !cell.text.is_empty());
    let mut starts: Vec<usize> = filled.clone().map(|cell| cell.at).collect();
    let mut ends: Vec<usize> = filled.map(|cell| cell.at + measure.of(cell.text)).collect();
    let (start, starting) = mode(&mut starts);
    let (end, ending) = mode(&mut ends);
    let is_right = ending > starting;
    Stop {
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

/// Whether the first row is names. `None` if its words stand over other columns than their own.
fn named(cells: &Cells<'_>, stops: &[Stop], measure: Measure, ruled: bool) -> Option<bool> {
    let columns = cells.columns;
    let first = cells.cells.get(..columns)?;
    let second = cells.cells.get(columns..columns * 2)?;
    let numbers = first
        .iter()
        .zip(second)
        .any(|(a, b)| is_number(a.text) && is_number(b.text));
    let same = first
        .iter()
        .zip(second)
        .any(|(a, b)| a.text == b.text && !a.text.is_empty());
    let is_named = ruled || !(numbers || same);
    if is_named {
        for (i, (name, stop)) in first.iter().zip(stops).enumerate() {
            let from = isize::try_from(name.at).ok()?;
            let to = from.saturating_add_unsigned(measure.of(name.text));
            let inside = match stop.is_right {
                true => from < stop.start && stop.start <= to.max(stop.start),
                false => from <= stop.start.saturating_add(1) || i == 0,
            };
            if !name.text.is_empty() && !inside {
                return None;
            }
        }
    }
    Some(is_named)
}

impl Listing {
    /// Says where the columns are by what is usual and what is not.
    fn settle(&mut self, rows: &Rows<'_>, stops: &[Stop]) {
        let widths = least(rows, self.measure);
        self.right = (0..stops.len())
            .filter(|i| stops.get(*i).is_some_and(|stop| stop.is_right))
            .collect();
        let mut fewest = usize::MAX;
        for gap in [1, 2, 3, 4] {
            let mut here: isize = 0;
            let mut extras = Vec::new();
            for (i, (stop, width)) in stops.iter().zip(&widths).enumerate() {
                if i > 0 {
                    here += gap;
                }
                let start = match stop.is_right {
                    true => stop.start.saturating_sub_unsigned(*width),
                    false => stop.start,
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
