//! Tables with rules and bars: output of databases, tables drawn in terminals, reStructuredText.

mod frame;
mod plan;
mod read;
mod ruler;

use self::frame::{Bars, Frame, Rule};
pub(super) use self::read::read;
use super::align::{self, Align};
use super::head::{Words, numbers, parse_numbers};
use super::measure::Measure;
use super::page::{Page, fill};
use super::rows::Rows;
use crate::rendering::Malformed;

/// How a table is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grid {
    frame: Frame,
    indent: usize,
    /// The spaces between a bar and a cell, on its left and on its right.
    space: (usize, usize),
    /// The alignment of cells; `None` is the usual one.
    aligns: Option<Vec<Align>>,
    /// The alignment of names; `None` is the usual one of the frame.
    names: Option<Vec<Align>>,
    /// Columns that are wider than their cells require, with their widths.
    widths: Vec<(usize, usize)>,
    measure: Measure,
    /// How the last cell of a row ends, and how the last name ends.
    tails: (Tail, Tail),
    /// The character that joins the lines of names with several lines.
    joined: Option<char>,
    /// Whether the number of rows is below the table.
    counted: bool,
}

/// The end of the last cell if there is no bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Tail {
    /// Spaces up to the width of the column.
    #[default]
    Padded,
    /// No spaces.
    Bare,
    /// No spaces, not even before an empty cell.
    Trimmed,
}

/// Draws the lines of a grid.
struct GridWriter<'a> {
    grid: &'a Grid,
    widths: &'a [usize],
}

impl GridWriter<'_> {
    fn row(&self, out: &mut String, cells: &[&str], bars: Bars, aligns: &[Align], tail: Tail) {
        let start = out.len();
        let (before, after) = self.grid.space;
        fill(out, ' ', self.grid.indent);
        out.extend(bars.left);
        for (i, cell) in cells.iter().enumerate() {
            if i > 0 {
                out.push(bars.mid);
            }
            let is_last = i + 1 == cells.len();
            let width = self.widths.get(i).copied().unwrap_or(0);
            let align = aligns.get(i).copied().unwrap_or(Align::Left);
            let spaces = width.saturating_sub(self.grid.measure.of(cell));
            let (left, right) = align.split(spaces, width);
            fill(out, ' ', before + left);
            out.push_str(cell);
            if !is_last || tail == Tail::Padded {
                fill(out, ' ', right + after);
            }
        }
        if tail == Tail::Trimmed {
            let kept = out.trim_end_matches(' ').len().max(start);
            out.truncate(kept);
        }
        out.extend(bars.right);
    }

    fn rule(&self, out: &mut String, rule: Rule) {
        let (before, after) = self.grid.space;
        fill(out, ' ', self.grid.indent);
        out.extend(rule.left);
        for (i, width) in self.widths.iter().enumerate() {
            if i > 0 {
                out.push(rule.cross);
            }
            fill(out, rule.fill, before + width + after);
        }
        out.extend(rule.right);
    }
}

