//! Changes as lines for a person.

use std::collections::BTreeMap;

use linkspan_wire::{Json, JsonKind, escape_line};

use super::change::{Change, Difference};
use super::item::ItemId;
use super::{Overview, Pins};
use crate::canonical::DEEPEST;
use crate::hash;

/// Values of a definition that are compared, and lines that are shown of it.
const MOST_VALUES: usize = 2000;
const MOST_LINES: usize = 200;
/// Characters of a value that are shown, and of the equal text before and after a difference.
const LONGEST_VALUE: usize = 4000;
const CONTEXT: usize = 24;
/// Characters of a name to which names in a listing are aligned.
const WIDEST_NAME: usize = 24;
/// Digits of a digest in a listing.
const SHORT_DIGEST: usize = 16;
/// Characters of a key in a path.
const LONGEST_KEY: usize = 80;

/// The changes as lines, which are safe to print: one for each item, and indented ones for its values.
pub fn diff(changes: &[Change]) -> Vec<String> {
    changes.iter().flat_map(lines).collect()
}

impl Pins {
    /// The servers, or one of them, as lines, which are safe to print.
    pub fn listing(&self, only: Option<&str>) -> Vec<String> {
        let widths = self
            .servers
            .keys()
            .map(|name| escape_line(name).chars().count());
        let width = widths.max().unwrap_or_default().min(WIDEST_NAME);
        let line = |server: Overview<'_>| {
            let counted = |count: usize, one: &str| match count {
                0 => None,
                1 => Some(format!("1 {one}")),
                count => Some(format!("{count} {one}s")),
            };
            let parts = [
                counted(server.tools, "tool"),
                counted(server.prompts, "prompt"),
                server.instructions.then(|| "instructions".to_owned()),
                counted(server.changes, "change").map(|changes| format!("{changes} to accept")),
            ];
            let parts: Vec<_> = parts.into_iter().flatten().collect();
            let digest = server.digest.to_string();
            let name = escape_line(server.server);
            format!(
                "{name:<width$}  {}  {}",
                &digest[..SHORT_DIGEST],
                parts.join(", ")
            )
        };
        let servers = self.overview();
        let servers = servers.filter(|server| only.is_none_or(|only| only == server.server));
        servers.map(line).collect()
    }

    /// How servers differ from what was accepted, as lines: of one server or of all, and of one item or of all.
    pub fn difference(&self, server: Option<&str>, item: Option<&ItemId>) -> Vec<String> {
        let names = self.servers.keys().map(|name| &**name);
        let names = names.filter(|name| server.is_none_or(|server| server == *name));
        let of_server = |name| {
            let mut changes = self.changes(name);
            changes.retain(|change| item.is_none_or(|item| *item == change.item));
            let head = (!changes.is_empty()).then(|| escape_line(name).into_owned());
            let lines = diff(&changes).into_iter().map(|line| format!("  {line}"));
            head.into_iter().chain(lines).collect::<Vec<_>>()
        };
        names.flat_map(of_server).collect()
    }
}

fn lines(change: &Change) -> Vec<String> {
    let item = escape_line(&change.item.to_string()).into_owned();
    let head = format!("{:<8} {item}", change.word());
    let (about, before, after) = match &change.difference {
        Difference::Added { after } => ("", None, after.as_deref()),
        Difference::Removed { before } => ("", before.as_deref(), None),
        Difference::Renamed { from } => {
            return vec![format!("{head}, before: {}", escape_line(from))];
        }
        Difference::Unpinned => {
            return vec![format!(
                "{head}: its name is too long, or it is one of too many"
            )];
        }
        Difference::Changed { before, after, .. } => match (before, after) {
            (Some(before), Some(after)) => ("", Some(&**before), Some(&**after)),
            _ => (": a definition is too long to be shown", None, None),
        },
    };
    let mut lines = vec![format!("{head}{about}")];
    let values = [before, after].map(|text| text.map(leaves).unwrap_or_default());
    lines.extend(compare(&values[0], &values[1]));
    if lines.len() > MOST_LINES {
        let left = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("  … and {left} more lines"));
    }
    if values.iter().any(|values| values.len() >= MOST_VALUES) {
        lines.push(format!(
            "  … only the first {MOST_VALUES} values are compared"
        ));
    }
    lines
}

/// The values of a definition that contain no others, by their path.
type Leaves = BTreeMap<String, String>;

fn compare(before: &Leaves, after: &Leaves) -> Vec<String> {
    let paths = before
        .keys()
        .chain(after.keys().filter(|path| !before.contains_key(*path)));
    let mut paths: Vec<_> = paths.collect();
    paths.sort();
    let mut lines = Vec::new();
    for path in paths {
        let (old, new) = (before.get(path), after.get(path));
        if old == new {
            continue;
        }
        let (old, new) = match (old, new) {
            (Some(old), Some(new)) => {
                let (old, new) = window(old, new);
                (Some(old), Some(new))
            }
            (old, new) => (old.cloned(), new.cloned()),
        };
        let line = |sign, text: String| {
            let gap = if path.is_empty() { "" } else { ": " };
            format!("  {sign} {}{gap}{}", escape_line(path), shown(&text))
        };
        lines.extend(old.map(|text| line('-', text)));
        lines.extend(new.map(|text| line('+', text)));
    }
    lines
}

