//! Writes values as YAML.

use serde_json::{Map, Value};

/// A value as the lines of a whole file.
pub(crate) fn write(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => mapping(members, ""),
        other => vec![scalar(other)],
    }
}

/// A member of a mapping.
pub(super) fn member(name: &str, value: &Value, indent: &str) -> Vec<String> {
    let key = text(name);
    let inside = format!("{indent}  ");
    let (first, rest) = match value {
        Value::Object(members) if !members.is_empty() => (String::new(), mapping(members, &inside)),
        Value::Array(items) if !items.is_empty() => {
            let items = items.iter().flat_map(|value| item(value, &inside));
            (String::new(), items.collect())
        }
        other => (format!(" {}", scalar(other)), Vec::new()),
    };
    let mut lines = vec![format!("{indent}{key}:{first}")];
    lines.extend(rest);
    lines
}

/// An item of a sequence.
pub(super) fn item(value: &Value, indent: &str) -> Vec<String> {
    let Value::Object(members) = value else {
        return vec![format!("{indent}- {}", scalar(value))];
    };
    let mut lines = mapping(members, &format!("{indent}  "));
    if let Some(first) = lines.first_mut() {
        *first = format!("{indent}- {}", first.trim_start());
    }
    lines
}

fn mapping(members: &Map<String, Value>, indent: &str) -> Vec<String> {
    let members = members.iter();
    members
        .flat_map(|(name, value)| member(name, value, indent))
        .collect()
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(plain) => text(plain),
        // JSON is YAML.
        other => other.to_string(),
    }
}

/// A string, in quotes unless it can only be read as a string.
fn text(text: &str) -> String {
    const WORDS: [&str; 8] = ["true", "false", "null", "yes", "no", "on", "off", "y"];
    let is_inside = |c: char| c.is_ascii_alphanumeric() || "_-./@".contains(c);
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '_')
        && text.chars().all(is_inside)
        && text != "n"
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is_plain {
        return text.to_owned();
    }
    Value::from(text).to_string()
}
