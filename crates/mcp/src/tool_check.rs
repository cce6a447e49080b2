//! Tools that a modern client over HTTP must not get: their `x-mcp-header` annotations are invalid, so a call could not
//! carry the required headers.

use std::collections::HashSet;

use linkspan_wire::{Json, JsonKind, Message};

use crate::param_header::{ANNOTATION, is_token};
use linkspan_wire::Object;

/// Keywords whose values are data and not schemas.
const DATA: [&str; 4] = ["default", "examples", "enum", "const"];

/// A list of tools without the invalid ones; `None` if all are valid.
pub fn without_invalid_tools(answer: &Message) -> Option<Message> {
    let result = answer.body()?;
    // Almost no server has annotations, and a list can be long.
    if !result.text().contains(ANNOTATION) {
        return None;
    }
    let tools = result.get("tools")?;
    let is_valid = |tool: &Json<'_>| {
        let schema = tool.get("inputSchema");
        schema.is_none_or(|schema| walk(schema, Spot::Root, &mut HashSet::new()))
    };
    if tools.elements().all(|tool| is_valid(&tool)) {
        return None;
    }
    let kept: Vec<&str> = tools
        .elements()
        .filter(is_valid)
        .map(|tool| tool.text())
        .collect();
    let object = Object::of(Some(result)).with("tools", &format!("[{}]", kept.join(",")));
    Some(answer.with_value(result, &object.text()))
}

/// The position of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spot {
    Root,
    /// A property that every reader finds without evaluating anything.
    Property,
    Elsewhere,
}

/// Whether every annotation in a schema is valid.
fn walk(schema: Json<'_>, spot: Spot, seen: &mut HashSet<String>) -> bool {
    match schema.kind() {
        JsonKind::Array => schema.elements().all(|s| walk(s, Spot::Elsewhere, seen)),
        JsonKind::Object => schema.members().all(|(key, value)| match &*key {
            ANNOTATION => spot == Spot::Property && is_valid(schema, value, seen),
            "properties" if spot != Spot::Elsewhere => value
                .members()
                .all(|(_, property)| walk(property, Spot::Property, seen)),
            // A property may have the name of a keyword, so only the schemas inside are checked.
            "properties" | "patternProperties" | "$defs" | "definitions" => value
                .members()
                .all(|(_, inner)| walk(inner, Spot::Elsewhere, seen)),
            key if DATA.contains(&key) => true,
            _ => walk(value, Spot::Elsewhere, seen),
        }),
        _ => true,
    }
}

fn is_valid(property: Json<'_>, annotation: Json<'_>, seen: &mut HashSet<String>) -> bool {
    let kind = property.get("type").and_then(Json::as_str);
    let primitive = matches!(kind.as_deref(), Some("string" | "integer" | "boolean"));
    let name = annotation.as_str().unwrap_or_default();
    primitive && is_token(&name) && seen.insert(name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Id;

    fn kept(properties: &str) -> bool {
        let list = format!(
            r#"{{"tools":[{{"name":"fine"}},{{"name":"t","inputSchema":{{"type":"object","properties":{{{properties}}}}}}}],"x":1.0}}"#
        );
        match without_invalid_tools(&Message::result(&Id::number(1), &list)) {
            None => true,
            Some(answer) => {
                assert_eq!(
                    answer.body().unwrap().text(),
                    r#"{"tools":[{"name":"fine"}],"x":1.0}"#
                );
                false
            }
        }
    }

    #[test]
    fn valid_annotations_stay() {
        assert!(kept(
            r#""a":{"type":"string","x-mcp-header":"A"},"b":{"type":"integer","x-mcp-header":"B"}"#
        ));
        assert!(kept(
            r#""o":{"type":"object","properties":{"a":{"type":"boolean","x-mcp-header":"A"}}}"#
        ));
        assert!(
            kept(r#""x-mcp-header":{"type":"string"}"#),
            "a property of that name"
        );
        assert!(
            kept(r#""a":{"type":"object","default":{"x-mcp-header":1}}"#),
            "only data"
        );
    }

    #[test]
    fn a_tool_with_an_invalid_annotation_is_removed() {
        for bad in [
            r#""a":{"type":"string","x-mcp-header":""}"#,
            r#""a":{"type":"string","x-mcp-header":7}"#,
            r#""a":{"type":"string","x-mcp-header":"a b"}"#,
            r#""a":{"type":"string","x-mcp-header":"a:b"}"#,
            r#""a":{"type":"string","x-mcp-header":"ä"}"#,
            r#""a":{"type":"string","x-mcp-header":"a\u0001"}"#,
            r#""a":{"type":"number","x-mcp-header":"A"}"#,
            r#""a":{"type":"object","x-mcp-header":"A"}"#,
            r#""a":{"x-mcp-header":"A"}"#,
            r#""a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}"#,
            r#""a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}"#,
            r#""a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]}"#,
        ] {
            assert!(!kept(bad), "{bad}");
        }
    }
}
