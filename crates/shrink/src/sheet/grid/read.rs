//! Infers how a table with rules is drawn.

use std::borrow::Cow;

use super::frame::Bars;
use super::plan::{FieldLine, Plan};
use super::ruler::{Cut, Ruler};
use super::{Grid, GridWriter, Tail, count, least};
use crate::context::Stop;
use crate::sheet::Found;
use crate::sheet::align::{self, Align, Votes};
use crate::sheet::measure::Measure;
use crate::sheet::rows::Rows;
use crate::sheet::style::Style;

/// Parses a table with rules. The drawing is checked against the first `look` rows.
pub(in crate::sheet) fn read<'a>(lines: &[&'a str], look: usize, stop: &Stop) -> Option<Found<'a>> {
    let rulers = lines.iter().take(12).filter_map(|line| Ruler::of(line));
    let ruler = rulers.max_by_key(|ruler| ruler.stops.len())?;
    let measures = if lines.iter().all(|line| line.is_ascii()) {
        &Measure::ALL[..1]
    } else {
        &Measure::ALL[..]
    };
    let mut best: Option<Cut<'a>> = None;
    for measure in measures {
        let cut = ruler.cut(lines, *measure, stop)?;
        let is_whole = cut.is_whole();
        if best.as_ref().is_none_or(|best| cut.rows > best.rows) {
            best = Some(cut);
        }
        if is_whole {
            break;
        }
    }
    let cut = best?;
    let plan = Plan::of(&cut.lines)?;
    let space = spaces(&cut, &plan, ruler.columns());
    let widths = widths(&ruler, space)?;
    let fit = Fit {
        lines,
        cut: &cut,
        plan: &plan,
        columns: ruler.columns(),
        space,
        widths: &widths,
    };
    fit.found(&ruler, look)
}

/// A table cut into fields, and its layout.
struct Fit<'f, 'a> {
    lines: &'f [&'a str],
    cut: &'f Cut<'a>,
    plan: &'f Plan,
    columns: usize,
    space: (usize, usize),
    widths: &'f [usize],
}

