//! Several ways to cut the lines of a listing into cells.

use crate::sheet::measure::{LineCursor, Measure};

/// A cell and its column on the screen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

/// The lines that were cut into the same number of cells, and those that were not.
pub(super) struct Cells<'a> {
    pub(super) columns: usize,
    /// Row by row.
    pub(super) cells: Vec<Placed<'a>>,
    /// The line number of each row.
    pub(super) places: Vec<usize>,
    pub(super) irregular: Vec<usize>,
}

/// Cuts at every run of spaces. The last column is the rest of the line.
pub(super) fn at_spaces<'a>(lines: &[&'a str], measure: Measure) -> Option<Cells<'a>> {
    let counts: Vec<usize> = lines.iter().map(|line| words(line)).collect();
    let columns = low(&counts)?;
    if columns > 64 {
        return None;
    }
    let mut cells = Cells::new(columns);
    for (number, (line, count)) in lines.iter().zip(&counts).enumerate() {
        if *count < columns {
            cells.irregular.push(number);
            continue;
        }
        cells.places.push(number);
        let mut cursor = LineCursor::new(line, measure);
        let mut rest = *line;
        for i in 0..columns {
            rest = rest.trim_start_matches(' ');
            let end = if i + 1 == columns {
                rest.trim_end_matches(' ').len()
            } else {
                rest.find(' ').unwrap_or(rest.len())
            };
            let (text, more) = rest.split_at(end);
            let at = cursor.column_of(line.len() - rest.len());
            cells.cells.push(Placed { text, at });
            rest = more;
        }
    }
    // The text has more columns than its shortest line has words.
    let rests = cells.cells.iter().skip(columns - 1).step_by(columns);
    let several = rests.filter(|rest| rest.text.contains("  ")).count();
    (several * 4 <= cells.places.len()).then_some(cells)
}

/// Cuts at two or more spaces.
pub(super) fn at_gaps<'a>(lines: &[&'a str], measure: Measure) -> Option<Cells<'a>> {
    let parts = |line: &&'a str| -> usize { gaps(line).count() };
    let counts: Vec<usize> = lines.iter().map(parts).collect();
    let columns = most(&counts)?;
    let mut cells = Cells::new(columns);
    for (number, (line, count)) in lines.iter().zip(&counts).enumerate() {
        if *count != columns {
            cells.irregular.push(number);
            continue;
        }
        cells.places.push(number);
        let mut cursor = LineCursor::new(line, measure);
        for (start, text) in gaps(line) {
            let at = cursor.column_of(start);
            cells.cells.push(Placed { text, at });
        }
    }
    Some(cells)
}

/// Cuts at the screen columns that are blank in every line, or in all but a few.
pub(super) fn at_gutters<'a>(
    lines: &[&'a str],
    measure: Measure,
    is_named: bool,
) -> Option<Cells<'a>> {
    let width = lines.iter().map(|line| measure.of(line)).max()?;
    let mut filled = vec![0_usize; width + 1];
    let few = lines.len() / 25;
    for (number, line) in lines.iter().enumerate() {
        // A name implies a column, even if all cells below it are empty.
        let weight = if number == 0 && is_named { few + 1 } else { 1 };
        let mut place = 0;
        for c in line.chars() {
            let wide = measure.of_char(c);
            if c != ' ' {
                for filled in filled.iter_mut().skip(place).take(wide.max(1)) {
                    *filled += weight;
                }
            }
            place += wide;
        }
    }
    let named = lines.first().filter(|_| is_named);
    let mut starts: Vec<usize> = Vec::new();
    let mut is_blank = true;
    for (at, filled) in filled.iter().enumerate() {
        let blank = *filled <= few;
        if is_blank && !blank {
            starts.push(at);
        }
        is_blank = blank;
    }
    if let Some(names) = named {
        name_columns(&mut starts, names, &filled, few, measure);
    }
    if starts.len() < 2 {
        return None;
    }
    at_starts(lines, &starts, measure)
}

