//! Arguments of a call against the tool's own schema, before anything is sent.
//!
//! Most servers ignore an argument that they do not know, so that a misspelt one has no effect and no
//! error. The schema tells which names there are.

use linkspan_scripts::folder::{Schema, names::nearest};
use serde_json::{Map, Value};

use crate::exit::Failure;
use crate::show::on_one_line;

/// How many names a message lists.
const MOST: usize = 30;

/// Refuses arguments that do not fit. `schema` is the tool's `inputSchema`, `arguments` a JSON object.
pub(crate) fn check(tool: &str, schema: &str, arguments: &str) -> Result<(), Failure> {
    let Ok(schema) = serde_json::from_str::<Value>(schema) else {
        return Ok(());
    };
    let Ok(Value::Object(arguments)) = serde_json::from_str::<Value>(arguments) else {
        return Ok(());
    };
    check_names(tool, &schema, &arguments)?;
    // A schema that is broken is the server's mistake, and it may take the call all the same.
    let wrong = match Schema::new(&schema) {
        Ok(schema) => schema.check(&Value::Object(arguments)),
        Err(_) => Vec::new(),
    };
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(refused(
            format!(
                "the arguments of `{}` do not fit: {}",
                on_one_line(tool),
                on_one_line(&wrong.join("; "))
            ),
            tool,
            &schema,
        )),
    }
}

/// Refuses an argument that the schema does not name.
pub(crate) fn check_names(
    tool: &str,
    schema: &Value,
    arguments: &Map<String, Value>,
) -> Result<(), Failure> {
    let Some((name, near)) = unknown(schema, arguments) else {
        return Ok(());
    };
    let shown = on_one_line(tool);
    let name = on_one_line(&name);
    let what = match near {
        Some(near) => format!(
            "`{shown}` has no argument `{name}`; did you mean `{}`?",
            on_one_line(&near)
        ),
        None => format!("`{shown}` has no argument `{name}`"),
    };
    Err(refused(what, tool, schema))
}

fn refused(what: String, tool: &str, schema: &Value) -> Failure {
    Failure::usage(what).hint(format!(
        "{}; --unchecked sends them as they are",
        takes(tool, schema)
    ))
}

/// The first argument that the schema does not name, and the name that may have been meant. Nothing if
/// the schema leaves the names open.
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
        // A schema without any names says nothing, unless it says that there are none.
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

/// What a tool takes, in a few words.
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
        .take(MOST)
        .map(|(name, property)| {
            let kind = property.get("type").and_then(Value::as_str);
            let needed = required.contains(&name.as_str()).then_some("required");
            let facts: Vec<&str> = kind.into_iter().chain(needed).collect();
            let name = on_one_line(name);
            match facts.is_empty() {
                true => name,
                false => format!("{name} ({})", on_one_line(&facts.join(", "))),
            }
        })
        .collect();
    if properties.is_some_and(|all| all.len() > MOST) {
        names.push("…".to_owned());
    }
    match names.is_empty() {
        true => format!("`{}` takes no arguments", on_one_line(tool)),
        false => format!("`{}` takes {}", on_one_line(tool), names.join(", ")),
    }
}

/// What to say if a tool that is not in the list failed: the nearest name, and all of them.
pub(crate) fn which_tools(name: &str, tools: &[String]) -> String {
    if tools.is_empty() {
        return "this server lists no tools".to_owned();
    }
    let all: Vec<String> = tools.iter().take(MOST).map(|t| on_one_line(t)).collect();
    let more = match tools.len().saturating_sub(MOST) {
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

/// What to say if a prompt failed: the nearest name if it is not in the list, or the argument that it does
/// not have. `prompts` are the items of the list, `given` is the JSON object of arguments.
pub(crate) fn which_prompt(name: &str, given: Option<&str>, prompts: &[String]) -> Option<String> {
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

    fn told(schema: &str, arguments: &str) -> String {
        check("greet", schema, arguments).unwrap_err().in_words()
    }

    #[test]
    fn a_misspelt_name_is_named_with_the_right_one() {
        assert_eq!(
            told(GREET, r#"{"nme":"x"}"#),
            "`greet` has no argument `nme`; did you mean `name`?; `greet` takes name (string, required), times (integer); --unchecked sends them as they are"
        );
        assert!(
            told(GREET, r#"{"name":"x","zzzzzz":1}"#)
                .starts_with("`greet` has no argument `zzzzzz`;")
        );
    }

    #[test]
    fn what_is_missing_or_of_the_wrong_type_is_named() {
        assert!(told(GREET, "{}").contains("name"), "{}", told(GREET, "{}"));
        assert!(told(GREET, r#"{"name":"x","times":"often"}"#).contains("/times"));
        assert!(told(GREET, r#"{"name":"x","times":0}"#).contains("minimum"));
        assert!(check("greet", GREET, r#"{"name":"x","times":2}"#).is_ok());
    }

    #[test]
    fn names_are_free_where_the_schema_leaves_them_open() {
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
            assert!(check("t", open, r#"{"x":1}"#).is_ok(), "{open}");
        }
    }

    #[test]
    fn a_tool_without_arguments_takes_none() {
        let closed = r#"{"type":"object","additionalProperties":false}"#;
        assert!(told(closed, r#"{"x":1}"#).contains("`greet` takes no arguments"));
    }

    #[test]
    fn a_misspelt_prompt_or_argument_of_one_is_recognised() {
        let prompts = [r#"{"name":"review","arguments":[{"name":"code"}]}"#.to_owned()];
        let told = |name, given| which_prompt(name, given, &prompts);
        assert_eq!(told("reviw", None).unwrap(), "did you mean `review`?");
        assert_eq!(
            told("review", Some(r#"{"cod":"x"}"#)).unwrap(),
            "`review` has no argument `cod`; did you mean `code`?"
        );
        assert_eq!(told("review", Some(r#"{"code":"x"}"#)), None);
        assert!(told("zzzzzz", None).unwrap().contains("linkspan prompts"));
    }

    #[test]
    fn a_tool_that_is_not_there_gets_the_list_and_the_nearest() {
        let tools = ["echo".to_owned(), "add".to_owned()];
        assert_eq!(
            which_tools("ehco", &tools),
            "did you mean `echo`? Its tools: echo, add"
        );
        assert_eq!(
            which_tools("nope", &tools),
            "`nope` is not in the server's list of tools: echo, add"
        );
        assert_eq!(which_tools("nope", &[]), "this server lists no tools");
    }
}
