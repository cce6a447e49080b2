//! The table of all metadata fields: the reader checks names and types by it, and `reference` renders it as a
//! page of the manual.

mod check;
mod reference;
mod table;

pub(super) use check::check;
pub use reference::reference;
pub(super) use table::{COMPLETION, PROMPT, PROVIDER, Places, RESOURCE, SERVER, TOOL};
use table::{FIELDS, Field, PLACES, Takes};

/// A problem of a field.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) hint: Option<String>,
    /// Whether the entry cannot be offered.
    pub(super) fatal: bool,
}

/// Whether the table has a field; every field that is read must be in it.
pub(super) fn is_known(name: &str) -> bool {
    FIELDS.iter().any(|field| field.name == name)
}

impl Takes {
    /// The name of the type in messages and in the manual.
    fn shown(&self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Scalar => "a text or a number".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Count(..) => "a whole number".to_owned(),
            Self::Seconds => "seconds, or a text like \"500ms\", \"30s\" or \"5m\"".to_owned(),
            Self::Bytes => "bytes, or a text like \"64k\" or \"10 MiB\"".to_owned(),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Scalars => "a list of texts".to_owned(),
            Self::List => "a list".to_owned(),
            Self::Map | Self::Fields(_) => "a map".to_owned(),
            Self::Ports => "a list of ports".to_owned(),
            Self::Variables => "a map of texts".to_owned(),
            Self::ListOf(_) => "a list of maps".to_owned(),
            Self::MapOf(_) => "a map of maps".to_owned(),
            Self::Either(one, other) => format!("{} or {}", one.shown(), other.shown()),
        }
    }

    /// The table of its members.
    fn members(&self) -> &'static [Field] {
        match self {
            Self::Fields(table) | Self::ListOf(table) | Self::MapOf(table) => table,
            Self::Either(one, other) => match one.members() {
                [] => other.members(),
                members => members,
            },
            _ => &[],
        }
    }
}

fn places(set: Places) -> Vec<&'static str> {
    let here = PLACES.iter().filter(|(place, _)| set & place != 0);
    here.map(|(_, name)| *name).collect()
}

#[cfg(test)]
#[path = "fields_tests.rs"]
mod tests;