/// Removes starts that do not begin a column: those without a name if there are names, and spaces inside a name with
/// nothing below.
fn name_columns(
    starts: &mut Vec<usize>,
    names: &str,
    filled: &[usize],
    few: usize,
    measure: Measure,
) {
    let mut has_name = vec![false; starts.len()];
    let mut place = 0;
    let mut column = 0;
    for c in names.chars() {
        while starts.get(column + 1).is_some_and(|next| place >= *next) {
            column += 1;
        }
        if let (true, Some(has_name)) = (c != ' ', has_name.get_mut(column)) {
            *has_name = true;
        }
        place += measure.of_char(c);
    }
    let is_column = |i: usize, start: usize| {
        let end = starts.get(i + 1).copied().unwrap_or(filled.len());
        let inside = filled.get(start..end).unwrap_or_default();
        let is_empty = inside
            .iter()
            .all(|filled| *filled == 0 || *filled == few + 1);
        let is_near = start > 1 && filled.get(start - 2).is_some_and(|filled| *filled > 0);
        i == 0 || (has_name.get(i) == Some(&true) && !(is_empty && is_near))
    };
    let columns = starts.iter().enumerate();
    let columns = columns.filter(|(i, start)| is_column(*i, **start));
    *starts = columns.map(|(_, start)| *start).collect();
}

/// Cuts at given positions: each column extends to the next start, with a space before it.
///
/// Short lines have cells, too; if there are many more cells than bytes, this is not a listing.
pub(super) fn at_starts<'a>(
    lines: &[&'a str],
    starts: &[usize],
    measure: Measure,
) -> Option<Cells<'a>> {
    let bytes: usize = lines.iter().map(|line| line.len()).sum();
    if starts.len().saturating_mul(lines.len()) > bytes.saturating_mul(4).saturating_add(4096) {
        return None;
    }
    let mut cells = Cells::new(starts.len());
    for (number, line) in lines.iter().enumerate() {
        let before = cells.cells.len();
        match cut(line, starts, measure, &mut cells.cells) {
            Some(()) => cells.places.push(number),
            None => {
                cells.cells.truncate(before);
                cells.irregular.push(number);
            }
        }
    }
    Some(cells)
}

fn cut<'a>(
    line: &'a str,
    starts: &[usize],
    measure: Measure,
    cells: &mut Vec<Placed<'a>>,
) -> Option<()> {
    let mut cursor = LineCursor::new(line, measure);
    let mut byte = cursor.byte_at(*starts.first()?)?;
    if !line.get(..byte)?.trim_matches(' ').is_empty() {
        return None;
    }
    for (i, start) in starts.iter().enumerate() {
        let end = match starts.get(i + 1) {
            Some(next) => cursor.byte_at(*next)?,
            None => line.len(),
        };
        let field = line.get(byte..end)?;
        if end < line.len() && !field.ends_with(' ') {
            return None;
        }
        let text = field.trim_matches(' ');
        let lead = field.len() - field.trim_start_matches(' ').len();
        let at = start + if text.is_empty() { 0 } else { lead };
        cells.push(Placed { text, at });
        byte = end;
    }
    Some(())
}

impl Cells<'_> {
    const fn new(columns: usize) -> Self {
        Self {
            columns,
            cells: Vec::new(),
            places: Vec::new(),
            irregular: Vec::new(),
        }
    }
}

/// The number of words of a line.
fn words(line: &str) -> usize {
    line.split(' ').filter(|word| !word.is_empty()).count()
}

/// The parts of a line between runs of two or more spaces, with their offsets.
fn gaps(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = line.get(at..)?;
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        let rest = rest.get(spaces..)?;
        if rest.is_empty() {
            return None;
        }
        let start = at + spaces;
        let end = rest.find("  ").unwrap_or(rest.len());
        at = start + end;
        let text = rest.get(..end)?;
        Some((start, text.trim_end_matches(' ')))
    })
}

/// A count that nearly all lines reach.
fn low(counts: &[usize]) -> Option<usize> {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    // The first line and the last few are often not part of the listing.
    let skip = (sorted.len() / 20).max(usize::from(sorted.len() > 3));
    let low = sorted.get(skip).copied().filter(|low| *low > 1)?;
    let lowest = sorted.iter().copied().find(|count| *count > 1)?;
    Some(if sorted.first() == Some(&lowest) && lowest * 2 > low {
        lowest
    } else {
        low
    })
}

/// The most frequent count.
fn most(counts: &[usize]) -> Option<usize> {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|a, b| a == b).filter(|run| run[0] > 1);
    runs.max_by_key(|run| run.len()).map(|run| run[0])
}
