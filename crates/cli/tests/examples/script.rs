//! Transcripts: steps with sent and expected messages, and their comparison.

use serde_json::{Map, Value};
use std::collections::HashMap;

/// One line of a transcript.
pub struct Step {
    /// The line number, for messages.
    pub line: usize,
    /// `send`, `expect`, …
    pub kind: String,
    /// The JSON value of the line.
    pub value: Value,
    /// How often.
    pub times: usize,
}

/// Reads a transcript; `{dir}` becomes the workspace.
pub fn read(text: &str, dir: &str) -> Vec<Step> {
    let steps = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    steps
        .map(|(number, line)| step(number + 1, &line.replace("{dir}", dir)))
        .collect()
}

fn step(line: usize, text: &str) -> Step {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("line {line}: {e}"));
    let Value::Object(mut members) = value else {
        panic!("line {line}: not an object");
    };
    let times = members
        .remove("times")
        .and_then(|n| n.as_u64())
        .unwrap_or(1);
    assert_eq!(members.len(), 1, "line {line}: one thing per line");
    let (kind, value) = members.into_iter().next().expect("one member");
    Step {
        line,
        kind,
        value,
        times: times as usize,
    }
}

/// Values that an `expect` saved and a `send` uses.
#[derive(Default)]
pub struct Saved(HashMap<String, Value>);

impl Saved {
    /// Inserts the number of a repetition and saved values.
    pub fn fill(&self, value: &Value, n: usize) -> Value {
        match value {
            Value::String(text) => Value::String(text.replace("{n}", &n.to_string())),
            Value::Array(items) => items.iter().map(|item| self.fill(item, n)).collect(),
            Value::Object(members) => match members.get("$load").and_then(Value::as_str) {
                Some(name) => self
                    .0
                    .get(name)
                    .unwrap_or_else(|| panic!("nothing was saved as {name}"))
                    .clone(),
                None => {
                    let filled = members.iter().map(|(k, v)| (k.clone(), self.fill(v, n)));
                    Value::Object(filled.collect::<Map<_, _>>())
                }
            },
            other => other.clone(),
        }
    }

    /// Whether a value matches the pattern; saves values if it does.
    pub fn matches(&mut self, pattern: &Value, value: &Value) -> bool {
        let mut found = HashMap::new();
        let fits = fits(pattern, Some(value), &mut found);
        if fits {
            self.0.extend(found);
        }
        fits
    }
}

/// Members that the pattern does not name are ignored.
fn fits(pattern: &Value, value: Option<&Value>, found: &mut HashMap<String, Value>) -> bool {
    if let Some((rule, operand)) = rule(pattern) {
        return by_rule(rule, operand, value, found);
    }
    let Some(value) = value else {
        return false;
    };
    match (pattern, value) {
        (Value::Object(pattern), Value::Object(members)) => {
            pattern.iter().all(|(k, p)| fits(p, members.get(k), found))
        }
        (Value::Array(pattern), Value::Array(items)) => {
            pattern.len() == items.len()
                && pattern
                    .iter()
                    .zip(items)
                    .all(|(p, v)| fits(p, Some(v), found))
        }
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        _ => pattern == value,
    }
}

/// `{"$has": "text"}` is a rule, not an object.
fn rule(pattern: &Value) -> Option<(&str, &Value)> {
    let members = pattern.as_object().filter(|m| m.len() == 1)?;
    let (name, operand) = members.iter().next()?;
    name.strip_prefix('$').map(|rule| (rule, operand))
}

fn by_rule(
    rule: &str,
    operand: &Value,
    value: Option<&Value>,
    found: &mut HashMap<String, Value>,
) -> bool {
    match rule {
        "absent" => value.is_none(),
        "falsy" => matches!(value, None | Some(Value::Bool(false) | Value::Null)),
        "any" => value.is_some(),
        "has" => {
            let text = value.and_then(Value::as_str);
            text.is_some_and(|t| t.contains(operand.as_str().expect("a text")))
        }
        "count" => {
            let items = value.and_then(Value::as_array);
            items.is_some_and(|items| Some(items.len() as u64) == operand.as_u64())
        }
        "contains" => value.and_then(Value::as_array).is_some_and(|items| {
            let wanted = operand.as_array().expect("a list");
            wanted
                .iter()
                .all(|p| items.iter().any(|v| fits(p, Some(v), found)))
        }),
        "save" => match value {
            Some(value) => {
                found.insert(operand.as_str().expect("a name").to_owned(), value.clone());
                true
            }
            None => false,
        },
        other => panic!("there is no rule ${other}"),
    }
}

#[test]
fn patterns_match_in_part() {
    let mut saved = Saved::default();
    let value =
        serde_json::json!({"id": 1, "list": [{"a": 1, "b": 2}, {"a": 3}], "text": "a word"});
    for pattern in [
        r#"{"id":1}"#,
        r#"{"list":[{"a":1},{}]}"#,
        r#"{"list":{"$contains":[{"a":3}]}}"#,
        r#"{"list":{"$count":2}}"#,
        r#"{"text":{"$has":"wor"},"none":{"$absent":true},"id":{"$save":"x"}}"#,
    ] {
        assert!(
            saved.matches(&serde_json::from_str(pattern).expect("JSON"), &value),
            "{pattern}"
        );
    }
    assert_eq!(
        saved.fill(&serde_json::json!({"is": {"$load": "x"}, "n": "{n}"}), 7),
        serde_json::json!({"is": 1, "n": "7"})
    );
    for pattern in [
        r#"{"id":2}"#,
        r#"{"list":[{"a":1}]}"#,
        r#"{"none":1}"#,
        r#"{"id":{"$absent":true}}"#,
        r#"{"text":{"$has":"x"}}"#,
    ] {
        assert!(
            !saved.matches(&serde_json::from_str(pattern).expect("JSON"), &value),
            "{pattern}"
        );
    }
}