impl Grid {
    /// Draws the table.
    pub(super) fn draw(&self, rows: &Rows<'_>, page: &mut Page<'_>) -> Result<(), Malformed> {
        let names = self.name_lines(rows)?;
        let widths = self.widths(rows, &names)?;
        let writer = GridWriter {
            grid: self,
            widths: &widths,
        };
        let usual;
        let aligns = match &self.aligns {
            Some(aligns) => aligns,
            None => {
                usual = align::usual(rows);
                &usual
            }
        };
        let rule = |page: &mut Page<'_>, rule: Option<Rule>| match rule {
            Some(rule) => page.line(|out| writer.rule(out, rule)),
            None => Ok(()),
        };
        rule(page, self.frame.top)?;
        let usual_names;
        let name_aligns = match &self.names {
            Some(names) => names,
            None => {
                usual_names = self.frame.names(aligns);
                &usual_names
            }
        };
        for line in &names {
            page.line(|out| writer.row(out, line, self.frame.names, name_aligns, self.tails.1))?;
        }
        if !names.is_empty() {
            rule(page, self.frame.under)?;
        }
        let mut parts: Vec<&str> = Vec::new();
        for (i, row) in rows.rows().enumerate() {
            if i > 0 {
                rule(page, self.frame.between)?;
            }
            let height = match self.frame.between {
                Some(_) => row.iter().map(|cell| height(cell)).max().unwrap_or(1),
                None => 1,
            };
            if height == 1 {
                parts.clear();
                parts.extend(row.iter().map(|cell| &**cell));
                page.line(|out| writer.row(out, &parts, self.frame.rows, aligns, self.tails.0))?;
                continue;
            }
            let mut lines: Vec<_> = row.iter().map(|cell| cell.split('\n')).collect();
            for _ in 0..height {
                parts.clear();
                parts.extend(lines.iter_mut().map(|cell| cell.next().unwrap_or("")));
                page.line(|out| writer.row(out, &parts, self.frame.rows, aligns, self.tails.0))?;
            }
        }
        rule(page, self.frame.bottom)?;
        if self.counted {
            page.line(|out| out.push_str(&count(rows.len())))?;
        }
        Ok(())
    }

    /// The lines of the names.
    fn name_lines<'r>(&self, rows: &'r Rows<'_>) -> Result<Vec<Vec<&'r str>>, Malformed> {
        let Some(names) = &rows.names else {
            return Ok(Vec::new());
        };
        let Some(joint) = self.joined else {
            return Ok(vec![names.iter().map(|name| &**name).collect()]);
        };
        let height = names.first().map_or(0, |name| name.split(joint).count());
        let mut lines = vec![Vec::with_capacity(names.len()); height];
        for name in names {
            let mut parts = name.split(joint);
            for line in &mut lines {
                let part = parts.next();
                line.push(part.ok_or_else(|| Malformed::new(1, "a name with too few lines"))?);
            }
        }
        Ok(lines)
    }

    /// The widths of the columns.
    fn widths(&self, rows: &Rows<'_>, names: &[Vec<&str>]) -> Result<Vec<usize>, Malformed> {
        let mut widths = least(rows, names, self.measure);
        for (column, width) in &self.widths {
            let wrong = || Malformed::new(0, format!("unknown column {}", column + 1));
            *widths.get_mut(*column).ok_or_else(wrong)? = *width;
        }
        Ok(widths)
    }

    /// The words of the head.
    pub(super) fn head(&self) -> String {
        let mut head = self.frame.name();
        let mut push = |words: String| {
            head.push(' ');
            head.push_str(&words);
        };
        if self.indent > 0 {
            push(format!("indent={}", self.indent));
        }
        if self.space != (1, 1) {
            push(format!("space={},{}", self.space.0, self.space.1));
        }
        if let Some(aligns) = &self.aligns {
            push(format!("align={}", align::letters(aligns)));
        }
        if let Some(names) = &self.names {
            let same = names.iter().all(|one| Some(one) == names.first());
            let letters = align::letters(if same { &names[..1] } else { names });
            push(format!("names={letters}"));
        }
        if !self.widths.is_empty() {
            push(format!("width={}", numbers(&self.widths)));
        }
        if let Some(word) = self.measure.word() {
            push(word.to_owned());
        }
        if self.tails != self.frame.tails() {
            push(format!(
                "tail={}{}",
                self.tails.0.letter(),
                self.tails.1.letter()
            ));
        }
        if let Some(joint) = self.joined {
            push(format!("types{joint}"));
        }
        if self.counted {
            push("counted".to_owned());
        }
        head
    }

    /// The inverse of [`Self::head`], for a table with this many columns.
    pub(super) fn parse(words: &mut Words<'_>, columns: usize) -> Option<Self> {
        let frame = Frame::parse(words)?;
        let mut grid = Self::plain(frame);
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            match key {
                "indent" => grid.indent = value.parse().ok()?,
                "space" => {
                    let (before, after) = value.split_once(',')?;
                    grid.space = (before.parse().ok()?, after.parse().ok()?);
                }
                "align" => grid.aligns = Some(align::parse_letters(value)?),
                "names" => {
                    let mut names = align::parse_letters(value)?;
                    if let [one] = names[..] {
                        names = vec![one; columns];
                    }
                    grid.names = Some(names);
                }
                "width" => grid.widths = parse_numbers(value)?,
                "tail" => {
                    let mut letters = value.chars();
                    grid.tails = (Tail::parse(letters.next()?)?, Tail::parse(letters.next()?)?);
                }
                "counted" => grid.counted = true,
                _ => match (Measure::parse(word), word.strip_prefix("types")) {
                    (Some(measure), _) => grid.measure = measure,
                    (None, Some(joint)) => grid.joined = Some(joint.chars().next()?),
                    (None, None) => return None,
                },
            }
        }
        Some(grid)
    }

    fn plain(frame: Frame) -> Self {
        Self {
            frame,
            indent: 0,
            space: (1, 1),
            aligns: None,
            names: None,
            widths: Vec::new(),
            measure: Measure::Chars,
            tails: frame.tails(),
            joined: None,
            counted: false,
        }
    }

    /// How wide the head alone can make a line.
    pub(super) fn given(&self, columns: usize) -> usize {
        let widths = self.widths.iter().map(|(_, width)| *width);
        let widths = widths.fold(self.indent, usize::saturating_add);
        let spaces = self.space.0.saturating_add(self.space.1);
        widths.saturating_add(spaces.saturating_mul(columns))
    }
}

impl Frame {
    /// The alignment of names in programs that draw this frame.
    fn names(&self, aligns: &[Align]) -> Vec<Align> {
        match &*self.name() {
            "psql" | "round" | "box" | "duckdb" => vec![Align::Center; aligns.len()],
            "mysql" => vec![Align::Left; aligns.len()],
            _ => aligns.to_vec(),
        }
    }

    /// How rows and names end in tables with this frame.
    const fn tails(&self) -> (Tail, Tail) {
        match self.rows.right {
            Some(_) => (Tail::Padded, Tail::Padded),
            None => (Tail::Bare, Tail::Padded),
        }
    }
}

impl Tail {
    const ALL: [Self; 3] = [Self::Padded, Self::Bare, Self::Trimmed];

    const fn letter(self) -> char {
        match self {
            Self::Padded => 'p',
            Self::Bare => 'b',
            Self::Trimmed => 't',
        }
    }

    fn parse(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.letter() == letter)
    }
}

/// The least widths of the columns for their contents.
fn least(rows: &Rows<'_>, names: &[Vec<&str>], measure: Measure) -> Vec<usize> {
    let mut widths = vec![0; rows.width];
    let mut see = |i: usize, cell: &str| {
        if let Some(width) = widths.get_mut(i) {
            *width = measure.of(cell).max(*width);
        }
    };
    for line in names {
        line.iter().enumerate().for_each(|(i, cell)| see(i, cell));
    }
    for row in rows.rows() {
        for (i, cell) in row.iter().enumerate() {
            match memchr::memchr(b'\n', cell.as_bytes()) {
                Some(_) => cell.split('\n').for_each(|part| see(i, part)),
                None => see(i, cell),
            }
        }
    }
    widths
}

fn height(cell: &str) -> usize {
    1 + memchr::memchr_iter(b'\n', cell.as_bytes()).count()
}

/// The row count that psql prints below a table.
fn count(rows: usize) -> String {
    match rows {
        1 => "(1 row)".to_owned(),
        _ => format!("({rows} rows)"),
    }
}
