//! Checks the arguments of a call against the tool's schema before they are sent.
//!
//! Most servers ignore unknown arguments, so that a misspelt one has no effect and no error. The schema says
//! which names exist.

use linkspan_schema::{Schema, nearest};
use serde_json::{Map, Value};

use crate::error::on_one_line;

/// Names that a message lists.
const MAX_NAMES: usize = 30;

/// Why arguments do not fit the schema of their tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentsError {
    /// The schema does not have this name.
    #[error(
        "`{tool}` has no argument `{name}`{}",
        near.as_ref().map_or(String::new(), |near| format!("; did you mean `{near}`?"))
    )]
    Unknown {
        /// The tool.
        tool: String,
        /// The argument.
        name: String,
        /// A similar name in the schema.
        near: Option<String>,
        /// The arguments of the tool, as a sentence.
        takes: String,
    },
    /// The schema does not allow these values.
    #[error("the arguments of `{tool}` do not fit: {problems}")]
    Mismatch {
        /// The tool.
        tool: String,
        /// The problems.
        problems: String,
        /// The arguments of the tool, as a sentence.
        takes: String,
    },
}

impl ArgumentsError {
    /// The arguments of the tool, as a sentence.
    pub fn takes(&self) -> &str {
        let (Self::Unknown { takes, .. } | Self::Mismatch { takes, .. }) = self;
        takes
    }

    /// What the user can do about it.
    pub fn hint(&self) -> String {
        format!("{}; --unchecked sends them as they are", self.takes())
    }
}

/// Refuses names that the schema does not have; `arguments` are a JSON object.
pub fn check_names(tool: &str, schema: &Value, arguments: &str) -> Result<(), ArgumentsError> {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(arguments)) => check_argument_names(tool, schema, &arguments),
        _ => Ok(()),
    }
}

/// Refuses arguments that do not fit. `schema` is the tool's `inputSchema`, `arguments` a JSON object.
pub fn check_arguments(tool: &str, schema: &str, arguments: &str) -> Result<(), ArgumentsError> {
    let Ok(schema) = serde_json::from_str::<Value>(schema) else {
        return Ok(());
    };
    let Ok(Value::Object(arguments)) = serde_json::from_str::<Value>(arguments) else {
        return Ok(());
    };
    check_argument_names(tool, &schema, &arguments)?;
    // An invalid schema is the server's mistake; it may accept the call.
    let problems = match Schema::new(&schema) {
        Ok(schema) => schema.check(&Value::Object(arguments)),
        Err(_) => Vec::new(),
    };
    if problems.is_empty() {
        return Ok(());
    }
    Err(ArgumentsError::Mismatch {
        tool: on_one_line(tool),
        problems: on_one_line(&problems.join("; ")),
        takes: takes(tool, &schema),
    })
}

/// Refuses an argument that the schema does not name.
pub fn check_argument_names(
    tool: &str,
    schema: &Value,
    arguments: &Map<String, Value>,
) -> Result<(), ArgumentsError> {
    let Some((name, near)) = unknown(schema, arguments) else {
        return Ok(());
    };
    Err(ArgumentsError::Unknown {
        tool: on_one_line(tool),
        name: on_one_line(&name),
        near: near.as_deref().map(on_one_line),
        takes: takes(tool, schema),
    })
}

