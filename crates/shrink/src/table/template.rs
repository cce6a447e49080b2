//! The specs of columns in the line of columns, besides their names.

use super::cell::Cell;

/// The spec of a column in the line of columns.
#[derive(Debug, Default)]
pub(super) enum ColumnSpec<'a> {
    /// No spec: every row has a cell.
    #[default]
    Plain,
    /// `name:value`: every row has this value, and no cell.
    Always(Cell<'a>),
    /// `name?:value`: an empty cell has this value.
    Usually(Cell<'a>),
    /// `name=template`: the cell is filled into a text.
    Template(Template),
    /// `name=##.##.####`: the cell consists of the digits and letters between the first `#` and the last.
    Mask(Mask),
}

impl ColumnSpec<'_> {
    /// Whether rows have a cell for this column.
    pub(super) fn has_cell(&self) -> bool {
        match self {
            Self::Always(_) => false,
            Self::Template(template) => template.usually || template.hole().is_some(),
            Self::Plain | Self::Usually(_) | Self::Mask(_) => true,
        }
    }
}

/// A text with holes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Template {
    pub(super) parts: Vec<Part>,
    /// The result is a string, even if it looks like a number.
    pub(super) quoted: bool,
    /// `name?=template`: there is a cell; if it is empty, the template gives the value.
    pub(super) usually: bool,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// `*`: the cell.
    Cell,
    /// `{name}`: another column.
    Other(Other),
}

/// Another column of the same row, or of a row that contains this one's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Other {
    /// How many tables further out it is.
    pub(super) up: usize,
    pub(super) leaf: usize,
    pub(super) form: Form,
}

/// A transformation of another column's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    Same,
    /// ASCII letters in lower case.
    Lower,
    /// Words in lower case, joined by this text.
    Words(&'static str),
    /// The text after the last slash.
    Last,
}

impl Form {
    pub(super) const ALL: [Self; 7] = [
        Self::Same,
        Self::Last,
        Self::Lower,
        Self::Words("-"),
        Self::Words("_"),
        Self::Words("."),
        Self::Words(""),
    ];

    /// The notation behind the name of the column.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Self::Same => "",
            Self::Lower => "|a",
            Self::Words("-") => "|a-b",
            Self::Words("_") => "|a_b",
            Self::Words(".") => "|a.b",
            Self::Words(_) => "|ab",
            Self::Last => "|/",
        }
    }

    /// Appends the transformed text.
    pub(super) fn write(self, text: &str, out: &mut String) {
        match self {
            Self::Same => out.push_str(text),
            Self::Lower => out.extend(text.chars().map(|c| c.to_ascii_lowercase())),
            Self::Words(between) => {
                let words = text.split(|c: char| !c.is_alphanumeric());
                let words = words.filter(|word| !word.is_empty());
                for (at, word) in words.enumerate() {
                    out.push_str(if at > 0 { between } else { "" });
                    Self::Lower.write(word, out);
                }
            }
            Self::Last => {
                let start = text.rfind('/').map_or(0, |slash| slash + 1);
                out.push_str(&text[start..]);
            }
        }
    }
}

impl Template {
    /// A template with text around the cell.
    pub(super) fn around(before: &str, after: &str) -> Self {
        let mut parts = Vec::new();
        if !before.is_empty() {
            parts.push(Part::Text(before.to_owned()));
        }
        parts.push(Part::Cell);
        if !after.is_empty() {
            parts.push(Part::Text(after.to_owned()));
        }
        Self {
            parts,
            ..Self::default()
        }
    }

    /// The index of the cell's part.
    pub(super) fn hole(&self) -> Option<usize> {
        self.parts.iter().position(|part| *part == Part::Cell)
    }

    /// The part of `text` that the cell must contain, if the rest of it matches the template; empty if there is no hole
    /// and the template gives exactly the text. `other` writes the text of another column; it returns `false` if there
    /// is none.
    pub(super) fn unfill<'t>(
        &self,
        text: &'t str,
        mut other: impl FnMut(Other, &mut String) -> bool,
    ) -> Option<&'t str> {
        let mut rest = text;
        let mut scratch = String::new();
        let hole = self.hole().unwrap_or(self.parts.len());
        for part in &self.parts[..hole] {
            rest = rest.strip_prefix(part.text(&mut other, &mut scratch)?)?;
        }
        for part in self.parts[hole..].iter().skip(1).rev() {
            rest = rest.strip_suffix(part.text(&mut other, &mut scratch)?)?;
        }
        (hole < self.parts.len() || rest.is_empty()).then_some(rest)
    }
}

impl Part {
    fn text<'p>(
        &'p self,
        other: &mut impl FnMut(Other, &mut String) -> bool,
        scratch: &'p mut String,
    ) -> Option<&'p str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Cell => None,
            Self::Other(which) => {
                scratch.clear();
                other(*which, scratch).then_some(scratch)
            }
        }
    }
}

/// A pattern for texts of equal length with digits in the same positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mask {
    /// The text, with `#` for each digit.
    pub(super) pattern: String,
    pub(super) quoted: bool,
}

impl Mask {
    /// The text before the first `#`, from there to the last one, and after it.
    fn split(&self) -> Option<(&str, &str, &str)> {
        let first = self.pattern.find('#')?;
        let last = self.pattern.rfind('#')? + 1;
        let pattern = &self.pattern;
        Some((&pattern[..first], &pattern[first..last], &pattern[last..]))
    }

    /// Writes the cell of a text; `false` if the text does not match the pattern.
    pub(super) fn unfill(&self, text: &str, out: &mut String) -> bool {
        let Some((before, inside, after)) = self.split() else {
            return false;
        };
        let rest = text
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after));
        let Some(rest) = rest.filter(|rest| rest.len() == inside.len()) else {
            return false;
        };
        let start = out.len();
        for (pattern, c) in inside.chars().zip(rest.chars()) {
            let fits = match pattern {
                '#' => c.is_ascii_digit(),
                _ => pattern == c,
            };
            if !fits {
                out.truncate(start);
                return false;
            }
            if c.is_ascii_alphanumeric() {
                out.push(c);
            }
        }
        true
    }

    /// Writes the text of a cell; `false` if the cell does not match the pattern.
    pub(super) fn fill(&self, cell: &str, out: &mut String) -> bool {
        let Some((before, inside, after)) = self.split() else {
            return false;
        };
        out.push_str(before);
        let mut cell = cell.chars();
        for pattern in inside.chars() {
            let c = match pattern {
                '#' => cell.next().filter(char::is_ascii_digit),
                c if c.is_ascii_alphanumeric() => cell.next().filter(|next| *next == c),
                c => Some(c),
            };
            let Some(c) = c else {
                return false;
            };
            out.push(c);
        }
        out.push_str(after);
        cell.next().is_none()
    }
}