fn shown(text: &str) -> String {
    let cut: String = text.chars().take(LONGEST_VALUE).collect();
    let cut = escape_line(&cut).into_owned();
    match text.chars().count().saturating_sub(LONGEST_VALUE) {
        0 => cut,
        more => format!("{cut}… ({more} more characters)"),
    }
}

fn leaves(definition: &str) -> Leaves {
    let mut leaves = Leaves::new();
    if let Ok(json) = Json::parse(definition) {
        collect(json, String::new(), 0, &mut leaves);
    }
    leaves
}

fn collect(json: Json<'_>, path: String, depth: usize, leaves: &mut Leaves) {
    if leaves.len() >= MOST_VALUES {
        return;
    }
    let is_empty = matches!(json.text(), "{}" | "[]");
    match json.kind() {
        JsonKind::Object if depth < DEEPEST && !is_empty => {
            for (key, value) in json.members() {
                let key = short(&key);
                let path = if path.is_empty() {
                    key
                } else {
                    format!("{path}.{key}")
                };
                collect(value, path, depth + 1, leaves);
            }
        }
        JsonKind::Array if depth < DEEPEST && !is_empty => {
            for (index, value) in json.elements().enumerate() {
                collect(value, format!("{path}[{index}]"), depth + 1, leaves);
            }
        }
        _ => {
            // A member that occurs twice, or a key with a dot.
            let leaf = leaves.entry(path).or_default();
            leaf.push_str(if leaf.is_empty() { "" } else { " " });
            leaf.push_str(json.text());
        }
    }
}

fn short(key: &str) -> String {
    if key.len() <= LONGEST_KEY {
        return key.to_owned();
    }
    let head: String = key.chars().take(LONGEST_KEY / 2).collect();
    format!("{head}…{}", hash::short(&[key]))
}

/// Two texts without most of what they begin and end with in common.
fn window(one: &str, other: &str) -> (String, String) {
    let chars = |text: &str| text.chars().collect::<Vec<_>>();
    let (one, other) = (chars(one), chars(other));
    let pairs = || one.iter().zip(&other);
    let front = pairs().take_while(|(a, b)| a == b).count();
    let rest = one.len().min(other.len()) - front;
    let pairs = one.iter().rev().zip(other.iter().rev()).take(rest);
    let back = pairs.take_while(|(a, b)| a == b).count();
    let cut = |text: &[char]| {
        let from = front.saturating_sub(CONTEXT);
        let to = (text.len() - back + CONTEXT).min(text.len());
        let middle: String = text[from..to].iter().collect();
        let [start, end] = [from > 0, to < text.len()].map(|is_cut| if is_cut { "…" } else { "" });
        format!("{start}{middle}{end}")
    };
    (cut(&one), cut(&other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn changed(before: &str, after: &str) -> String {
        let change = Change {
            item: ItemId::parse("t"),
            difference: Difference::Changed {
                members: Vec::new(),
                before: Some(before.into()),
                after: Some(after.into()),
            },
        };
        diff(&[change]).join("\n")
    }

    #[test]
    fn only_values_that_differ_are_shown() {
        let before = r#"{"a":1,"b":{"c":[1,2],"d":"x"},"e":{}}"#;
        let after = r#"{"a":1,"b":{"c":[1,3,"y"]},"e":{"f":true}}"#;
        assert_eq!(
            changed(before, after),
            "changed  tool/t\n  - b.c[1]: 2\n  + b.c[1]: 3\n  + b.c[2]: \"y\"\n  - b.d: \"x\"\n  - e: {}\n  + e.f: true"
        );
    }

    #[test]
    fn of_long_texts_the_part_that_differs_is_shown() {
        let text = |middle: &str| format!("\"{}{middle}{}\"", "a".repeat(90), "b".repeat(90));
        let (a, b) = ("a".repeat(24), "b".repeat(24));
        assert_eq!(
            changed(&text(""), &text("!\u{202e}")),
            format!("changed  tool/t\n  - …{a}{b}…\n  + …{a}!\\u{{202e}}{b}…")
        );
    }

    #[test]
    fn a_definition_with_very_many_values_is_cut() {
        let many: Vec<_> = (0..MOST_VALUES + 9)
            .map(|i| format!("\"k{i}\":{i}"))
            .collect();
        let text = format!("{{{}}}", many.join(","));
        let lines = changed("{}", &text);
        assert_eq!(lines.lines().count(), MOST_LINES + 2);
        assert!(lines.ends_with("only the first 2000 values are compared"));
    }

    proptest! {
        #[test]
        fn every_difference_has_a_line_without_control_characters(
            one in "\\PC{0,60}|[\u{0}-\u{2ff}]{0,20}", other in "\\PC{0,60}"
        ) {
            let [a, b] = [&one, &other].map(|text| linkspan_wire::quote(text));
            let lines = changed(&format!("{{\"x\":{a}}}"), &format!("{{\"x\":{b}}}"));
            prop_assert_eq!(lines.lines().count(), if one == other { 1 } else { 3 });
            prop_assert!(!lines.replace('\n', "").contains(linkspan_wire::is_hidden));
        }
    }
}
