//! Arguments in their short form.
//!
//! ```yaml
//! arguments:
//!   path: string
//!   depth: { type: integer, minimum: 1, description: "How deep", required: true }
//! ```

use linkspan_schema::nearest;
use serde_json::{Map, Value, json};

use super::node::{Data, Node};

const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// An error with its line.
pub(super) struct Wrong {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) hint: Option<String>,
}

/// The JSON Schema for the short form of a tool's arguments.
pub(super) fn schema(node: &Node) -> Result<Value, Wrong> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, line, argument) in named(node)? {
        let (schema, needed) = property(argument, &name)?;
        if needed {
            required.push(Value::String(name.clone()));
        }
        if properties.insert(name.clone(), schema).is_some() {
            let text = format!("the argument `{name}` is defined twice");
            return Err(wrong(line, text));
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = Value::Array(required);
    }
    Ok(schema)
}

/// Arguments by name, from a map or a list.
pub(super) fn named(node: &Node) -> Result<Vec<(String, usize, &Node)>, Wrong> {
    match &node.data {
        Data::Map(members) => {
            let members = members.iter();
            Ok(members
                .map(|m| (m.name.clone(), m.line, &m.value))
                .collect())
        }
        Data::List(items) => {
            let name = |item: &Node| item.member("name").and_then(Node::text).map(str::to_owned);
            let named = items.iter().map(|item| match name(item) {
                Some(name) if !name.is_empty() => Ok((name, item.line, item)),
                _ => Err(Wrong {
                    line: item.line,
                    text: "an argument needs a `name`".to_owned(),
                    hint: item.text().map(|name| format!("write `- name: {name}`")),
                }),
            });
            named.collect()
        }
        _ => Ok(Vec::new()),
    }
}

/// One property, and whether it is required.
fn property(node: &Node, name: &str) -> Result<(Value, bool), Wrong> {
    let members = match &node.data {
        Data::Null => return Ok((json!({"type": "string"}), false)),
        Data::Text(kind) => {
            check_type(node, kind, name)?;
            return Ok((json!({"type": kind}), false));
        }
        Data::Map(members) => members,
        _ => {
            let text = format!(
                "the argument `{name}` must be a type or a map, not {}",
                node.kind()
            );
            return Err(wrong(node.line, text));
        }
    };
    let mut schema = Map::new();
    let mut needed = false;
    for member in members {
        match member.name.as_str() {
            "name" => {}
            // As a list it is a keyword of an object schema.
            "required" if member.value.list().is_none() => match member.value.flag() {
                Some(flag) => needed = flag,
                None => {
                    let text = format!("`required` of the argument `{name}` must be true or false");
                    return Err(wrong(member.line, text));
                }
            },
            "type" => {
                if let Some(kind) = member.value.text() {
                    check_type(&member.value, kind, name)?;
                }
                schema.insert("type".to_owned(), member.value.to_value());
            }
            other => {
                schema.insert(other.to_owned(), member.value.to_value());
            }
        }
    }
    let typed = ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"];
    if !typed.iter().any(|name| schema.contains_key(*name)) {
        schema.insert("type".to_owned(), json!("string"));
    }
    Ok((Value::Object(schema), needed))
}

fn check_type(node: &Node, kind: &str, name: &str) -> Result<(), Wrong> {
    if TYPES.contains(&kind) {
        return Ok(());
    }
    let near = match kind {
        "int" => Some("integer"),
        "bool" => Some("boolean"),
        "str" | "text" => Some("string"),
        "float" | "double" => Some("number"),
        "list" => Some("array"),
        "map" | "dict" => Some("object"),
        _ => nearest(kind, TYPES),
    };
    Err(Wrong {
        line: node.line,
        text: format!("the argument `{name}` has the unknown type {kind:?}"),
        hint: Some(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known: {}", TYPES.join(", ")),
        }),
    })
}

fn wrong(line: usize, text: String) -> Wrong {
    Wrong {
        line,
        text,
        hint: None,
    }
}
