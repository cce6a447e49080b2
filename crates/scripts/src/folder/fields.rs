//! Every field of the metadata, once: the reader checks names and types by one table, and
//! `reference` makes the page of the manual from it.

mod reference;
mod table;

use super::node::{Data, Member, Node};
use super::{names, units};
pub use reference::reference;
pub(super) use table::{COMPLETION, PROMPT, PROVIDER, Places, RESOURCE, SERVER, TOOL};
use table::{FIELDS, Field, PLACES, Takes};

/// Something wrong with a field.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) hint: Option<String>,
    /// Whether the entry cannot be offered.
    pub(super) fatal: bool,
}

/// Checks the names and types of metadata in one place.
pub(super) fn check(members: &[Member], place: Places) -> Vec<Finding> {
    let mut findings = Vec::new();
    check_map(FIELDS, place, members, "", &mut findings);
    findings
}

/// Whether the table has a field; every field that is read must be in it.
pub(super) fn is_known(name: &str) -> bool {
    FIELDS.iter().any(|field| field.name == name)
}

/// The fields that may stand in a place.
fn here(table: &[Field], place: Places) -> impl Iterator<Item = &Field> {
    table.iter().filter(move |field| field.places & place != 0)
}

fn check_map(
    table: &[Field],
    place: Places,
    members: &[Member],
    path: &str,
    findings: &mut Vec<Finding>,
) {
    for member in members {
        let name = member.name.as_str();
        let Some(field) = here(table, place).find(|field| field.name == name) else {
            findings.push(unknown(table, place, member, path));
            continue;
        };
        // `title:` with nothing behind it is as good as no title.
        if member.value.data != Data::Null {
            let path = format!("{path}{name}");
            check_value(&field.takes, place, &member.value, &path, findings);
        }
    }
}

fn unknown(table: &[Field], place: Places, member: &Member, path: &str) -> Finding {
    let name = member.name.as_str();
    let elsewhere = table.iter().find(|field| field.name == name);
    let near = names::nearest(name, here(table, place).map(|field| field.name));
    let hint = match (elsewhere, near) {
        (Some(field), _) => format!("it belongs to a {}", places(field.places).join(" or a ")),
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) if path.is_empty() => "put what is your own under `_meta`".to_owned(),
        (None, None) => {
            let known: Vec<_> = here(table, place).map(|field| field.name).collect();
            format!("known here: {}", known.join(", "))
        }
    };
    Finding {
        line: member.line,
        text: format!("`{path}{name}` is not known here"),
        hint: Some(hint),
        fatal: false,
    }
}

