//! What is said of a column in the line of columns, besides its name.

use super::cell::Cell;

/// What is said of a column in the line of columns.
#[derive(Debug, Default)]
pub(super) enum Say<'a> {
    /// Nothing: every row has a cell.
    #[default]
    Plain,
    /// `name:value`: every row has this value, and no cell for it.
    Always(Cell<'a>),
    /// `name?:value`: an empty cell is this value.
    Usually(Cell<'a>),
    /// `name=template`: a text that the cell is put into.
    Made(Template),
    /// `name=##.##.####`: the cell has the digits and letters from the first `#` to the last, and nothing
    /// else of the text.
    Mask(Mask),
}

impl Say<'_> {
    /// Whether rows have a cell for it.
    pub(super) fn has_cell(&self) -> bool {
        match self {
            Self::Always(_) => false,
            Self::Made(template) => template.usually || template.hole().is_some(),
            Self::Plain | Self::Usually(_) | Self::Mask(_) => true,
        }
    }
}

/// A text with holes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Template {
    pub(super) parts: Vec<Part>,
    /// What it gives is a text, even if it looks like a number.
    pub(super) quoted: bool,
    /// `name?=template`: there is a cell, and if it is empty the value is this.
    pub(super) usually: bool,
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// `*`: the cell.
    Cell,
    /// `{name}`: another column.
    Other(Other),
}

/// Another column of the same row, or of the row that this one's table stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Other {
    /// How many tables further out it is.
    pub(super) up: usize,
    pub(super) leaf: usize,
    pub(super) form: Form,
}

/// What is made of another column's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    Same,
    /// ASCII letters in lower case.
    Lower,
    /// Words in lower case, joined by this.
    Words(&'static str),
    /// What comes after the last slash.
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

    /// How it is written after the name of the column.
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

    /// Appends the text in this form.
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
    /// Text around the cell.
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

    /// Where the cell goes.
    pub(super) fn hole(&self) -> Option<usize> {
        self.parts.iter().position(|part| *part == Part::Cell)
    }

    /// The part of `text` that the cell has to fill, if the rest of it is as the template says: empty if
    /// there is no hole and the text is just what the template makes. `other` writes what other columns have;
    /// `false` if they have nothing.
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

/// Texts of one length with digits in the same places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mask {
    /// With `#` for a digit.
    pub(super) pattern: String,
    pub(super) quoted: bool,
}

impl Mask {
    /// What comes before the first `#`, what is from there to the last one, and what comes after it.
    fn split(&self) -> Option<(&str, &str, &str)> {
        let first = self.pattern.find('#')?;
        let last = self.pattern.rfind('#')? + 1;
        let pattern = &self.pattern;
        Some((&pattern[..first], &pattern[first..last], &pattern[last..]))
    }

    /// Writes what the cell has of a text; `false` if it is not as the pattern says.
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

    /// Writes the text that a cell stands for; `false` if there is none.
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
