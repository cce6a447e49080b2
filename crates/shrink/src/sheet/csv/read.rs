//! Infers the format of separated values.

use std::borrow::Cow;

use super::{Csv, Quotes};
use crate::context::Stop;
use crate::sheet::Found;
use crate::sheet::page::Literal;
use crate::sheet::rows::{Rows, is_number};
use crate::sheet::style::Style;

/// Parses separated values, if the text is such a table.
pub(in crate::sheet) fn read<'a>(text: &'a str, stop: &Stop) -> Option<Found<'a>> {
    let (separator, width) = separator(text)?;
    let fields = Fields::of(text, separator, stop);
    let quoted = fields.as_ref().and_then(|fields| fields.fit(width));
    quoted.or_else(|| Fields::raw(text, separator, stop)?.fit(width))
}

/// The separator, and the number of values per line, that most lines agree on.
fn separator(text: &str) -> Option<(char, usize)> {
    let mut best: Option<(usize, char, usize)> = None;
    let end = memchr::memchr_iter(b'\n', text.as_bytes()).nth(99);
    let head = &text[..end.unwrap_or(text.len())];
    for separator in ['\t', ',', ';', '|'] {
        if !head.contains(separator) {
            continue;
        }
        // A quote may be cut off at the end of `head`; then quotes are ignored.
        let stop = Stop::default();
        let fields = Fields::of(head, separator, &stop);
        let fields = fields.or_else(|| Fields::raw(head, separator, &stop))?;
        let mut counts: Vec<usize> = fields.records.iter().map(|record| record.count).collect();
        counts.truncate(50);
        counts.sort_unstable();
        let runs = counts.chunk_by(|a, b| a == b).filter(|run| run[0] > 1);
        let Some(run) = runs.max_by_key(|run| run.len()) else {
            continue;
        };
        let score = run.len() * 100 / counts.len();
        if best.is_none_or(|(most, ..)| score > most) {
            best = Some((score, separator, run[0]));
        }
    }
    let (score, separator, width) = best?;
    (score >= 50).then_some((separator, width))
}

/// A record: one line, or several if values contain line ends.
struct Record {
    /// The number of its first line.
    line: usize,
    /// The number of its lines.
    height: usize,
    /// The index of its first field, and the number of its fields.
    start: usize,
    count: usize,
}

/// All fields of a text.
struct Fields<'a> {
    text: &'a str,
    separator: char,
    records: Vec<Record>,
    /// The fields, with their quotes.
    fields: Vec<&'a str>,
    is_raw: bool,
}

impl<'a> Fields<'a> {
    /// `None` if a quote is not closed, or closes in the middle of a value.
    fn of(text: &'a str, separator: char, stop: &Stop) -> Option<Self> {
        let mut fields = Self::empty(text, separator, false);
        let bytes = text.as_bytes();
        let sep = u8::try_from(separator).ok()?;
        let mut at = 0;
        let mut line = 0;
        let mut height = 1;
        let mut start = 0;
        loop {
            let from = at;
            // Spaces may precede a quote.
            let quote = from + bytes[from..].iter().take_while(|b| **b == b' ').count();
            if bytes.get(quote) == Some(&b'"') {
                at = quote + 1;
                loop {
                    let step = memchr::memchr2(b'"', b'\n', bytes.get(at..)?)?;
                    at += step + 1;
                    match (bytes[at - 1], bytes.get(at)) {
                        (b'\n', _) => height += 1,
                        (_, Some(b'"')) => at += 1,
                        (_, Some(next)) if *next == sep || *next == b'\n' => break,
                        (_, None) => break,
                        _ => return None,
                    }
                }
            } else {
                at += memchr::memchr2(sep, b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
            }
            fields.fields.push(&text[from..at]);
            if bytes.get(at) == Some(&sep) {
                at += 1;
                continue;
            }
            fields.records.push(Record {
                line,
                height,
                start,
                count: fields.fields.len() - start,
            });
            if at >= bytes.len() {
                return Some(fields);
            }
            if line % 1024 == 0 && stop.is_set() {
                return None;
            }
            at += 1;
            line += height;
            height = 1;
            start = fields.fields.len();
        }
    }

    /// Splits the text, ignoring quotes.
    fn raw(text: &'a str, separator: char, stop: &Stop) -> Option<Self> {
        let mut fields = Self::empty(text, separator, true);
        for (line, record) in text.split('\n').enumerate() {
            if line % 1024 == 0 && stop.is_set() {
                return None;
            }
            let start = fields.fields.len();
            fields.fields.extend(record.split(separator));
            fields.records.push(Record {
                line,
                height: 1,
                start,
                count: fields.fields.len() - start,
            });
        }
        Some(fields)
    }

    fn empty(text: &'a str, separator: char, is_raw: bool) -> Self {
        Self {
            text,
            separator,
            records: Vec::new(),
            fields: Vec::new(),
            is_raw,
        }
    }

    fn fit(&self, width: usize) -> Option<Found<'a>> {
        let of_width = || self.records.iter().filter(|record| record.count == width);
        let mut inner = of_width().flat_map(|record| self.row(record).iter().skip(1));
        let spaced = width > 1 && inner.all(|field| field.starts_with(' '));
        let mut csv = Csv {
            separator: self.separator,
            spaced,
            quotes: None,
            names: Quotes::Needed,
            padding: None,
        };
        csv.padding = self.padding(width, spaced);
        let mut records = of_width().peekable();
        let names = match records.peek() {
            Some(first) if self.is_named(first, of_width()) => records.next(),
            _ => None,
        };
        if !self.is_raw {
            csv.quotes = Some(self.quotes(&mut csv, width, names, records));
        }
        let (rows, literal) = self.rows(&csv, width, names)?;
        Some(Found {
            style: Style::Csv(csv),
            rows,
            literal,
        })
    }