fn check_value(takes: &Takes, place: Places, node: &Node, path: &str, findings: &mut Vec<Finding>) {
    let refuse = |line: usize, what: String| Finding {
        line,
        text: format!("`{path}` {what}"),
        hint: None,
        fatal: true,
    };
    if !is_shape(takes, node) {
        let what = format!("must be {}, not {}", takes.shown(), units::shown(node));
        let mut finding = refuse(node.line, what);
        if let (Takes::Text, Some(text)) = (takes, node.scalar()) {
            finding.hint = Some(format!("put it in quotes: \"{text}\""));
        }
        if let (Takes::Scalars, Some(text)) = (takes, node.text()) {
            let words: Vec<String> = text.split_whitespace().map(|w| format!("{w:?}")).collect();
            finding.hint = Some(format!("write a list: [{}]", words.join(", ")));
        }
        findings.push(finding);
        return;
    }
    match takes {
        Takes::Count(least, most) => match units::count(node) {
            Ok(count) if count < *least => {
                findings.push(refuse(node.line, format!("must be at least {least}")));
            }
            Ok(count) if count > *most => {
                findings.push(refuse(node.line, format!("must be at most {most}")));
            }
            Ok(_) => {}
            Err(what) => findings.push(refuse(node.line, what)),
        },
        Takes::Seconds => {
            findings.extend(
                units::seconds(node)
                    .err()
                    .map(|what| refuse(node.line, what)),
            );
        }
        Takes::Bytes => {
            findings.extend(units::bytes(node).err().map(|what| refuse(node.line, what)));
        }
        Takes::Word(words) => {
            let word = node.text().unwrap_or_default();
            if !words.contains(&word) {
                let near = names::nearest(word, words.iter().copied());
                let what = format!("must be one of {}, not {word:?}", words.join(", "));
                findings.push(Finding {
                    hint: near.map(|near| format!("did you mean `{near}`?")),
                    ..refuse(node.line, what)
                });
            }
        }
        Takes::Scalars => {
            for item in node.list().unwrap_or_default() {
                match item.scalar() {
                    None => {
                        let what = format!("must hold texts, not {}", item.kind());
                        findings.push(refuse(item.line, what));
                    }
                    Some(text) if text.contains('\0') => {
                        findings.push(refuse(item.line, "has a NUL in it".to_owned()));
                    }
                    Some(_) => {}
                }
            }
        }
        Takes::Ports => {
            let items = node.list().unwrap_or_default().iter();
            let port = |item: &&Node| units::count(item).is_ok_and(|n| u16::try_from(n).is_ok());
            findings.extend(items.filter(|item| !port(item)).map(|item| {
                let what = format!("must hold ports, not {}", units::shown(item));
                refuse(item.line, what)
            }));
        }
        Takes::Variables => {
            for member in node.map().unwrap_or_default() {
                let name = &member.name;
                let what = match member.value.scalar() {
                    None => format!("must hold texts; `{name}` is {}", member.value.kind()),
                    Some(value) if value.contains('\0') => format!("`{name}` has a NUL in it"),
                    Some(_) if name.is_empty() || name.contains(['=', '\0']) => {
                        format!("{name:?} cannot be the name of a variable")
                    }
                    Some(_) => continue,
                };
                findings.push(refuse(member.line, what));
            }
        }
        Takes::Fields(table) => {
            let members = node.map().unwrap_or_default();
            check_map(table, place, members, &format!("{path}."), findings);
        }
        Takes::ListOf(table) => {
            for item in node.list().unwrap_or_default() {
                match item.map() {
                    None => {
                        let what = format!("must hold maps, not {}", item.kind());
                        let mut finding = refuse(item.line, what);
                        if table.iter().any(|field| field.name == "name") {
                            finding.hint =
                                item.text().map(|name| format!("write `- name: {name}`"));
                        }
                        findings.push(finding);
                    }
                    Some(members) => {
                        check_map(table, place, members, &format!("{path}."), findings);
                    }
                }
            }
        }
        Takes::MapOf(table) => {
            let given = |m: &&Member| m.value.data != Data::Null;
            for member in node.map().unwrap_or_default().iter().filter(given) {
                let path = format!("{path}.{}", member.name);
                check_value(&Takes::Fields(table), place, &member.value, &path, findings);
            }
        }
        Takes::Either(one, other) => {
            let meant = if is_shape(one, node) { one } else { other };
            check_value(meant, place, node, path, findings);
        }
        Takes::Text | Takes::Scalar | Takes::Flag | Takes::Number | Takes::List | Takes::Map => {}
    }
}

/// Whether a value is of the kind that a field takes, whatever is in it.
fn is_shape(takes: &Takes, node: &Node) -> bool {
    match takes {
        Takes::Map | Takes::Variables | Takes::Fields(_) | Takes::MapOf(_) => node.map().is_some(),
        Takes::List | Takes::ListOf(_) | Takes::Scalars | Takes::Ports => node.list().is_some(),
        Takes::Flag => node.flag().is_some(),
        Takes::Number | Takes::Count(..) => matches!(node.data, Data::Number(..)),
        Takes::Seconds | Takes::Bytes => matches!(node.data, Data::Number(..) | Data::Text(_)),
        Takes::Text | Takes::Word(_) => node.text().is_some(),
        Takes::Scalar => node.scalar().is_some(),
        Takes::Either(one, other) => is_shape(one, node) || is_shape(other, node),
    }
}

impl Takes {
    /// In messages and in the manual.
    fn shown(&self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Scalar => "a text or a number".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Count(..) => "a whole number".to_owned(),
            Self::Seconds => "seconds, or a text such as \"500ms\", \"30s\" or \"5m\"".to_owned(),
            Self::Bytes => "bytes, or a text such as \"64k\" or \"10 MiB\"".to_owned(),
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

    /// The fields of its members.
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
