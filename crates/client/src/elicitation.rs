//! Asks the user for the input that a server requests (`elicitation/create`).

mod value;

use std::sync::Arc;

use anstyle::Style;
use linkspan_wire::{Json, escape_block};
use serde_json::{Map, Value};

pub use self::value::{ValueError, choices, chosen_values, is_list, typed_value};
use crate::error::on_one_line;

/// How many times one field is asked for.
const MAX_TRIES: usize = 5;
const NAME: Style = Style::new().bold();

/// The capability of a client with a user.
pub(crate) const CAPABILITY: &str = r#"{"form":{},"url":{}}"#;

/// The user at a terminal. Reading may block.
pub trait Person: Send + Sync + 'static {
    /// Shows a text, which may contain ANSI styles.
    fn say(&self, text: &str);
    /// The next line that the user types, trimmed; `None` at the end of the input.
    fn read_line(&self) -> Option<String>;
}

/// Asks the user a question of a server; returns the result of the request.
pub async fn ask(person: &Arc<dyn Person>, params: Option<Json<'_>>) -> String {
    let question = params.and_then(|params| serde_json::from_str(params.text()).ok());
    let question: Value = question.unwrap_or_default();
    let is_url = question.get("mode").and_then(Value::as_str) == Some("url");
    let person = person.clone();
    let asked = tokio::task::spawn_blocking(move || content(&*person, &question));
    match asked.await {
        Ok(Some(_)) if is_url => r#"{"action":"accept"}"#.to_owned(),
        Ok(Some(content)) => format!(r#"{{"action":"accept","content":{content}}}"#),
        Ok(None) | Err(_) => r#"{"action":"decline"}"#.to_owned(),
    }
}

/// Asks for the fields one after the other; `None` if the user declines.
fn content(person: &dyn Person, question: &Value) -> Option<Value> {
    let text = |key: &str| {
        question
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    person.say(&format!(
        "{NAME}the server asks{NAME:#}: {}\n",
        escape_block(text("message"), "  ")
    ));
    if text("mode") == "url" {
        person.say(&format!("address to open: {}\n", on_one_line(text("url"))));
        person.say("Enter when that is done, Ctrl-D to decline: ");
        return person.read_line().map(|_| Value::Object(Map::new()));
    }
    let properties = question.pointer("/requestedSchema/properties");
    let properties = properties.and_then(Value::as_object);
    let required: Vec<&str> = question
        .pointer("/requestedSchema/required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut content = Map::new();
    let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
        person.say("Enter to accept, Ctrl-D to decline: ");
        return person.read_line().map(|_| Value::Object(content));
    };
    person.say("Ctrl-D declines\n");
    for (name, schema) in properties {
        let needed = required.contains(&name.as_str());
        if let Some(value) = field(person, name, schema, needed)? {
            content.insert(name.clone(), value);
        }
    }
    Some(Value::Object(content))
}

/// Asks for one field. The outer `None` declines the whole request, the inner one leaves the field out.
fn field(person: &dyn Person, name: &str, schema: &Value, needed: bool) -> Option<Option<Value>> {
    let title = schema.get("title").and_then(Value::as_str).unwrap_or(name);
    let choices = choices(schema);
    let default = schema.get("default");
    let facts = facts(schema, &choices, needed);
    for _ in 0..MAX_TRIES {
        person.say(&format!("{NAME}{}{NAME:#}{facts}: ", on_one_line(title)));
        let typed = person.read_line()?;
        match (typed.as_str(), default) {
            ("", Some(default)) => return Some(Some(default.clone())),
            ("", None) if !needed => return Some(None),
            ("", None) => person.say("it is required: write a value, or decline with Ctrl-D\n"),
            (typed, _) => match typed_value(typed, schema, &choices) {
                Ok(value) => return Some(Some(value)),
                Err(why) => person.say(&format!("{why}\n")),
            },
        }
    }
    person.say(&format!(
        "declined: {MAX_TRIES} answers did not fit {}\n",
        on_one_line(title)
    ));
    None
}

/// The facts about a field, in parentheses.
fn facts(schema: &Value, choices: &[(String, String)], needed: bool) -> String {
    let text = |key: &str| schema.get(key).and_then(Value::as_str);
    let default = schema.get("default");
    let mut facts: Vec<String> = Vec::new();
    facts.extend(text("description").map(on_one_line));
    match text("type") {
        _ if !choices.is_empty() => {
            let all: Vec<String> = choices
                .iter()
                .map(|(value, title)| {
                    if title == value {
                        on_one_line(value)
                    } else {
                        on_one_line(&format!("{value} = {title}"))
                    }
                })
                .collect();
            let how = if is_list(schema) {
                "any of, with commas"
            } else {
                "one of"
            };
            facts.push(format!("{how}: {}", all.join(", ")));
        }
        Some("boolean") => facts.push("yes or no".to_owned()),
        Some(kind @ ("integer" | "number")) => facts.push(kind.to_owned()),
        _ => {}
    }
    facts.extend(default.map(|default| match default.as_str() {
        Some(text) => format!("Enter takes {}", on_one_line(text)),
        None => format!("Enter takes {default}"),
    }));
    match (needed, default) {
        (true, None) => facts.push("required".to_owned()),
        (false, None) => facts.push("Enter leaves it out".to_owned()),
        (_, Some(_)) => {}
    }
    if facts.is_empty() {
        return String::new();
    }
    format!(" ({})", facts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::Mutex;

    /// Types these lines, and records the shown text.
    struct Typist {
        lines: Mutex<Vec<String>>,
        seen: Mutex<String>,
    }

    impl Person for Typist {
        fn say(&self, text: &str) {
            *self.seen.lock().unwrap() += text;
        }

        fn read_line(&self) -> Option<String> {
            self.lines.lock().unwrap().pop()
        }
    }

    /// The content if the user types these lines, and the shown text.
    fn asked(question: &Value, lines: &[&str]) -> (Option<Value>, String) {
        let lines = lines.iter().rev().map(|&line| line.to_owned()).collect();
        let typist = Typist {
            lines: Mutex::new(lines),
            seen: Mutex::default(),
        };
        let content = content(&typist, question);
        (content, typist.seen.into_inner().unwrap())
    }

    #[test]
    fn every_kind_of_field_is_asked_for_until_it_fits() {
        let question = json!({"message": "Where to?", "requestedSchema": {"type": "object",
            "properties": {
                "city": {"type": "string", "title": "City"},
                "nights": {"type": "integer", "default": 2},
                "quiet": {"type": "boolean"},
                "class": {"type": "string", "enum": ["a", "b"], "enumNames": ["First", "Second"]},
                "meals": {"type": "array", "items": {"anyOf": [{"const": "l", "title": "Lunch"}, {"const": "d", "title": "Dinner"}]}},
                "note": {"type": "string"},
            },
            "required": ["city", "quiet"]}});
        let typed = ["Bern", "x", "3", "perhaps", "y", "second", "Lunch, d", ""];
        let (content, seen) = asked(&question, &typed);
        assert_eq!(
            content.unwrap(),
            json!({"city": "Bern", "nights": 3, "quiet": true, "class": "b", "meals": ["l", "d"]})
        );
        assert!(seen.contains("the server asks"), "{seen}");
        assert!(seen.contains("write a whole number"), "{seen}");
        assert!(seen.contains("one of: a = First, b = Second"), "{seen}");
    }

    #[test]
    fn enter_takes_the_default_and_the_end_of_input_declines() {
        let question = json!({"message": "?", "requestedSchema": {"properties": {"n": {"type": "integer", "default": 2}}}});
        assert_eq!(asked(&question, &[""]).0, Some(json!({"n": 2})));
        assert_eq!(asked(&question, &[]).0, None);
        assert_eq!(
            asked(&json!({"message": "Sure?"}), &[""]).0,
            Some(json!({}))
        );
        assert_eq!(asked(&json!({"message": "Sure?"}), &[]).0, None);
    }

    #[test]
    fn a_required_field_that_never_fits_declines() {
        let question = json!({"message": "?", "requestedSchema": {"properties": {"n": {"type": "integer"}}, "required": ["n"]}});
        let (content, seen) = asked(&question, &["a", "b", "", "d", "e", "f"]);
        assert_eq!(content, None);
        assert!(seen.contains("declined: 5 answers did not fit n"), "{seen}");
    }

    #[test]
    fn a_value_that_breaks_the_schema_is_asked_for_again() {
        let asks = |schema: Value, wrong: &str, right: &str| {
            let question = json!({"message": "?", "requestedSchema": {"type": "object",
                "properties": {"x": schema}, "required": ["x"]}});
            let (content, seen) = asked(&question, &[wrong, right]);
            let content = content.unwrap_or_else(|| panic!("{seen}"));
            assert!(seen.contains("(") && seen.contains("required"), "{seen}");
            assert_eq!(seen.matches("x\u{1b}[0m").count(), 2, "{seen}");
            content["x"].clone()
        };
        let text = |more: Value| {
            let mut schema = json!({"type": "string"});
            let all = schema.as_object_mut().unwrap();
            all.extend(more.as_object().unwrap().clone());
            schema
        };
        assert_eq!(asks(text(json!({})), "", "a"), "a");
        assert_eq!(asks(text(json!({"minLength": 3})), "ab", "abc"), "abc");
        assert_eq!(asks(text(json!({"format": "email"})), "ab", "a@b"), "a@b");
        let day = "2026-07-28";
        assert_eq!(
            asks(text(json!({"format": "date"})), "2026-13-01", day),
            day
        );
        let time = "2026-07-28T10:00:00Z";
        assert_eq!(asks(text(json!({"format": "date-time"})), day, time), time);
        assert_eq!(asks(text(json!({"format": "uri"})), "a b", "a:b"), "a:b");
        let few = json!({"type": "integer", "maximum": 5});
        assert_eq!(asks(few, "6", "5"), 5);
    }

    #[test]
    fn an_address_is_shown_and_not_opened() {
        let question = json!({"mode": "url", "message": "Log in", "url": "https://x/y\u{1b}[2J"});
        let (content, seen) = asked(&question, &[""]);
        assert_eq!(content, Some(json!({})));
        assert!(seen.contains(r"https://x/y\u{1b}[2J"), "{seen}");
    }
}