/// The first argument that the schema does not name, and a similar name; `None` if the schema allows any
/// name.
fn unknown(schema: &Value, arguments: &Map<String, Value>) -> Option<(String, Option<String>)> {
    let open = match schema.get("additionalProperties") {
        Some(Value::Bool(open)) => *open,
        Some(_) => true,
        None => false,
    };
    let elsewhere = [
        "patternProperties",
        "unevaluatedProperties",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
        "$ref",
        "$dynamicRef",
        "dependentSchemas",
    ];
    if open || elsewhere.iter().any(|key| schema.get(key).is_some()) {
        return None;
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let properties = match properties {
        // A schema without names allows any name, unless it is closed.
        Some(properties) if !properties.is_empty() || closed => properties,
        None if closed => &Map::new(),
        _ => return None,
    };
    let name = arguments
        .keys()
        .find(|name| !properties.contains_key(*name))?;
    let free = properties
        .keys()
        .filter(|known| !arguments.contains_key(*known));
    let near = nearest(name, free.map(String::as_str)).map(str::to_owned);
    Some((name.clone(), near))
}

/// The arguments of a tool, as a sentence.
fn takes(tool: &str, schema: &Value) -> String {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut names: Vec<String> = properties
        .into_iter()
        .flatten()
        .take(MAX_NAMES)
        .map(|(name, property)| {
            let kind = property.get("type").and_then(Value::as_str);
            let needed = required.contains(&name.as_str()).then_some("required");
            let facts: Vec<&str> = kind.into_iter().chain(needed).collect();
            let name = on_one_line(name);
            if facts.is_empty() {
                name
            } else {
                format!("{name} ({})", on_one_line(&facts.join(", ")))
            }
        })
        .collect();
    if properties.is_some_and(|all| all.len() > MAX_NAMES) {
        names.push("…".to_owned());
    }
    if names.is_empty() {
        format!("`{}` takes no arguments", on_one_line(tool))
    } else {
        format!("`{}` takes {}", on_one_line(tool), names.join(", "))
    }
}

/// A hint for a failed call of a tool that is not in the list: the nearest name, and all names.
pub fn tool_hint(name: &str, tools: &[String]) -> String {
    if tools.is_empty() {
        return "this server lists no tools".to_owned();
    }
    let all: Vec<String> = tools
        .iter()
        .take(MAX_NAMES)
        .map(|t| on_one_line(t))
        .collect();
    let more = match tools.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more (linkspan tools lists them)"),
    };
    let all = format!("{}{more}", all.join(", "));
    match nearest(name, tools.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{}`? Its tools: {all}", on_one_line(near)),
        None => format!(
            "`{}` is not in the server's list of tools: {all}",
            on_one_line(name)
        ),
    }
}

/// A hint for a failed prompt: the nearest name if the prompt is not listed, or the argument that it does not
/// have. `prompts` are the items of the list, `given` is the JSON object of arguments.
pub fn prompt_hint(name: &str, given: Option<&str>, prompts: &[String]) -> Option<String> {
    let prompts: Vec<Value> = prompts
        .iter()
        .filter_map(|prompt| serde_json::from_str(prompt).ok())
        .collect();
    let name_of = |value: &Value| Some(value.get("name")?.as_str()?.to_owned());
    let Some(prompt) = prompts.iter().find(|p| name_of(p).as_deref() == Some(name)) else {
        let names: Vec<String> = prompts.iter().filter_map(name_of).collect();
        let near = nearest(name, names.iter().map(String::as_str));
        return Some(match near {
            Some(near) => format!("did you mean `{}`?", on_one_line(near)),
            None => "linkspan prompts TARGET lists the prompts".to_owned(),
        });
    };
    let given: Map<String, Value> = serde_json::from_str(given?).ok()?;
    let arguments = prompt.get("arguments").and_then(Value::as_array);
    let known: Vec<String> = arguments
        .into_iter()
        .flatten()
        .filter_map(name_of)
        .collect();
    let wrong = given.keys().find(|name| !known.contains(name))?;
    let free = known.iter().filter(|name| !given.contains_key(*name));
    let (name, shown) = (on_one_line(name), on_one_line(wrong));
    Some(match nearest(wrong, free.map(String::as_str)) {
        Some(near) => format!(
            "`{name}` has no argument `{shown}`; did you mean `{}`?",
            on_one_line(near)
        ),
        None => format!("`{name}` has no argument `{shown}`"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GREET: &str = r#"{"type":"object","properties":{"name":{"type":"string"},"times":{"type":"integer","minimum":1}},"required":["name"]}"#;

    fn error(schema: &str, arguments: &str) -> String {
        let error = check_arguments("greet", schema, arguments).unwrap_err();
        format!("{error}; {}", error.takes())
    }

    #[test]
    fn the_nearest_name_is_suggested_for_a_misspelt_one() {
        assert_eq!(
            error(GREET, r#"{"nme":"x"}"#),
            "`greet` has no argument `nme`; did you mean `name`?; `greet` takes name (string, required), times (integer)"
        );
        assert!(
            error(GREET, r#"{"name":"x","zzzzzz":1}"#)
                .starts_with("`greet` has no argument `zzzzzz`;")
        );
    }

    #[test]
    fn missing_and_wrong_values_are_named() {
        assert!(
            error(GREET, "{}").contains("name"),
            "{}",
            error(GREET, "{}")
        );
        assert!(error(GREET, r#"{"name":"x","times":"often"}"#).contains("/times"));
        assert!(error(GREET, r#"{"name":"x","times":0}"#).contains("minimum"));
        assert!(check_arguments("greet", GREET, r#"{"name":"x","times":2}"#).is_ok());
    }

    #[test]
    fn any_name_is_accepted_if_the_schema_is_open() {
        for open in [
            r#"{"type":"object"}"#,
            r#"{"type":"object","properties":{}}"#,
            r#"{"properties":{"a":{}},"additionalProperties":true}"#,
            r#"{"properties":{"a":{}},"additionalProperties":{"type":"number"}}"#,
            r#"{"properties":{"a":{}},"patternProperties":{"^x":{}}}"#,
            r#"{"properties":{"a":{}},"allOf":[{"properties":{"x":{}}}]}"#,
            "true",
            "no schema",
            r#"{"type":17}"#,
        ] {
            assert!(check_arguments("t", open, r#"{"x":1}"#).is_ok(), "{open}");
        }
    }

    #[test]
    fn a_tool_without_arguments_takes_none() {
        let closed = r#"{"type":"object","additionalProperties":false}"#;
        assert!(error(closed, r#"{"x":1}"#).contains("`greet` takes no arguments"));
    }

    #[test]
    fn a_misspelt_prompt_or_argument_of_one_is_recognised() {
        let prompts = [r#"{"name":"review","arguments":[{"name":"code"}]}"#.to_owned()];
        let hint = |name, given| prompt_hint(name, given, &prompts);
        assert_eq!(hint("reviw", None).unwrap(), "did you mean `review`?");
        assert_eq!(
            hint("review", Some(r#"{"cod":"x"}"#)).unwrap(),
            "`review` has no argument `cod`; did you mean `code`?"
        );
        assert_eq!(hint("review", Some(r#"{"code":"x"}"#)), None);
        assert!(hint("zzzzzz", None).unwrap().contains("linkspan prompts"));
    }

    #[test]
    fn an_unlisted_tool_gets_the_list_and_the_nearest_name() {
        let tools = ["echo".to_owned(), "add".to_owned()];
        assert_eq!(
            tool_hint("ehco", &tools),
            "did you mean `echo`? Its tools: echo, add"
        );
        assert_eq!(
            tool_hint("nope", &tools),
            "`nope` is not in the server's list of tools: echo, add"
        );
        assert_eq!(tool_hint("nope", &[]), "this server lists no tools");
    }
}
