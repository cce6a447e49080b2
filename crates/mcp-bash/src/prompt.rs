//! Renders prompts.

use serde_json::{Map, Value, json};

use super::meta;
use super::places::Places;

/// The result of `prompts/get`.
///
/// It also has `text` and `arguments`, which clients of mcp-bash read.
pub fn get(item: &Map<String, Value>, arguments: &Value, places: &Places) -> String {
    let path = meta::text(item, "path").unwrap_or_default();
    let text = inside(places, path).unwrap_or_default();
    let text = filled(text.trim_end_matches('\n'), arguments);
    // The specification knows two roles; mcp-bash lets authors write others.
    let role = match meta::text(item, "role") {
        Some("assistant") => "assistant",
        _ => "user",
    };
    let mut result = Map::new();
    if let Some(description) = meta::text(item, "description") {
        result.insert("description".to_owned(), json!(description));
    }
    let message = json!({"role": role, "content": {"type": "text", "text": text}});
    result.insert("messages".to_owned(), json!([message]));
    result.insert("text".to_owned(), json!(text));
    result.insert("arguments".to_owned(), arguments.clone());
    Value::Object(result).to_string()
}

fn inside(places: &Places, path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    let real = places.prompts.join(path).canonicalize().ok()?;
    let home = places.prompts.canonicalize().ok()?;
    real.starts_with(home).then(|| meta::whole(&real, places))?
}

/// Replaces `{{name}}` and `${name}` in one pass. A placeholder without a value stays.
fn filled(text: &str, arguments: &Value) -> String {
    let value = |name: &str| -> Option<String> {
        match arguments.get(name.trim())? {
            Value::String(text) => Some(text.clone()),
            value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
            _ => None,
        }
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{{").into_iter().chain(rest.find("${")).min() {
        out.push_str(&rest[..at]);
        let from = &rest[at..];
        let close = if from.starts_with("{{") { "}}" } else { "}" };
        let known = from[2..]
            .split_once(close)
            .and_then(|(name, after)| Some((value(name)?, after)));
        match known {
            Some((value, after)) => {
                out.push_str(&value);
                rest = after;
            }
            None => {
                out.push_str(&from[..2]);
                rest = &from[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::vars::Vars;
    use super::*;

    #[test]
    fn values_are_inserted_once_and_unchanged() {
        let arguments = json!({"a": "line\n{{b}}", "b": 2, "c": true, "d": [1], "e": "x&|\\"});
        assert_eq!(
            filled("{{a}} {{b}} {{ c }} {{d}} {{gone}} {{", &arguments),
            "line\n{{b}} 2 true {{d}} {{gone}} {{"
        );
        assert_eq!(
            filled("Hello ${b}! ${gone} $x {{e}}", &arguments),
            "Hello 2! ${gone} $x x&|\\"
        );
    }

    #[test]
    fn a_prompt_becomes_one_message() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("prompts")).unwrap();
        fs::write(root.path().join("prompts/hi.txt"), "Hi {{name}}!\n").unwrap();
        fs::write(root.path().join("secret"), "secret").unwrap();
        let places = Places::of(root.path(), &Vars::default());
        let item = |path: &str| {
            let item = json!({"name": "hi", "description": "d", "path": path, "role": "system"});
            item.as_object().unwrap().clone()
        };
        let arguments = json!({"name": "Ada"});
        let got: Value = serde_json::from_str(&get(&item("hi.txt"), &arguments, &places)).unwrap();
        assert_eq!(
            got,
            json!({
                "description": "d",
                "messages": [{"role": "user", "content": {"type": "text", "text": "Hi Ada!"}}],
                "text": "Hi Ada!",
                "arguments": {"name": "Ada"},
            })
        );
        let outside = get(&item("../secret"), &arguments, &places);
        assert!(!outside.contains("\"secret\""));
    }
}
