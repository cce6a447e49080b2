//! Edits lists of tools for layers: adds their own tools and removes what the user does not want.

use std::collections::HashSet;

use linkspan_wire::{Json, JsonKind, Object, quote};

/// In front of the name of a layer's tool if the server has that name.
pub const PREFIX: &str = "linkspan_";

/// A tool of a layer.
#[derive(Debug, Clone, Copy)]
pub struct Local<'a> {
    /// Its name, unless the server has a tool with that name.
    pub name: &'a str,
    /// The tool as it is listed.
    pub json: Json<'a>,
}

/// The changes to a list of tools.
#[derive(Default)]
pub struct Edit<'a> {
    /// Tools to add at the end.
    pub local: &'a [Local<'a>],
    /// Whether to remove descriptions inside schemas.
    pub slim: bool,
    /// Whether a tool's results may lack `structuredContent`; then its `outputSchema`, which promises it, is removed.
    pub unpromised: Option<&'a dyn Fn(&str) -> bool>,
}

/// The names of the server's tools.
pub fn names(result: Json<'_>) -> HashSet<String> {
    let tools = result.get("tools").into_iter().flat_map(Json::elements);
    tools
        .filter_map(|tool| Some(tool.get("name")?.as_str()?.into_owned()))
        .collect()
}

/// The name of a tool of a layer, prefixed until it differs from the server's names.
pub fn name_beside(name: &str, taken: &HashSet<String>) -> String {
    let mut name = name.to_owned();
    while taken.contains(&name) {
        name.insert_str(0, PREFIX);
    }
    name
}

/// The edited result of `tools/list`; `None` if nothing changes.
pub fn edit(result: Json<'_>, taken: &HashSet<String>, edit: &Edit<'_>) -> Option<String> {
    let list = result.get("tools")?;
    let mut changed = !edit.local.is_empty();
    let mut tools: Vec<String> = Vec::new();
    for tool in list.elements() {
        let new = one(tool, edit);
        changed |= new.is_some();
        tools.push(new.unwrap_or_else(|| tool.text().to_owned()));
    }
    for local in edit.local {
        let name = quote(&name_beside(local.name, taken));
        tools.push(Object::of(Some(local.json)).with("name", &name).text());
    }
    if !changed {
        return None;
    }
    let tools = format!("[{}]", tools.join(","));
    Some(Object::of(Some(result)).with("tools", &tools).text())
}

fn one(tool: Json<'_>, edit: &Edit<'_>) -> Option<String> {
    let mut object = Object::of(Some(tool));
    let mut changed = false;
    if let (Some(unpromised), Some(name)) = (edit.unpromised, tool.get("name")?.as_str())
        && tool.get("outputSchema").is_some()
        && unpromised(&name)
    {
        object = object.without(&["outputSchema"]);
        changed = true;
    }
    if edit.slim {
        for key in ["inputSchema", "outputSchema"] {
            let Some(schema) = object.get(key) else {
                continue;
            };
            let mut slimmer = String::with_capacity(schema.text().len());
            slim(schema, &mut slimmer, 0);
            changed |= slimmer.len() < schema.text().len();
            object = object.with(key, &slimmer);
        }
    }
    changed.then(|| object.text())
}

/// Deeper than any schema written by hand; schemas below this depth are copied.
const DEEPEST: usize = 64;

/// Writes a schema without explanatory members. Types, names, choices and limits stay.
fn slim(schema: Json<'_>, out: &mut String, depth: usize) {
    if depth > DEEPEST {
        return out.push_str(schema.text());
    }
    match schema.kind() {
        JsonKind::Object => write_object(schema, out, |key, value, out| {
            match key {
                "description" | "title" | "$schema" | "$comment" | "examples" => return false,
                // The keys of these members are arbitrary names, not keywords.
                "properties" | "patternProperties" | "$defs" | "definitions"
                | "dependentSchemas" => write_object(value, out, |_, value, out| {
                    slim(value, out, depth + 2);
                    true
                }),
                "items"
                | "prefixItems"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "anyOf"
                | "oneOf"
                | "allOf"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames" => slim(value, out, depth + 1),
                _ => out.push_str(value.text()),
            }
            true
        }),
        JsonKind::Array => {
            out.push('[');
            for (i, element) in schema.elements().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                slim(element, out, depth + 1);
            }
            out.push(']');
        }
        _ => out.push_str(schema.text()),
    }
}

/// Writes an object, using `write` for each value; a member is removed if `write` returns false.
fn write_object(
    object: Json<'_>,
    out: &mut String,
    write: impl Fn(&str, Json<'_>, &mut String) -> bool,
) {
    if object.kind() != JsonKind::Object {
        return out.push_str(object.text());
    }
    out.push('{');
    let mut first = true;
    for (key, value) in object.members() {
        let start = out.len();
        out.push_str(if first { "" } else { "," });
        out.push_str(&quote(&key));
        out.push(':');
        if write(&key, value, out) {
            first = false
        } else {
            out.truncate(start)
        }
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json<'_> {
        Json::parse(text).unwrap()
    }

    const LIST: &str = r#"{"tools":[{"name":"a","inputSchema":{"type":"object","$schema":"x","properties":{"description":{"type":"string","description":"long"}}},"outputSchema":{"type":"object"}}],"nextCursor":"n"}"#;

    #[test]
    fn an_empty_edit_leaves_the_list_unchanged() {
        let result = json(LIST);
        assert_eq!(edit(result, &names(result), &Edit::default()), None);
    }

    #[test]
    fn descriptions_are_removed_and_names_stay() {
        let result = json(LIST);
        let wanted = Edit {
            slim: true,
            ..Edit::default()
        };
        let edited = edit(result, &names(result), &wanted).unwrap();
        assert!(
            edited.contains(r#"{"type":"object","properties":{"description":{"type":"string"}}}"#),
            "{edited}"
        );
        assert!(edited.ends_with(r#""nextCursor":"n"}"#));
    }

    #[test]
    fn an_output_schema_is_removed_if_results_may_lack_structured_content() {
        let result = json(LIST);
        let wanted = Edit {
            unpromised: Some(&|name| name == "a"),
            ..Edit::default()
        };
        let edited = edit(result, &names(result), &wanted).unwrap();
        assert!(!edited.contains("outputSchema"));
    }

    #[test]
    fn local_tools_come_last_with_unused_names() {
        let result = json(r#"{"tools":[{"name":"fetch"},{"name":"linkspan_fetch"}]}"#);
        let ours = [Local {
            name: "fetch",
            json: json(r#"{"name":"fetch","x":1}"#),
        }];
        let wanted = Edit {
            local: &ours,
            ..Edit::default()
        };
        assert_eq!(
            edit(result, &names(result), &wanted).unwrap(),
            r#"{"tools":[{"name":"fetch"},{"name":"linkspan_fetch"},{"name":"linkspan_linkspan_fetch","x":1}]}"#
        );
    }
}