    /// The quoting rule that most fields of each column follow. The rule of the names is stored in `csv`.
    fn quotes<'r>(
        &self,
        csv: &mut Csv,
        width: usize,
        names: Option<&Record>,
        records: impl Iterator<Item = &'r Record>,
    ) -> Vec<Quotes> {
        if memchr::memchr(b'"', self.text.as_bytes()).is_none() {
            return vec![Quotes::Needed; width];
        }
        let strip = |i: usize, field: &'a str| {
            if csv.is_spaced(i) {
                field.trim_start_matches(' ')
            } else {
                field
            }
        };
        let mut votes = vec![Votes::default(); width];
        for record in records {
            for (i, (field, votes)) in self.row(record).iter().zip(&mut votes).enumerate() {
                votes.cast(strip(i, field), csv);
            }
        }
        if let Some(names) = names {
            let mut votes = Votes::default();
            for (i, field) in self.row(names).iter().enumerate() {
                votes.cast(strip(i, field), csv);
            }
            csv.names = votes.elected();
        }
        votes.iter().map(Votes::elected).collect()
    }

    /// The records as rows, and the lines of irregular records; `None` if too many are irregular.
    fn rows(
        &self,
        csv: &Csv,
        width: usize,
        names: Option<&Record>,
    ) -> Option<(Rows<'a>, Vec<Literal<'a>>)> {
        let quotes = csv.quotes.as_deref().unwrap_or_default();
        let mut literal: Vec<Literal<'a>> = Vec::new();
        // Split only if a record is irregular.
        let mut lines: Vec<&'a str> = Vec::new();
        let mut irregular = 0;
        let mut rows = Rows {
            width,
            names: None,
            cells: Vec::with_capacity(self.fields.len()),
        };
        for record in &self.records {
            let is_names = names.is_some_and(|names| names.line == record.line);
            let start = rows.cells.len();
            let fine = record.count == width
                && self.row(record).iter().enumerate().all(|(i, field)| {
                    let rule = if is_names {
                        csv.names
                    } else {
                        quotes.get(i).copied().unwrap_or(Quotes::Needed)
                    };
                    match csv.value(field, i, rule) {
                        Some(value) => {
                            rows.cells.push(value);
                            true
                        }
                        None => false,
                    }
                });
            if is_names && fine {
                rows.names = Some(rows.cells.drain(start..).collect());
            } else if !fine {
                irregular += 1;
                rows.cells.truncate(start);
                if lines.is_empty() {
                    lines = self.text.split('\n').collect();
                }
                let own = lines.iter().enumerate().skip(record.line);
                literal.extend(own.take(record.height).map(|(at, line)| (at, *line)));
            }
        }
        (irregular * 5 <= self.records.len() + 5).then_some((rows, literal))
    }

    /// The number of padded columns, if cells are padded to the width of their widest cell. `helm` pads before each
    /// tab.
    fn padding(&self, width: usize, spaced: bool) -> Option<usize> {
        let records = || self.records.iter().filter(|record| record.count == width);
        let first = records().take(3).flat_map(|record| self.row(record));
        let mut some = first.filter(|field| field.ends_with(' '));
        if spaced || some.next().is_none() {
            return None;
        }
        let mut widths: Vec<Option<usize>> = Vec::with_capacity(width);
        for (number, record) in records().enumerate() {
            for (i, field) in self.row(record).iter().enumerate() {
                let wide = field.chars().count();
                match widths.get_mut(i) {
                    None if number == 0 && !field.contains('"') => widths.push(Some(wide)),
                    Some(known) if *known == Some(wide) => {}
                    Some(known) if i + 1 == width => *known = None,
                    _ => return None,
                }
            }
        }
        let mut needed = vec![0; width];
        for record in records() {
            for (field, needed) in self.row(record).iter().zip(&mut needed) {
                *needed = field.trim_end_matches(' ').chars().count().max(*needed);
            }
        }
        let last = widths.last().copied().flatten();
        let is_least =
            |(width, needed): (&Option<usize>, &usize)| width.is_none_or(|width| width == *needed);
        let padded = width - usize::from(last.is_none());
        widths.iter().zip(&needed).all(is_least).then_some(padded)
    }

    fn row(&self, record: &Record) -> &[&'a str] {
        let end = record.start + record.count;
        self.fields.get(record.start..end).unwrap_or_default()
    }

    /// Whether the first record looks like names: it has no number where the second record has one.
    fn is_named<'r>(&self, first: &Record, records: impl Iterator<Item = &'r Record>) -> bool {
        let trim = |field: &'a str| field.trim_matches(['"', ' ']);
        let names = self.row(first);
        let mut others = records.skip(1).take(5);
        let Some(second) = others.next() else {
            return false;
        };
        !names
            .iter()
            .zip(self.row(second))
            .any(|(name, cell)| is_number(trim(name)) && is_number(trim(cell)))
    }
}

