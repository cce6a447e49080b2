//! The tools of a project: `tools/x/tool.sh` and their metadata.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::places::Places;
use super::{icons, meta, trust, ui};
use linkspan_scripts::folder::{Problem, Severity};

/// Finds the tools, as registry items; `path` is relative to the folder of tools.
pub fn scan(places: &Places, server: &str, problems: &mut Vec<Problem>) -> Vec<Map<String, Value>> {
    let mut tools: Vec<_> = meta::files(&places.tools)
        .iter()
        .filter_map(|file| tool(file, places, server, problems))
        .collect();
    tell_apart(&mut tools);
    tools.sort_by(|a, b| key(a).cmp(&key(b)));
    tools.dedup_by(|later, first| {
        let same = later["name"] == first["name"];
        if same {
            let path = places
                .tools
                .join(later["path"].as_str().unwrap_or_default());
            let text = format!(
                "another tool is called {} too: {}",
                first["name"].as_str().unwrap_or_default(),
                first["path"].as_str().unwrap_or_default()
            );
            problems.push(meta::problem(places.relative(&path), Severity::Error, text));
        }
        same
    });
    tools
}

/// Tools without metadata are all called `tool`. A single one keeps that name; several get the names of their
/// folders, because otherwise only the first could be called.
fn tell_apart(tools: &mut [Map<String, Value>]) {
    let nameless = |tool: &Map<String, Value>| {
        let path = Path::new(tool["path"].as_str().unwrap_or_default());
        tool["name"] == "tool" && path.file_stem().is_some_and(|stem| stem == "tool")
    };
    if tools.iter().filter(|tool| nameless(tool)).count() < 2 {
        return;
    }
    for tool in tools.iter_mut().filter(|tool| nameless(tool)) {
        let path = Path::new(tool["path"].as_str().unwrap_or_default());
        if let Some(folder) = path.parent().and_then(Path::file_name) {
            let folder = folder.to_string_lossy().into_owned();
            tool.insert("name".to_owned(), json!(folder));
        }
    }
}

fn key(tool: &Map<String, Value>) -> (Option<&str>, Option<&str>) {
    (tool["name"].as_str(), tool["path"].as_str())
}

fn tool(
    file: &Path,
    places: &Places,
    server: &str,
    problems: &mut Vec<Problem>,
) -> Option<Map<String, Value>> {
    let below = file.strip_prefix(&places.tools).ok()?;
    let name = file.file_name()?.to_str()?;
    // A script right in `tools/` is not a tool, and `smoke.sh` tests one.
    if below.components().count() < 2 || name == "smoke.sh" || meta::is_beside(file) {
        return None;
    }
    if !meta::is_program(file) {
        return None;
    }
    if let Some(problem) = trust::refusal(file, places) {
        problems.push(problem);
        return None;
    }
    let folder = file.parent()?;
    let mut said = Map::new();
    if let Some(sidecar) = meta::sidecar(file) {
        match meta::read(&sidecar, places) {
            Ok(read) => {
                icons::check(&read, &sidecar, places, problems);
                said = read;
            }
            Err(problem) => {
                problems.push(*problem);
                return None;
            }
        }
    }
    if meta::some(&said, "inputSchema")
        .or(meta::some(&said, "arguments"))
        .is_none()
        && let Some(inline) = meta::inline(file)
    {
        for (name, value) in inline {
            said.entry(name).or_insert(value);
        }
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let below = below.to_string_lossy();
    Some(item(&said, stem, &below, (folder, places), server))
}

/// The registry item of a tool.
pub fn item(
    said: &Map<String, Value>,
    name: &str,
    path: &str,
    (folder, places): (&Path, &Places),
    server: &str,
) -> Map<String, Value> {
    let mut item = meta::described(said, name);
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            item.insert(name.to_owned(), value);
        }
    };
    let own = |name| meta::some(said, name).cloned();
    put("path", Some(json!(path)));
    let input = meta::some(said, "inputSchema").or(meta::some(said, "arguments"));
    put("inputSchema", Some(meta::schema(input)));
    put(
        "timeoutSecs",
        Some(json!(meta::seconds(said, "timeoutSecs"))),
    );
    put(
        "timeoutHint",
        meta::text(said, "timeoutHint").map(|t| json!(t)),
    );
    let extends = said.get("progressExtendsTimeout").and_then(Value::as_bool);
    put(
        "progressExtendsTimeout",
        extends.filter(|on| *on).map(|on| json!(on)),
    );
    put(
        "maxTimeoutSecs",
        meta::seconds(said, "maxTimeoutSecs").map(|n| json!(n)),
    );
    put("outputSchema", own("outputSchema"));
    put("icons", icons::embed(said.get("icons"), folder, places));
    put("annotations", own("annotations"));
    put("_meta", ui::linked(own("_meta"), folder, server, places));
    item
}

