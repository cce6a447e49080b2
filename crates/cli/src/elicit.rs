//! A server's question (`elicitation/create`), put to the person at the terminal.

use std::io::{self, BufRead, IsTerminal, Read};

use anstyle::Style;
use linkspan_scripts::folder::Schema;
use linkspan_wire::{Json, quote};
use serde_json::{Map, Value};

use crate::show::{indented, on_one_line};

/// The longest answer that is read.
const LONGEST: u64 = 64 << 10;
/// How often a field is asked for until it fits.
const TRIES: usize = 5;
const NAME: Style = Style::new().bold();

/// What we tell a server that we can be asked.
pub(crate) const CAPABILITY: &str = r#"{"form":{},"url":{}}"#;

/// Whether there is a person to ask.
pub(crate) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks the person; gives the result of the request.
pub(crate) async fn ask(params: Option<Json<'_>>) -> String {
    let question = params.and_then(|params| serde_json::from_str(params.text()).ok());
    let question: Value = question.unwrap_or_default();
    let is_url = question.get("mode").and_then(Value::as_str) == Some("url");
    // Reading from a terminal blocks.
    let asked = tokio::task::spawn_blocking(move || {
        put(&question, &mut line, &mut |text| {
            anstream::eprint!("{text}")
        })
    });
    match asked.await {
        Ok(Some(_)) if is_url => r#"{"action":"accept"}"#.to_owned(),
        Ok(Some(content)) => format!(r#"{{"action":"accept","content":{content}}}"#),
        Ok(None) | Err(_) => r#"{"action":"decline"}"#.to_owned(),
    }
}

/// A line of the person's; `None` at the end of the input.
fn line() -> Option<String> {
    let mut line = String::new();
    let read = io::stdin().lock().take(LONGEST).read_line(&mut line);
    match read {
        Ok(1..) => Some(line.trim().to_owned()),
        Ok(0) | Err(_) => None,
    }
}

/// The question and its fields one after the other; the content of an acceptance, or nothing.
fn put(
    question: &Value,
    read: &mut dyn FnMut() -> Option<String>,
    say: &mut dyn FnMut(&str),
) -> Option<Value> {
    let text = |key: &str| {
        question
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    say(&format!(
        "{NAME}the server asks{NAME:#}: {}\n",
        indented(text("message"), "  ")
    ));
    if text("mode") == "url" {
        say(&format!(
            "it wants you to open this address: {}\n",
            on_one_line(text("url"))
        ));
        say("Enter when that is done, Ctrl-D to decline: ");
        return read().map(|_| Value::Object(Map::new()));
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
        say("Enter to accept, Ctrl-D to decline: ");
        return read().map(|_| Value::Object(content));
    };
    say("Ctrl-D declines\n");
    for (name, schema) in properties {
        let needed = required.contains(&name.as_str());
        if let Some(value) = field(name, schema, needed, read, say)? {
            content.insert(name.clone(), value);
        }
    }
    Some(Value::Object(content))
}

/// One field. The outer `None` declines the whole question, the inner one leaves the field out.
fn field(
    name: &str,
    schema: &Value,
    needed: bool,
    read: &mut dyn FnMut() -> Option<String>,
    say: &mut dyn FnMut(&str),
) -> Option<Option<Value>> {
    let text = |key: &str| schema.get(key).and_then(Value::as_str);
    let title = text("title").unwrap_or(name);
    let choices = choices(schema);
    let default = schema.get("default");
    let mut facts: Vec<String> = Vec::new();
    facts.extend(text("description").map(on_one_line));
    match text("type") {
        _ if !choices.is_empty() => {
            let all: Vec<String> = choices
                .iter()
                .map(|(value, title)| match title == value {
                    true => on_one_line(value),
                    false => on_one_line(&format!("{value} = {title}")),
                })
                .collect();
            let how = match is_list(schema) {
                true => "any of, with commas",
                false => "one of",
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
    let facts = match facts.is_empty() {
        true => String::new(),
        false => format!(" ({})", facts.join("; ")),
    };
    for _ in 0..TRIES {
        say(&format!("{NAME}{}{NAME:#}{facts}: ", on_one_line(title)));
        let typed = read()?;
        match (typed.as_str(), default) {
            ("", Some(default)) => return Some(Some(default.clone())),
            ("", None) if !needed => return Some(None),
            ("", None) => say("it is required: write a value, or decline with Ctrl-D\n"),
            (typed, _) => match value(typed, schema, &choices).and_then(|v| fits(v, schema)) {
                Ok(value) => return Some(Some(value)),
                Err(why) => say(&format!("{why}\n")),
            },
        }
    }
    say(&format!(
        "declined: {TRIES} answers did not fit {}\n",
        on_one_line(title)
    ));
    None
}

fn is_list(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("array")
}

/// What may be chosen, and what it is called.
fn choices(schema: &Value) -> Vec<(String, String)> {
    let of = schema.get("items").filter(|_| is_list(schema));
    let of = of.unwrap_or(schema);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(plain) = of.get("enum").and_then(Value::as_array) {
        let titles = of.get("enumNames").and_then(Value::as_array);
        let title = |n: usize| titles.and_then(|titles| text(titles.get(n)?));
        return plain
            .iter()
            .enumerate()
            .filter_map(|(n, value)| {
                let value = text(value)?;
                Some((value.clone(), title(n).unwrap_or(value)))
            })
            .collect();
    }
    let titled = ["oneOf", "anyOf"].iter().find_map(|key| of.get(*key));
    let titled = titled.and_then(Value::as_array).into_iter().flatten();
    titled
        .filter_map(|one| {
            let value = text(one.get("const")?)?;
            let title = one.get("title").and_then(text);
            Some((value.clone(), title.unwrap_or(value)))
        })
        .collect()
}

/// What was typed, as the schema wants it.
fn value(typed: &str, schema: &Value, choices: &[(String, String)]) -> Result<Value, String> {
    let chosen = |typed: &str| {
        let found = choices
            .iter()
            .find(|(value, title)| typed == value || typed.eq_ignore_ascii_case(title));
        let found = found.map(|(value, _)| Value::String(value.clone()));
        found.ok_or_else(|| format!("`{}` is none of them", on_one_line(typed)))
    };
    if is_list(schema) {
        let words = typed.split(',').map(str::trim).filter(|w| !w.is_empty());
        let all: Result<Vec<Value>, String> = match choices.is_empty() {
            true => Ok(words.map(Into::into).collect()),
            false => words.map(chosen).collect(),
        };
        return all.map(Value::Array);
    }
    if !choices.is_empty() {
        return chosen(typed);
    }
    let kind = schema.get("type").and_then(Value::as_str);
    match (kind, &*typed.to_ascii_lowercase()) {
        (Some("boolean"), "y" | "yes" | "true" | "1") => Ok(true.into()),
        (Some("boolean"), "n" | "no" | "false" | "0") => Ok(false.into()),
        (Some("boolean"), _) => Err("write yes or no".to_owned()),
        (Some("integer"), _) => match typed.parse::<i64>() {
            Ok(number) => Ok(number.into()),
            Err(_) => Err("write a whole number".to_owned()),
        },
        (Some("number"), _) => match typed.parse::<f64>().ok().filter(|n| n.is_finite()) {
            Some(number) => Ok(number.into()),
            None => Err("write a number".to_owned()),
        },
        _ => Ok(typed.into()),
    }
}

/// The value, if it is one that the field's schema allows.
fn fits(value: Value, schema: &Value) -> Result<Value, String> {
    // The checker takes a format as a remark, as JSON Schema says; a person can type it anew.
    let is_format = |text: &str| match schema.get("format").and_then(Value::as_str) {
        Some("email") => is_email(text),
        Some("uri") => text.split_once(':').is_some_and(|(scheme, rest)| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
                && !rest.is_empty()
                && !text.contains(char::is_whitespace)
        }),
        Some("date") => is_date(text),
        Some("date-time") => text
            .split_once(['T', 't', ' '])
            .is_some_and(|(date, time)| {
                is_date(date) && time.len() >= 9 && time.is_char_boundary(8) && is_time(&time[..8])
            }),
        _ => true,
    };
    if let (Some(text), Some(format)) = (value.as_str(), schema.get("format"))
        && !is_format(text)
    {
        let format = format.as_str().unwrap_or_default();
        return Err(format!("`{}` is no {format}", on_one_line(text)));
    }
    // A schema that cannot be read is the server's mistake; the server checks the value itself.
    let wrong = Schema::new(schema).map_or_else(|_| Vec::new(), |schema| schema.check(&value));
    match wrong.is_empty() {
        true => Ok(value),
        false => Err(format!(
            "it does not fit: {}",
            on_one_line(&wrong.join("; "))
        )),
    }
}

fn is_email(text: &str) -> bool {
    let parts = text.rsplit_once('@');
    parts.is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
        && !text.contains(char::is_whitespace)
}

/// `2026-07-28`
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    numbers(&parts, &[(4, 0, 9999), (2, 1, 12), (2, 1, 31)])
}

/// `23:59:60`
fn is_time(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    numbers(&parts, &[(2, 0, 23), (2, 0, 59), (2, 0, 60)])
}

/// Whether these are numbers, each with so many digits, from a least to a greatest value.
fn numbers(parts: &[&str], shape: &[(usize, u32, u32)]) -> bool {
    parts.len() == shape.len()
        && parts
            .iter()
            .zip(shape)
            .all(|(part, (digits, least, most))| {
                part.len() == *digits
                    && part.bytes().all(|b| b.is_ascii_digit())
                    && part
                        .parse()
                        .is_ok_and(|n: u32| (*least..=*most).contains(&n))
            })
}

/// `{"key":{…}}`: the answers to the questions of a modern result, or the method that we cannot answer.
pub(crate) async fn answer_all(questions: Json<'_>, roots: Option<&str>) -> Result<String, String> {
    let mut answers = Vec::new();
    for (key, question) in questions.members() {
        let method = question.get("method").and_then(Json::as_str);
        let answer = match (method.as_deref(), roots) {
            (Some("elicitation/create"), _) if is_possible() => ask(question.get("params")).await,
            (Some("roots/list"), Some(roots)) => roots.to_owned(),
            (method, _) => return Err(method.unwrap_or("something unknown").to_owned()),
        };
        answers.push(format!("{}:{answer}", quote(&key)));
    }
    Ok(format!("{{{}}}", answers.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What comes of a question if these lines are typed, and what the person has seen.
    fn asked(question: &Value, lines: &[&str]) -> (Option<Value>, String) {
        let mut lines = lines.iter();
        let mut seen = String::new();
        let content = put(
            question,
            &mut || lines.next().map(|line| (*line).to_owned()),
            &mut |text| seen += text,
        );
        (content, seen)
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
