//! Edits lists of tools for layers: adds their own tools and removes what the user does not want.

use std::collections::HashSet;

use linkspan_wire::{Json, Object, quote};

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
    changed.then(|| object.text())
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