/// A tool as clients see it.
pub fn shown(item: &Map<String, Value>) -> Value {
    const FIELDS: [&str; 8] = [
        "name",
        "title",
        "description",
        "inputSchema",
        "outputSchema",
        "annotations",
        "icons",
        "_meta",
    ];
    let fields = FIELDS
        .iter()
        .filter_map(|name| Some((name.to_string(), item.get(*name)?.clone())));
    Value::Object(fields.collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::super::vars::Vars;
    use super::*;

    #[test]
    fn only_scripts_in_folders_are_tools_and_only_json_describes_them() {
        let (_root, places) = places(&[
            ("tools/a/tool.sh", "#!/bin/sh\n"),
            (
                "tools/a/tool.meta.json",
                r#"{"name":"a","arguments":{"properties":{"x":{}}},"timeoutSecs":5}"#,
            ),
            ("tools/a/smoke.sh", "#!/bin/sh\n"),
            ("tools/a/README.md", "hello"),
            ("tools/a/.hidden.sh", "#!/bin/sh\n"),
            ("tools/b/tool.sh", "#!/bin/sh\n"),
            ("tools/b/tool.meta.yaml", "name: never"),
            (
                "tools/c/tool.py",
                "#!/usr/bin/env python3\n# mcp: {\"name\":\"c\",\"description\":\"inline\"}\n",
            ),
            ("tools/d/tool.sh", "#!/bin/sh\n"),
            ("tools/d/tool.meta.json", "{ broken"),
            ("tools/root.sh", "#!/bin/sh\n"),
        ]);
        let mut problems = Vec::new();
        let tools = scan(&places, "s", &mut problems);
        let names: Vec<_> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["a", "c", "tool"]);
        assert_eq!(tools[0]["path"], "a/tool.sh");
        assert_eq!(tools[0]["timeoutSecs"], 5);
        assert_eq!(tools[0]["inputSchema"]["type"], "object");
        assert_eq!(tools[1]["description"], "inline");
        assert_eq!(problems.len(), 1);
        assert!(problems[0].text.contains("invalid JSON"));
    }

    #[test]
    fn what_clients_see_has_no_fields_of_mcp_bash() {
        let said = json!({"name": "x", "timeoutSecs": 1, "annotations": {"readOnlyHint": true}});
        let nowhere = Path::new("/nowhere");
        let places = Places::of(nowhere, &Vars::default());
        let said = said.as_object().unwrap();
        let item = item(said, "x", "x/tool.sh", (nowhere, &places), "s");
        let shown = shown(&item);
        let names: Vec<_> = shown.as_object().unwrap().keys().collect();
        assert_eq!(names, ["name", "description", "inputSchema", "annotations"]);
    }

    #[test]
    fn of_two_tools_with_a_name_the_first_path_wins() {
        let same = r#"{"name":"same"}"#;
        let (_root, places) = places(&[
            ("tools/b/tool.sh", ""),
            ("tools/b/tool.meta.json", same),
            ("tools/a/tool.sh", ""),
            ("tools/a/tool.meta.json", same),
        ]);
        let mut problems = Vec::new();
        let tools = scan(&places, "s", &mut problems);
        assert_eq!(tools.len(), 1);
        assert_eq!(tools[0]["path"], "a/tool.sh");
        assert_eq!(problems[0].path, Path::new("tools/b/tool.sh"));
    }
}
