//! The notation of slots in templates, and letters of templates.

use std::fmt::Write;

use super::template::{Part, WIDEST, add};
use super::times::Times;

/// The notation of slots: `{}`, `{:>5}`, `{col72}`, `{time}`, or the same in other brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// A slot for a field: both brackets.
    pub(crate) field: &'static str,
    open: &'static str,
    close: &'static str,
}

/// A slot in a template that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Field,
    Right(u32),
    Tab(u32),
    Clock,
}

impl Mark {
    const ALL: [Self; 5] = [
        Self::new("{}", "{", "}"),
        Self::new("<>", "<", ">"),
        Self::new("[]", "[", "]"),
        Self::new("⟨⟩", "⟨", "⟩"),
        Self::new("{{}}", "{{", "}}"),
    ];

    const fn new(field: &'static str, open: &'static str, close: &'static str) -> Self {
        Self { field, open, close }
    }

    /// The mark that a head begins with.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.field == word)
    }

    /// The first mark that is unambiguous in these templates.
    pub(crate) fn for_templates(templates: &[&[Part]], times: Option<&Times>) -> Option<Self> {
        let time = times.map(|times| {
            let text = |text: &str| Part::Text(text.to_owned());
            [text(&times.before), Part::Field, text(&times.after)]
        });
        let time = time.as_ref().map(|parts| &parts[..]);
        let all = templates.iter().copied().chain(time);
        Self::ALL
            .into_iter()
            .find(|mark| all.clone().all(|parts| mark.is_clear_in(parts)))
    }

    /// Whether reading the written parts returns the same parts.
    fn is_clear_in(self, parts: &[Part]) -> bool {
        let mut written = String::new();
        self.write(parts, &mut written);
        let (texts, places) = self.read(&written);
        let mut again: Vec<Part> = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            add(&mut again, Part::Text((*text).to_owned()));
            again.extend(places.get(at).map(|place| Part::from(*place)));
        }
        let mut before: Vec<Part> = Vec::new();
        parts.iter().for_each(|part| add(&mut before, part.clone()));
        again == before
    }

    pub(crate) fn write(self, parts: &[Part], out: &mut String) {
        for part in parts {
            if let Part::Text(text) = part {
                out.push_str(text);
                continue;
            }
            out.push_str(self.open);
            let _ = match part {
                Part::Text(_) | Part::Field => Ok(()),
                Part::Right(width) => write!(out, ":>{width}"),
                Part::Tab(column) => write!(out, "col{column}"),
                Part::Clock => write!(out, "time"),
            };
            out.push_str(self.close);
        }
    }

    /// The texts and slots of a template, in turn. There is one more text than slots.
    pub(crate) fn read(self, template: &str) -> (Vec<&str>, Vec<Slot>) {
        let (mut texts, mut places) = (Vec::new(), Vec::new());
        let mut text = 0;
        let mut from = 0;
        while let Some(open) = template[from..].find(self.open).map(|at| from + at) {
            let inner = open + self.open.len();
            // The text in brackets is short.
            let near = template[inner..]
                .bytes()
                .take(8)
                .position(|byte| byte == self.close.as_bytes()[0]);
            let end = near
                .map(|at| inner + at)
                .filter(|end| template[*end..].starts_with(self.close));
            match end.and_then(|end| Some((end, Slot::parse(template.get(inner..end)?)?))) {
                Some((end, place)) => {
                    texts.push(&template[text..open]);
                    places.push(place);
                    from = end + self.close.len();
                    text = from;
                }
                // The bracket may be the first of two.
                None => from = open + template[open..].chars().next().map_or(1, char::len_utf8),
            }
        }
        texts.push(&template[text..]);
        (texts, places)
    }
}

impl Slot {
    fn parse(inner: &str) -> Option<Self> {
        let number = |digits: &str| digits.parse().ok().filter(|number| *number <= WIDEST);
        match inner {
            "" => Some(Self::Field),
            "time" => Some(Self::Clock),
            _ => match (inner.strip_prefix(":>"), inner.strip_prefix("col")) {
                (Some(width), _) => number(width).map(Self::Right),
                (_, Some(column)) => number(column).map(Self::Tab),
                _ => None,
            },
        }
    }
}

impl From<Slot> for Part {
    fn from(place: Slot) -> Self {
        match place {
            Slot::Field => Self::Field,
            Slot::Right(width) => Self::Right(width),
            Slot::Tab(column) => Self::Tab(column),
            Slot::Clock => Self::Clock,
        }
    }
}

/// `A` … `Z`, `AA` … for templates with a time, the same in lower case for others.
pub(crate) fn key(rank: usize, clocked: bool) -> String {
    let first = if clocked { b'A' } else { b'a' };
    let mut letters = Vec::new();
    let mut rest = rank + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(first + (rest % 26) as u8));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_continue_after_z() {
        let keys: Vec<_> = [0, 25, 26, 51, 52, 701, 702]
            .iter()
            .map(|rank| key(*rank, true))
            .collect();
        assert_eq!(keys, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }

    #[test]
    fn a_mark_that_occurs_in_the_text_is_avoided() {
        let text = |text: &str| Part::Text(text.to_owned());
        let parts = [text("params {} of "), Part::Field];
        let mark = Mark::for_templates(&[&parts], None).unwrap();
        assert_eq!(mark.field, "<>");
        let parts = [text("{"), Part::Field, text("}")];
        assert_eq!(Mark::for_templates(&[&parts], None).unwrap().field, "{}");
    }
}
