//! The value of an argument as text, in the style of its parameter.

use linkspan_wire::{Json, JsonKind};

use crate::argument::{Argument, Encoding, Style};
use crate::encode;

/// Levels of a value that become names like `a[b][c]`; deeper values are JSON.
const DEEPEST: usize = 8;

/// A value as the client gave it, with its scalars as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Given {
    Scalar(String),
    List(Vec<String>),
    Map(Vec<(String, String)>),
}

impl Given {
    /// Lists and objects inside of others are JSON text.
    pub(crate) fn of(value: Json<'_>) -> Self {
        match value.kind() {
            JsonKind::Array => Self::List(value.elements().map(scalar).collect()),
            JsonKind::Object => {
                let members = value.members();
                Self::Map(
                    members
                        .map(|(key, value)| (key.into_owned(), scalar(value)))
                        .collect(),
                )
            }
            _ => Self::Scalar(scalar(value)),
        }
    }

    /// Whether there is no text in it.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Scalar(text) => text.is_empty(),
            Self::List(items) => items.iter().all(String::is_empty),
            Self::Map(members) => members.is_empty(),
        }
    }

    /// The value of a path parameter, a header or a cookie, with `write` for each of its texts.
    pub(crate) fn simple(&self, argument: &Argument, write: impl Fn(&str) -> String) -> String {
        let Encoding { style, explode, .. } = argument.encoding;
        let name = write(&argument.original);
        // What is in front of the first item, between items, and in front of an item that is not exploded.
        let (start, between) = match (style, explode) {
            (Style::Label, true) => (".", "."),
            (Style::Label, false) => (".", ","),
            (Style::Matrix, true) => (";", ";"),
            (Style::Matrix, false) => (";", ","),
            _ => ("", ","),
        };
        let between = match style {
            Style::Joined(separator) => write(&separator.to_string()),
            _ => between.to_owned(),
        };
        let is_matrix = style == Style::Matrix;
        let items: Vec<String> = match self {
            Self::Scalar(text) if is_matrix => vec![format!("{name}={}", write(text))],
            Self::Scalar(text) => vec![write(text)],
            Self::List(items) if is_matrix && explode => items
                .iter()
                .map(|item| format!("{name}={}", write(item)))
                .collect(),
            Self::List(items) => items.iter().map(|item| write(item)).collect(),
            Self::Map(members) if explode => members
                .iter()
                .map(|(key, value)| format!("{}={}", write(key), write(value)))
                .collect(),
            Self::Map(members) => members
                .iter()
                .flat_map(|(key, value)| [write(key), write(value)])
                .collect(),
        };
        let is_named = is_matrix && !explode && !matches!(self, Self::Scalar(_));
        let named = if is_named {
            format!("{name}=")
        } else {
            String::new()
        };
        format!("{start}{named}{}", items.join(&between))
    }
}

/// The pairs of a query parameter or of a member of a form.
pub(crate) fn pairs(argument: &Argument, value: Json<'_>, out: &mut Vec<String>) {
    let Encoding {
        style,
        explode,
        allow_reserved,
    } = argument.encoding;
    let write = |text: &str| match allow_reserved {
        true => encode::reserved(text),
        false => encode::all(text),
    };
    let name = encode::all(&argument.original);
    match (style, Given::of(value)) {
        (Style::Json, _) => out.push(format!("{name}={}", write(&text_of(value)))),
        (Style::Deep, _) => deep(&name, value, 0, &write, out),
        (_, Given::Scalar(text)) => out.push(format!("{name}={}", write(&text))),
        (_, Given::List(items)) if explode => {
            out.extend(items.iter().map(|item| format!("{name}={}", write(item))));
        }
        (_, Given::List(items)) if items.is_empty() => {}
        (_, Given::List(items)) => {
            let items: Vec<String> = items.iter().map(|item| write(item)).collect();
            let between = match style {
                Style::Joined(separator) => encode::all(&separator.to_string()),
                _ => ",".to_owned(),
            };
            out.push(format!("{name}={}", items.join(&between)));
        }
        (_, Given::Map(members)) if explode => {
            let pair =
                |(key, value): &(String, String)| format!("{}={}", encode::all(key), write(value));
            out.extend(members.iter().map(pair));
        }
        (_, Given::Map(members)) if members.is_empty() => {}
        (_, Given::Map(members)) => {
            let texts = members
                .iter()
                .flat_map(|(key, value)| [write(key), write(value)]);
            out.push(format!("{name}={}", texts.collect::<Vec<_>>().join(",")));
        }
    }
}

/// `name[key]=value`, as deep as the value is.
fn deep(
    name: &str,
    value: Json<'_>,
    depth: usize,
    write: &impl Fn(&str) -> String,
    out: &mut Vec<String>,
) {
    match value.kind() {
        JsonKind::Object if depth < DEEPEST => {
            for (key, value) in value.members() {
                deep(
                    &format!("{name}[{}]", encode::all(&key)),
                    value,
                    depth + 1,
                    write,
                    out,
                );
            }
        }
        JsonKind::Array if depth < DEEPEST => {
            for (at, value) in value.elements().enumerate() {
                deep(&format!("{name}[{at}]"), value, depth + 1, write, out);
            }
        }
        _ => out.push(format!("{name}={}", write(&scalar(value)))),
    }
}

/// The text of a string, and the spelling of all other values.
pub(crate) fn scalar(value: Json<'_>) -> String {
    match value.as_str() {
        Some(text) => text.into_owned(),
        None => text_of(value),
    }
}

fn text_of(value: Json<'_>) -> String {
    value.text().to_owned()
}
