//! Finds what the cells of a column share.

use super::cells::{masks, pattern, pattern_of};
use super::template::Part;
use crate::edge::{same_end, same_start};

/// Numbers with at least this many digits often share their first ones: Unix times, sequential ids.
const LONG_NUMBER: usize = 9;

/// The common form of the cells of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    Clock,
    Same(Box<str>),
    /// Texts and numbers in turn; `texts` has one more element than there are numbers.
    Masked {
        texts: Vec<Box<str>>,
        /// The numbers that are equal in all cells.
        fixed: Vec<Option<Box<str>>>,
        fields: Vec<Field>,
    },
    Any {
        prefix: Box<str>,
        suffix: Box<str>,
    },
}

/// A field from one number to another or the same one: `10.0.0.1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    first: usize,
    last: usize,
    /// The first digits, if all values share them.
    prefix: Box<str>,
}

impl Form {
    pub(crate) fn of(column: &[&str]) -> Self {
        let Some((first, others)) = column.split_first() else {
            return Self::Same("".into());
        };
        if others.iter().all(|other| other == first) {
            return Self::Same((*first).into());
        }
        Self::masked(first, others).unwrap_or_else(|| Self::any(first, others))
    }

    fn masked(first: &str, others: &[&str]) -> Option<Self> {
        let mut spans = Vec::new();
        masks(first, &mut spans);
        if spans.is_empty() {
            return None;
        }
        let texts = texts_between(first, &spans);
        let numbers: Vec<&str> = spans.iter().map(|span| slice(first, *span)).collect();
        let mut same = vec![true; numbers.len()];
        let mut common: Vec<usize> = numbers.iter().map(|number| number.len()).collect();
        let mut other_spans = Vec::new();
        for other in others {
            masks(other, &mut other_spans);
            if other_spans.len() != spans.len() || texts_between(other, &other_spans) != texts {
                return None;
            }
            for (at, span) in other_spans.iter().enumerate() {
                let number = slice(other, *span);
                same[at] &= number == numbers[at];
                common[at] = if number.len() == numbers[at].len() {
                    common[at].min(same_start(number, numbers[at]))
                } else {
                    0
                };
            }
        }
        let mut fields: Vec<Field> = Vec::new();
        for at in (0..numbers.len()).filter(|at| !same[*at]) {
            let joint = fields
                .last_mut()
                .filter(|field| field.last + 1 == at && joins(texts[at]));
            match joint {
                Some(field) => field.last = at,
                None => {
                    let long = numbers[at].len() >= LONG_NUMBER
                        && numbers[at].bytes().all(|byte| byte.is_ascii_digit());
                    // Whole tokens, which have three digits.
                    let digits = if long { common[at] / 3 * 3 } else { 0 };
                    fields.push(Field {
                        first: at,
                        last: at,
                        prefix: numbers[at][..digits].into(),
                    });
                }
            }
        }
        let fixed = numbers
            .iter()
            .zip(&same)
            .map(|(number, same)| same.then(|| (*number).into()));
        Some(Self::Masked {
            fixed: fixed.collect(),
            texts: texts.into_iter().map(Into::into).collect(),
            fields,
        })
    }

    pub(crate) fn any(first: &str, others: &[&str]) -> Self {
        let bytes = first.as_bytes();
        let shortest = others
            .iter()
            .map(|other| other.len())
            .fold(first.len(), usize::min);
        let all =
            |test: &dyn Fn(&str) -> bool| test(first) && others.iter().all(|other| test(other));
        let mut prefix = others
            .iter()
            .map(|other| same_start(first, other))
            .fold(shortest, usize::min);
        while prefix > 0 {
            let before = bytes[prefix - 1];
            let digit_next =
                |value: &str| value.as_bytes().get(prefix).is_some_and(u8::is_ascii_digit);
            if (before.is_ascii() && !before.is_ascii_alphanumeric())
                || (before.is_ascii_alphabetic() && all(&digit_next))
            {
                break;
            }
            prefix -= 1;
        }
        let room = shortest - prefix;
        let mut suffix = others
            .iter()
            .map(|other| same_end(first, other))
            .fold(room, usize::min);
        while suffix > 0 {
            let next = bytes[bytes.len() - suffix];
            let digit_before = |value: &str| {
                let at = value.len() - suffix;
                at > prefix && value.as_bytes()[at - 1].is_ascii_digit()
            };
            if (next.is_ascii() && !next.is_ascii_alphanumeric())
                || (next.is_ascii_alphabetic() && all(&digit_before))
            {
                break;
            }
            suffix -= 1;
        }
        Self::Any {
            prefix: first[..prefix].into(),
            suffix: first[first.len() - suffix..].into(),
        }
    }

