//! Checks names and types of metadata by the table of fields.

use linkspan_schema::nearest;

use super::table::{FIELDS, Field, Places, Takes};
use super::{Finding, places};
use crate::folder::node::{Data, Member, Node};
use crate::folder::units;

/// Checks the names and types of metadata that belongs to `place`.
pub(in crate::folder) fn check(members: &[Member], place: Places) -> Vec<Finding> {
    let mut findings = Vec::new();
    check_map(FIELDS, place, members, "", &mut findings);
    findings
}

/// The fields that are allowed in a place.
pub(super) fn here(table: &[Field], place: Places) -> impl Iterator<Item = &Field> {
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
        // `title:` without a value counts as missing.
        if member.value.data != Data::Null {
            let path = format!("{path}{name}");
            check_value(&field.takes, place, &member.value, &path, findings);
        }
    }
}

fn unknown(table: &[Field], place: Places, member: &Member, path: &str) -> Finding {
    let name = member.name.as_str();
    let elsewhere = table.iter().find(|field| field.name == name);
    let near = nearest(name, here(table, place).map(|field| field.name));
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

/// A finding that excludes the entry.
fn refusal(path: &str, line: usize, what: &str) -> Finding {
    Finding {
        line,
        text: format!("`{path}` {what}"),
        hint: None,
        fatal: true,
    }
}

fn check_value(takes: &Takes, place: Places, node: &Node, path: &str, findings: &mut Vec<Finding>) {
    if !is_shape(takes, node) {
        findings.push(wrong_shape(takes, node, path));
        return;
    }
    let items = node.list().unwrap_or_default();
    let members = node.map().unwrap_or_default();
    match takes {
        Takes::Count(..) | Takes::Seconds | Takes::Bytes | Takes::Word(_) => {
            findings.extend(check_scalar(takes, node, path));
        }
        Takes::Scalars => findings.extend(items.iter().filter_map(|item| check_text(item, path))),
        Takes::Ports => findings.extend(items.iter().filter_map(|item| check_port(item, path))),
        Takes::Variables => {
            findings.extend(members.iter().filter_map(|one| check_variable(one, path)));
        }
        Takes::Fields(table) => {
            check_map(table, place, members, &format!("{path}."), findings);
        }
        Takes::ListOf(table) => {
            for item in items {
                match item.map() {
                    None => findings.push(no_map(table, item, path)),
                    Some(members) => {
                        check_map(table, place, members, &format!("{path}."), findings);
                    }
                }
            }
        }
        Takes::MapOf(table) => {
            for member in members.iter().filter(|m| m.value.data != Data::Null) {
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

fn wrong_shape(takes: &Takes, node: &Node, path: &str) -> Finding {
    let what = format!("must be {}, not {}", takes.shown(), units::shown(node));
    let mut finding = refusal(path, node.line, &what);
    if let (Takes::Text, Some(text)) = (takes, node.scalar()) {
        finding.hint = Some(format!("put it in quotes: \"{text}\""));
    }
    if let (Takes::Scalars, Some(text)) = (takes, node.text()) {
        let words: Vec<String> = text.split_whitespace().map(|w| format!("{w:?}")).collect();
        finding.hint = Some(format!("write a list: [{}]", words.join(", ")));
    }
    finding
}

/// Checks a number, a duration, a size or a word, whose type is right.
fn check_scalar(takes: &Takes, node: &Node, path: &str) -> Option<Finding> {
    let wrong = match takes {
        Takes::Count(least, most) => match units::count(node) {
            Ok(count) if count < *least => format!("must be at least {least}"),
            Ok(count) if count > *most => format!("must be at most {most}"),
            checked => checked.err()?.to_string(),
        },
        Takes::Seconds => units::seconds(node).err()?.to_string(),
        Takes::Bytes => units::bytes(node).err()?.to_string(),
        Takes::Word(words) => {
            let word = node.text().unwrap_or_default();
            if words.contains(&word) {
                return None;
            }
            let near = nearest(word, words.iter().copied());
            let what = format!("must be one of {}, not {word:?}", words.join(", "));
            return Some(Finding {
                hint: near.map(|near| format!("did you mean `{near}`?")),
                ..refusal(path, node.line, &what)
            });
        }
        _ => return None,
    };
    Some(refusal(path, node.line, &wrong))
}

/// Checks an item of a list of texts.
fn check_text(item: &Node, path: &str) -> Option<Finding> {
    let wrong = match item.scalar() {
        None => format!("must hold texts, not {}", item.kind()),
        Some(text) if text.contains('\0') => "has a NUL in it".to_owned(),
        Some(_) => return None,
    };
    Some(refusal(path, item.line, &wrong))
}

fn check_port(item: &Node, path: &str) -> Option<Finding> {
    let is_port = units::count(item).is_ok_and(|n| u16::try_from(n).is_ok());
    let wrong = format!("must hold ports, not {}", units::shown(item));
    (!is_port).then(|| refusal(path, item.line, &wrong))
}

/// Checks an environment variable.
fn check_variable(member: &Member, path: &str) -> Option<Finding> {
    let name = &member.name;
    let wrong = match member.value.scalar() {
        None => format!("must hold texts; `{name}` is {}", member.value.kind()),
        Some(value) if value.contains('\0') => format!("`{name}` has a NUL in it"),
        Some(_) if name.is_empty() || name.contains(['=', '\0']) => {
            format!("{name:?} cannot be the name of a variable")
        }
        Some(_) => return None,
    };
    Some(refusal(path, member.line, &wrong))
}

/// The finding for an item that should be a map.
fn no_map(table: &[Field], item: &Node, path: &str) -> Finding {
    let what = format!("must hold maps, not {}", item.kind());
    let mut finding = refusal(path, item.line, &what);
    if table.iter().any(|field| field.name == "name") {
        finding.hint = item.text().map(|name| format!("write `- name: {name}`"));
    }
    finding
}

/// Whether a value has the type of a field; ignores its contents.
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