impl<'a> Fit<'_, 'a> {
    fn found(&self, ruler: &Ruler, look: usize) -> Option<Found<'a>> {
        let frame = self.plan.frame;
        let mut grid = Grid::plain(frame);
        grid.indent = ruler.indent;
        grid.measure = self.cut.measure;
        grid.space = self.space;
        let aligns = self.aligns();
        let name_lines: Vec<Vec<&str>> = self.plan.names.iter().map(|at| self.names(*at)).collect();
        let (names, joined) = join(&name_lines)?;
        grid.joined = joined;
        let writer = GridWriter {
            grid: &grid.clone(),
            widths: self.widths,
        };
        if !name_lines.is_empty() {
            let (name_aligns, tail) = self.name_style(&writer, &name_lines, &aligns)?;
            grid.names = (name_aligns != frame.names(&aligns)).then_some(name_aligns);
            grid.tails.1 = tail;
        }
        let (tail, irregular) = self.irregular_rows(&writer, &aligns, look)?;
        if irregular.len() > self.plan.len() / 4
            || (frame.between.is_some() && !irregular.is_empty())
        {
            return None;
        }
        grid.tails.0 = tail;
        let mut literal = self.plan.literal.clone();
        let rows = Rows {
            width: self.columns,
            names: (!name_lines.is_empty()).then_some(names),
            cells: self.cells(&aligns, &irregular, &mut literal),
        };
        grid.aligns = (align::usual(&rows) != aligns).then_some(aligns);
        let needed = least(&rows, &name_lines, self.cut.measure);
        let widths = self.widths.iter().copied().zip(needed).enumerate();
        let wider = widths.filter(|(_, (width, needed))| width != needed);
        grid.widths = wider.map(|(i, (width, _))| (i, width)).collect();
        if let Some((at, line)) = self
            .plan
            .below
            .and_then(|at| Some((at, self.lines.get(at)?)))
            && *line == count(rows.len())
            && literal.iter().all(|one| *one >= at)
        {
            grid.counted = true;
            literal.retain(|one| *one != at);
        }
        literal.sort_unstable();
        let literal = literal
            .iter()
            .filter_map(|at| Some((*at, *self.lines.get(*at)?)));
        Some(Found {
            style: Style::Grid(grid),
            rows,
            literal: literal.collect(),
        })
    }

    /// The fields of a line.
    fn fields(&self, (_, start): FieldLine) -> &[&'a str] {
        self.cut
            .fields
            .get(start..start + self.columns)
            .unwrap_or_default()
    }

    /// The alignment of each column.
    fn aligns(&self) -> Vec<Align> {
        let mut votes = vec![Votes::default(); self.columns];
        for place in self.plan.places().iter().take(1000) {
            for ((field, width), votes) in
                self.fields(*place).iter().zip(self.widths).zip(&mut votes)
            {
                votes.cast(strip(field, self.space), *width, self.cut.measure);
            }
        }
        votes
            .iter()
            .map(|votes| votes.elected_or(votes.usual()))
            .collect()
    }

    fn names(&self, place: FieldLine) -> Vec<&'a str> {
        let fields = self.fields(place).iter();
        fields
            .map(|field| strip(field, self.space).trim_matches(' '))
            .collect()
    }

    /// The alignment of the names, and how their lines end.
    fn name_style(
        &self,
        writer: &GridWriter<'_>,
        names: &[Vec<&str>],
        aligns: &[Align],
    ) -> Option<(Vec<Align>, Tail)> {
        let bars = self.plan.frame.names;
        let mut choices = vec![self.plan.frame.names(aligns), aligns.to_vec()];
        choices.extend(Align::ALL.map(|one| vec![one; self.columns]));
        let mut line = String::new();
        for choice in choices {
            for tail in tails(bars) {
                let fits = self.plan.names.iter().zip(names).all(|((at, _), names)| {
                    line.clear();
                    writer.row(&mut line, names, bars, &choice, *tail);
                    self.lines.get(*at) == Some(&&*line)
                });
                if fits {
                    return Some((choice, *tail));
                }
            }
        }
        None
    }

    /// How rows end, and the rows that are drawn in another way.
    fn irregular_rows(
        &self,
        writer: &GridWriter<'_>,
        aligns: &[Align],
        look: usize,
    ) -> Option<(Tail, Vec<usize>)> {
        let bars = self.plan.frame.rows;
        let mut line = String::new();
        let mut cells: Vec<&str> = Vec::with_capacity(self.columns);
        let mut fits = |place: FieldLine, tail: Tail| {
            let fields = self.fields(place).iter().zip(aligns);
            cells.clear();
            cells.extend(fields.map(|(field, align)| align.trim(strip(field, self.space))));
            line.clear();
            writer.row(&mut line, &cells, bars, aligns, tail);
            self.lines.get(place.0) == Some(&&*line)
        };
        let mut best: Option<(Tail, Vec<usize>)> = None;
        for tail in tails(bars) {
            let mut irregular = Vec::new();
            for number in 0..self.plan.len() {
                // The first `look` rows represent all rows, unless one of them is irregular.
                if number >= look && irregular.is_empty() {
                    break;
                }
                if !self
                    .plan
                    .row(number)
                    .iter()
                    .all(|place| fits(*place, *tail))
                {
                    irregular.push(number);
                }
            }
            let is_perfect = irregular.is_empty();
            if best
                .as_ref()
                .is_none_or(|(_, least)| irregular.len() < least.len())
            {
                best = Some((*tail, irregular));
            }
            if is_perfect {
                break;
            }
        }
        best
    }

    fn cells(
        &self,
        aligns: &[Align],
        irregular: &[usize],
        literal: &mut Vec<usize>,
    ) -> Vec<Cow<'a, str>> {
        let mut cells = Vec::with_capacity(self.plan.len() * self.columns);
        let mut irregular = irregular.iter().peekable();
        for number in 0..self.plan.len() {
            let places = self.plan.row(number);
            if irregular.next_if_eq(&&number).is_some() {
                literal.extend(places.iter().map(|(at, _)| *at));
                continue;
            }
            let trimmed = |field: &&'a str, align: &Align| align.trim(strip(field, self.space));
            if let [place] = places {
                let fields = self.fields(*place).iter().zip(aligns);
                cells.extend(fields.map(|(field, align)| Cow::Borrowed(trimmed(field, align))));
                continue;
            }
            for (i, align) in aligns.iter().enumerate() {
                let fields = places.iter().filter_map(|place| self.fields(*place).get(i));
                cells.push(Cow::Owned(several(
                    fields.map(|field| trimmed(field, align)),
                )));
            }
        }
        cells
    }
}

