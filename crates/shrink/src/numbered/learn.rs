//! Infers the format of line numbers.

use super::format::{Format, Pad, WIDEST};
use super::head::Blanks;
use crate::context::Context;

/// How many lines are examined before the whole text is.
const SAMPLE: usize = 200;

/// How many formats are tried.
const FORMATS: usize = 40;

/// Fewer lines are not worth a head.
const FEWEST: usize = 3;

/// The separators between a number and its text, besides a space.
const SIGNS: [char; 10] = ['\t', '→', ':', '|', '│', ')', '.', '-', ']', '>'];

/// The format of most lines, if they are numbered.
pub(super) fn learn(text: &str, context: &Context) -> Option<(Format, Blanks)> {
    let format = sample(text)?;
    let mut seen = Seen::default();
    for (index, line) in text.split('\n').enumerate() {
        if index % 512 == 0 && context.stop.is_set() {
            return None;
        }
        seen.take(line, &format);
    }
    // At least three in five lines must be numbered.
    let others = seen.lines - seen.margins - seen.bare;
    if seen.numbered() < FEWEST || seen.numbered() * 5 < others * 3 {
        return None;
    }
    let mut format = format;
    let mut trimmed = seen.cut > 0 && seen.empty == 0;
    if seen.has_gap()
        && !format.after.ends_with(['\t', '→', ' '])
        && seen.only_space * seen.empty == 0
    {
        format.after.push(' ');
        trimmed |= seen.empty > 0;
    }
    let blanks = match () {
        () if trimmed => Blanks::Trimmed,
        // An empty line can have only one meaning.
        () if seen.empty + seen.only_space + seen.cut > 0 => Blanks::Plain,
        () if seen.margins > 0 && seen.margins >= seen.bare => Blanks::Margin,
        () if seen.bare > 0 => Blanks::Bare,
        () => Blanks::Plain,
    };
    Some((format, blanks))
}

/// Counts from one pass through the text.
#[derive(Default)]
struct Seen {
    lines: usize,
    /// Numbered lines with a text.
    texts: usize,
    /// The least indentation of a text, in spaces.
    indent: Option<usize>,
    /// Texts that are a single space.
    only_space: usize,
    /// Numbered lines without a text.
    empty: usize,
    /// Numbered lines without a text whose trailing spaces are missing.
    cut: usize,
    /// Lines of spaces up to the column of texts.
    margins: usize,
    /// Empty lines.
    bare: usize,
}

impl Seen {
    fn take(&mut self, line: &str, format: &Format) {
        self.lines += 1;
        if line.is_empty() {
            self.bare += 1;
            return;
        }
        let Some((_, text)) = format.read(line, false) else {
            match format.read(line, true) {
                Some(_) => self.cut += 1,
                None if line.bytes().all(|b| b == b' ') => self.margins += 1,
                None => {}
            }
            return;
        };
        match text {
            "" => self.empty += 1,
            " " => self.only_space += 1,
            text => {
                self.texts += 1;
                let least = self.indent.unwrap_or(usize::MAX);
                let indent = text.bytes().take(least).take_while(|b| *b == b' ').count();
                self.indent = Some(indent);
            }
        }
    }

    fn numbered(&self) -> usize {
        self.texts + self.only_space + self.empty + self.cut
    }

    /// Whether a space belongs to the separator, because all texts have an odd indentation.
    fn has_gap(&self) -> bool {
        self.indent.is_some_and(|indent| indent % 2 == 1)
    }
}

/// The beginning of a line up to its separator: prefix, spaces, digits, spaces.
struct Shape {
    before: &'static str,
    lead: usize,
    digits: usize,
    zero: bool,
    mid: usize,
    sign: Option<char>,
}

impl Shape {
    fn of(line: &str) -> Option<Self> {
        let (before, line) = match line.strip_prefix('L') {
            Some(line) => ("L", line),
            None => ("", line),
        };
        let count = |text: &str, of: fn(&u8) -> bool| text.bytes().take_while(of).count();
        let lead = count(line, |b| *b == b' ');
        let line = &line[lead..];
        let digits = count(line, u8::is_ascii_digit);
        if digits == 0 || digits > WIDEST || lead > WIDEST {
            return None;
        }
        let rest = &line[digits..];
        let mid = count(rest, |b| *b == b' ');
        let sign = rest[mid..].chars().next().filter(|c| SIGNS.contains(c));
        // Spaces without a separator belong to the text.
        let (mid, sign) = match sign {
            Some(sign) if mid <= 1 || matches!(sign, '|' | '│' | ':' | '→') => {
                (mid, Some(sign))
            }
            _ if mid == 0 && !rest.is_empty() => return None,
            _ => (0, None),
        };
        Some(Self {
            before,
            lead,
            digits,
            zero: digits > 1 && line.starts_with('0'),
            mid,
            sign,
        })
    }

    /// The formats that this line may have.
    fn formats(&self) -> Vec<Format> {
        let sign = self.sign.unwrap_or(' ').to_string();
        let format = |pad, width, after| Format {
            before: self.before,
            pad,
            width,
            after,
        };
        let right = match self.lead {
            0 => 0,
            lead => lead + self.digits,
        };
        let mut formats = match self.mid {
            mid if self.zero => {
                vec![format(
                    Pad::Zero,
                    self.digits,
                    " ".repeat(mid.min(1)) + &sign,
                )]
            }
            0 => vec![format(Pad::Right, right, sign)],
            mid => vec![
                format(Pad::Right, right, format!(" {sign}")),
                format(Pad::Left, self.digits + mid - 1, format!(" {sign}")),
                format(Pad::Left, self.digits + mid, sign),
            ],
        };
        formats.retain(|format| format.width <= WIDEST);
        formats
    }
}

/// The format that most of the first lines fit.
fn sample(text: &str) -> Option<Format> {
    let lines: Vec<&str> = text.split('\n').take(SAMPLE).collect();
    let mut formats = Vec::new();
    for shape in lines.iter().filter_map(|line| Shape::of(line)) {
        for format in shape.formats() {
            if formats.len() < FORMATS && !formats.contains(&format) {
                formats.push(format);
            }
        }
    }
    let fits = |format: &Format| {
        let read = |line: &&&str| format.read(line, true).is_some();
        lines.iter().filter(read).count()
    };
    // The first of equally good formats.
    formats.into_iter().rev().max_by_key(fits)
}