    /// Appends the fields of a value, if it has this form. Offsets are relative to the text, in which the value begins
    /// at `start`.
    pub(crate) fn fields_of(
        &self,
        value: &str,
        start: u32,
        room: &mut Vec<(u32, u32)>,
        fields: &mut Vec<(u32, u32)>,
    ) -> bool {
        match self {
            Self::Clock => false,
            Self::Same(same) => value == &**same,
            Self::Any { prefix, suffix } => {
                let rest = value.strip_prefix(&**prefix);
                let Some(inner) = rest.and_then(|rest| rest.strip_suffix(&**suffix)) else {
                    return false;
                };
                let from = start + prefix.len() as u32;
                fields.push((from, from + inner.len() as u32));
                true
            }
            Self::Masked { .. } => self.masked_fields_of(value, start, room, fields),
        }
    }

    fn masked_fields_of(
        &self,
        value: &str,
        start: u32,
        room: &mut Vec<(u32, u32)>,
        fields: &mut Vec<(u32, u32)>,
    ) -> bool {
        let Self::Masked {
            texts,
            fixed,
            fields: own,
        } = self
        else {
            return false;
        };
        // Most values of another form differ in their first bytes.
        if !texts
            .first()
            .is_some_and(|first| value.starts_with(&**first))
        {
            return false;
        }
        masks(value, room);
        if room.len() != fixed.len() {
            return false;
        }
        let mut from = 0;
        for ((span, text), fixed) in room.iter().zip(texts).zip(fixed) {
            let same_number = fixed
                .as_ref()
                .is_none_or(|number| **number == *slice(value, *span));
            if slice(value, (from, span.0)) != &**text || !same_number {
                return false;
            }
            from = span.1;
        }
        if value.get(from as usize..) != texts.last().map(|text| &**text) {
            return false;
        }
        for field in own {
            let (from, to) = (room[field.first].0, room[field.last].1);
            if !slice(value, (from, to)).starts_with(&*field.prefix) {
                return false;
            }
            fields.push((start + from + field.prefix.len() as u32, start + to));
        }
        true
    }

    /// If the values are one field at the start, the length of the text behind it.
    pub(crate) fn right_of(&self, words: &[&str]) -> Option<u32> {
        let first = words.first()?;
        let (mut room, mut fields) = (Vec::new(), Vec::new());
        self.fields_of(first, 0, &mut room, &mut fields)
            .then_some(())?;
        match fields[..] {
            [(0, end)] => Some(first.len() as u32 - end),
            _ => None,
        }
    }

    /// The text of the cells, if all are equal.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Self::Same(word) => Some(word),
            _ => None,
        }
    }

    /// The hash of the cells without numbers, if it is the same for all; see [`pattern`].
    pub(crate) fn pattern(&self) -> Option<u64> {
        match self {
            Self::Same(word) => {
                let mut spans = Vec::new();
                masks(word, &mut spans);
                Some(pattern(word, &spans))
            }
            Self::Masked { texts, .. } => Some(pattern_of(texts.iter().map(|text| &**text))),
            _ => None,
        }
    }

    /// The number of bytes of a value that the form determines.
    pub(crate) fn specificity(&self) -> usize {
        match self {
            Self::Clock => 0,
            Self::Same(text) => text.len() + 1,
            Self::Masked { texts, fixed, .. } => {
                let fixed = fixed.iter().flatten().map(|text| text.len());
                fixed
                    .chain(texts.iter().map(|text| text.len()))
                    .sum::<usize>()
                    + 1
            }
            Self::Any { prefix, suffix } => prefix.len() + suffix.len(),
        }
    }

    /// The parts of the template in the legend.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let text = |text: &str| Part::Text(text.to_owned());
        match self {
            Self::Clock => vec![Part::Clock],
            Self::Same(word) => vec![text(word)],
            Self::Any { prefix, suffix } => vec![text(prefix), Part::Field, text(suffix)],
            Self::Masked {
                texts,
                fixed,
                fields,
            } => {
                let mut parts = Vec::new();
                let mut fields = fields.iter().peekable();
                let mut inside = 0;
                for (at, before) in texts.iter().enumerate() {
                    if at >= inside {
                        parts.push(text(before));
                    }
                    if let Some(Some(number)) = fixed.get(at) {
                        parts.push(text(number));
                    } else if let Some(field) = fields.next_if(|field| field.first == at) {
                        parts.extend([text(&field.prefix), Part::Field]);
                        inside = field.last + 1;
                    }
                }
                parts
            }
        }
    }
}

/// Whether two numbers with this text between them are one field: `10.0.0.1`, `10:11:12`.
fn joins(between: &str) -> bool {
    matches!(between.as_bytes(), [byte] if byte.is_ascii_punctuation() && *byte != b',')
}

fn texts_between<'a>(value: &'a str, spans: &[(u32, u32)]) -> Vec<&'a str> {
    let mut texts = Vec::with_capacity(spans.len() + 1);
    let mut from = 0;
    for span in spans {
        texts.push(slice(value, (from, span.0)));
        from = span.1;
    }
    texts.push(slice(value, (from, value.len() as u32)));
    texts
}

fn slice(value: &str, (start, end): (u32, u32)) -> &str {
    value.get(start as usize..end as usize).unwrap_or_default()
}