/// The possible ends of a line.
const fn tails(bars: Bars) -> &'static [Tail] {
    if bars.is_closed() {
        &[Tail::Padded]
    } else {
        &[Tail::Bare, Tail::Padded, Tail::Trimmed]
    }
}

/// Joins the lines of a cell. Empty lines at the end belong to taller cells of the row.
fn several<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let mut cell = parts.collect::<Vec<_>>().join("\n");
    cell.truncate(cell.trim_end_matches('\n').len());
    cell
}

/// The spaces that nearly every cell has before and after it.
fn spaces(cut: &Cut<'_>, plan: &Plan, columns: usize) -> (usize, usize) {
    let mut all = 0_usize;
    let mut before = 0_usize;
    let mut after = 0_usize;
    for (_, start) in plan.places().iter().take(1000) {
        for field in cut.fields.iter().skip(*start).take(columns) {
            all += 1;
            before += usize::from(field.starts_with(' '));
            after += usize::from(field.ends_with(' '));
        }
    }
    let most = |count: usize| usize::from(count * 10 >= all * 9);
    // The last cell of a line may lack the space after it.
    (most(before), most(after.max(before)))
}

fn strip(field: &str, space: (usize, usize)) -> &str {
    let field = match space.0 {
        0 => field,
        _ => field.strip_prefix(' ').unwrap_or(field),
    };
    match space.1 {
        0 => field,
        _ => field.strip_suffix(' ').unwrap_or(field),
    }
}

fn widths(ruler: &Ruler, space: (usize, usize)) -> Option<Vec<usize>> {
    let mut widths = Vec::with_capacity(ruler.columns());
    let mut start = usize::from(ruler.has_left);
    let last = ruler.right.unwrap_or(ruler.end);
    for stop in ruler.stops.iter().copied().chain([last]) {
        widths.push((stop - start).checked_sub(space.0 + space.1)?);
        start = stop + 1;
    }
    Some(widths)
}

/// The names, and the character that joins their lines.
type Joined<'a> = (Vec<Cow<'a, str>>, Option<char>);

fn join<'a>(lines: &[Vec<&'a str>]) -> Option<Joined<'a>> {
    let Some((first, more)) = lines.split_first() else {
        return Some((Vec::new(), None));
    };
    if more.is_empty() {
        return Some((first.iter().copied().map(Cow::Borrowed).collect(), None));
    }
    let is_free = |c: &char| !lines.iter().flatten().any(|name| name.contains(*c));
    let joint = ['/', ',', '^', '&'].into_iter().find(is_free)?;
    let mut names: Vec<String> = first.iter().map(|name| (*name).to_owned()).collect();
    for line in more {
        for (name, part) in names.iter_mut().zip(line) {
            name.push(joint);
            name.push_str(part);
        }
    }
    Some((names.into_iter().map(Cow::Owned).collect(), Some(joint)))
}
