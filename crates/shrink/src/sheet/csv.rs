//! Values separated by commas, tabs, semicolons or bars.

mod read;

use std::borrow::Cow;

pub(super) use self::read::read;
use super::head::Words;
use super::measure::Measure;
use super::page::{Page, fill};
use super::rows::{Rows, is_number};
use crate::rendering::Malformed;

/// The format of separated values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Csv {
    separator: char,
    /// Whether a space follows each separator.
    spaced: bool,
    /// The quoting rule of each column. `None`: cells include their quotes.
    quotes: Option<Vec<Quotes>>,
    /// The quoting rule of the names.
    names: Quotes,
    /// The number of padded columns.
    padding: Option<usize>,
}

/// A quoting rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    /// Cells that need quotes.
    Needed,
    /// All cells.
    All,
    /// Non-empty cells.
    Filled,
    /// Cells that are not numbers.
    Texts,
    /// Cells that are neither empty nor numbers.
    FilledTexts,
}

impl Quotes {
    const ALL: [Self; 5] = [
        Self::Needed,
        Self::All,
        Self::Filled,
        Self::Texts,
        Self::FilledTexts,
    ];

    const fn letter(self) -> char {
        match self {
            Self::Needed => 'n',
            Self::All => 'a',
            Self::Filled => 'f',
            Self::Texts => 't',
            Self::FilledTexts => 'x',
        }
    }

    fn parse(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.letter() == letter)
    }

    /// Whether a cell is quoted, given whether it needs quotes.
    fn applies(self, cell: &str, needed: bool) -> bool {
        needed
            || match self {
                Self::Needed => false,
                Self::All => true,
                Self::Filled => !cell.is_empty(),
                Self::Texts => !is_number(cell),
                Self::FilledTexts => !cell.is_empty() && !is_number(cell),
            }
    }
}

impl Csv {
    /// Draws the table.
    pub(super) fn draw(&self, rows: &Rows<'_>, page: &mut Page<'_>) -> Result<(), Malformed> {
        let widths = self.widths(rows);
        if let Some(names) = &rows.names {
            page.line(|out| self.line(out, names, &widths, |_| self.names))?;
        }
        let quotes = self.quotes.as_deref().unwrap_or_default();
        let usual = quotes.first().copied().unwrap_or(Quotes::Needed);
        for row in rows.rows() {
            let quotes = |i: usize| quotes.get(i).copied().unwrap_or(usual);
            page.line(|out| self.line(out, row, &widths, quotes))?;
        }
        Ok(())
    }

    /// The widths of padded columns.
    fn widths(&self, rows: &Rows<'_>) -> Vec<usize> {
        let mut widths = vec![0; self.padding.unwrap_or(0).min(rows.width)];
        if !widths.is_empty() {
            for row in rows.all() {
                for (cell, width) in row.iter().zip(&mut widths) {
                    *width = Measure::Chars.of(cell).max(*width);
                }
            }
        }
        widths
    }

    fn line(
        &self,
        out: &mut String,
        cells: &[Cow<'_, str>],
        widths: &[usize],
        quotes: impl Fn(usize) -> Quotes,
    ) {
        for (i, cell) in cells.iter().enumerate() {
            if i > 0 {
                out.push(self.separator);
                if self.spaced {
                    out.push(' ');
                }
            }
            if self.quotes.is_some() && quotes(i).applies(cell, self.needs(cell)) {
                quote(out, cell)
            } else {
                out.push_str(cell)
            }
            if let Some(width) = widths.get(i) {
                fill(out, ' ', width.saturating_sub(Measure::Chars.of(cell)));
            }
        }
    }

    /// Whether a cell could not be read back without quotes.
    fn needs(&self, cell: &str) -> bool {
        let separator = u8::try_from(self.separator).unwrap_or(b',');
        cell.bytes()
            .any(|byte| byte == separator || matches!(byte, b'"' | b'\n' | b'\r'))
    }

    /// The words of the head.
    pub(super) fn head(&self) -> String {
        let mut head = match self.separator {
            '\t' => "tsv".to_owned(),
            ',' => "csv".to_owned(),
            ';' => "csv semicolons".to_owned(),
            _ => "csv bars".to_owned(),
        };
        if self.spaced {
            head.push_str(" spaced");
        }
        match self.padding {
            None => {}
            Some(columns) => head.push_str(&format!(" padded={columns}")),
        }
        match &self.quotes {
            None => head.push_str(" raw"),
            Some(quotes) => {
                let same = quotes.iter().all(|one| Some(one) == quotes.first());
                let quotes = if same {
                    quotes.get(..1).unwrap_or_default()
                } else {
                    quotes
                };
                if quotes != [Quotes::Needed] || self.names != Quotes::Needed {
                    head.push_str(" quotes=");
                    head.push(self.names.letter());
                    head.extend(quotes.iter().map(|one| one.letter()));
                }
            }
        }
        head
    }

    /// The inverse of [`Self::head`], for a table with this many columns.
    pub(super) fn parse(word: &str, words: Words<'_>, columns: usize) -> Option<Self> {
        let mut csv = Self {
            separator: if word == "tsv" { '\t' } else { ',' },
            spaced: false,
            quotes: Some(vec![Quotes::Needed]),
            names: Quotes::Needed,
            padding: None,
        };
        for word in words {
            match word.split_once('=') {
                None if word == "spaced" => csv.spaced = true,
                None if word == "raw" => csv.quotes = None,
                None if word == "semicolons" => csv.separator = ';',
                None if word == "bars" => csv.separator = '|',
                Some(("padded", columns)) => csv.padding = Some(columns.parse().ok()?),
                Some(("quotes", letters)) => {
                    let mut quotes = letters.chars().map(Quotes::parse);
                    csv.names = quotes.next()??;
                    csv.quotes = Some(quotes.collect::<Option<Vec<_>>>()?);
                }
                _ => return None,
            }
        }
        let given = csv.quotes.as_ref().map_or(1, Vec::len);
        (given == 1 || given == columns).then_some(csv)
    }
}

fn quote(out: &mut String, cell: &str) {
    out.push('"');
    let mut from = 0;
    for at in memchr::memchr_iter(b'"', cell.as_bytes()) {
        out.push_str(cell.get(from..=at).unwrap_or_default());
        from = at;
    }
    out.push_str(cell.get(from..).unwrap_or_default());
    out.push('"');
}