impl Csv {
    fn is_spaced(&self, column: usize) -> bool {
        self.spaced && column > 0
    }

    /// The value of a field, if it is quoted exactly when the rule says so.
    fn value<'a>(&self, field: &'a str, column: usize, quotes: Quotes) -> Option<Cow<'a, str>> {
        let mut field = if self.is_spaced(column) {
            field.strip_prefix(' ')?
        } else {
            field
        };
        if self.padding.is_some_and(|padded| column < padded) {
            field = field.trim_end_matches(' ');
        }
        // Fast path: a field that neither needs nor has quotes.
        let bare = quotes == Quotes::Needed && !field.bytes().any(|b| matches!(b, b'"' | b'\r'));
        if self.quotes.is_none() || bare {
            return Some(Cow::Borrowed(field));
        }
        let (value, is_quoted) = unquote(field);
        (quotes.applies(&value, self.needs(&value)) == is_quoted).then_some(value)
    }
}

/// The value of a field, and whether it is quoted.
fn unquote(field: &str) -> (Cow<'_, str>, bool) {
    let inner = field
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    match inner {
        Some(inner) if inner.contains('"') => (Cow::Owned(inner.replace("\"\"", "\"")), true),
        Some(inner) => (Cow::Borrowed(inner), true),
        None => (Cow::Borrowed(field), false),
    }
}

/// For each rule, the number of fields of a column that follow it.
#[derive(Clone, Copy, Default)]
struct Votes([usize; 5]);

impl Votes {
    fn cast(&mut self, field: &str, csv: &Csv) {
        // Fast path: most tables have no quotes, and most fields are not empty.
        if !field.is_empty() && memchr::memchr2(b'"', b'\r', field.as_bytes()).is_none() {
            self.0[0] += 1;
            if is_number(field) {
                self.0[3] += 1;
                self.0[4] += 1;
            }
            return;
        }
        let (value, is_quoted) = unquote(field);
        let needs = csv.needs(&value);
        for (quotes, votes) in Quotes::ALL.into_iter().zip(&mut self.0) {
            *votes += usize::from(quotes.applies(&value, needs) == is_quoted);
        }
    }

    fn elected(&self) -> Quotes {
        let most = self.0.iter().max().copied().unwrap_or(0);
        let first = self.0.iter().position(|votes| *votes == most);
        first.map_or(Quotes::Needed, |first| Quotes::ALL[first])
    }
}
