//! The prompts of a project: text files with `{{name}}` in them.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::places::Places;
use super::{icons, meta, trust};
use linkspan_scripts::folder::{Argument, Problem, Severity};

/// Finds the prompts.
pub fn scan(places: &Places, problems: &mut Vec<Problem>) -> Vec<Map<String, Value>> {
    let mut found: Vec<Map<String, Value>> = Vec::new();
    for file in meta::files(&places.prompts) {
        let Some(item) = prompt(&file, places, problems) else {
            continue;
        };
        if found.iter().any(|other| other["name"] == item["name"]) {
            let text = format!("another prompt is called {} too", item["name"]);
            problems.push(meta::problem(places.relative(&file), Severity::Error, text));
        } else {
            found.push(item);
        }
    }
    found.sort_by(|a, b| a["name"].as_str().cmp(&b["name"].as_str()));
    found
}

fn prompt(file: &Path, places: &Places, problems: &mut Vec<Problem>) -> Option<Map<String, Value>> {
    let name = file.file_name()?.to_str()?;
    if meta::is_beside(file) {
        return None;
    }
    let sidecar = meta::sidecar(file);
    // mcp-bash's own scaffold puts one beside every prompt.
    if sidecar.is_none() && name.starts_with("README") {
        return None;
    }
    if let Some(problem) = trust::refusal(file, places) {
        problems.push(problem);
        return None;
    }
    let read = |sidecar| meta::read(sidecar, places);
    let said = match sidecar.as_deref().map(read) {
        None => Map::new(),
        Some(Ok(said)) => {
            let sidecar = sidecar.as_deref().unwrap_or(file);
            icons::check(&said, sidecar, places, problems);
            said
        }
        Some(Err(problem)) => {
            problems.push(*problem);
            return None;
        }
    };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let below = file.strip_prefix(&places.prompts).ok()?;
    let below = below.to_string_lossy();
    Some(item(&said, stem, &below, file.parent()?, places))
}

/// The registry item of a prompt.
pub fn item(
    said: &Map<String, Value>,
    name: &str,
    path: &str,
    folder: &Path,
    places: &Places,
) -> Map<String, Value> {
    let mut item = meta::described(said, name);
    item.insert("path".to_owned(), json!(path));
    let arguments = meta::some(said, "arguments").cloned();
    let arguments = arguments.unwrap_or_else(|| json!({"type": "object", "properties": {}}));
    item.insert("arguments".to_owned(), arguments);
    item.insert(
        "role".to_owned(),
        json!(meta::text(said, "role").unwrap_or("user")),
    );
    if let Some(icons) = icons::embed(said.get("icons"), folder, places) {
        item.insert("icons".to_owned(), icons);
    }
    for field in ["metadata", "_meta"] {
        if let Some(value) = meta::some(said, field) {
            item.insert(field.to_owned(), value.clone());
        }
    }
    item
}

/// A prompt as clients see it.
pub fn shown(item: &Map<String, Value>) -> Value {
    let mut shown = Map::new();
    for field in ["name", "title", "description"] {
        if let Some(value) = item.get(field) {
            shown.insert(field.to_owned(), value.clone());
        }
    }
    shown.insert(
        "arguments".to_owned(),
        Value::Array(listed(item.get("arguments"))),
    );
    for field in ["icons", "_meta"] {
        if let Some(value) = item.get(field) {
            shown.insert(field.to_owned(), value.clone());
        }
    }
    Value::Object(shown)
}

/// The arguments in the specification's form; authors write a schema.
fn listed(said: Option<&Value>) -> Vec<Value> {
    match said {
        Some(Value::Array(list)) => list.clone(),
        Some(Value::Object(schema)) => {
            let required = schema.get("required").and_then(Value::as_array);
            let properties = schema.get("properties").and_then(Value::as_object);
            let properties = properties.into_iter().flatten();
            properties
                .map(|(name, about)| {
                    let description = about.get("description").and_then(Value::as_str);
                    let required = required.is_some_and(|r| r.iter().any(|n| n == name));
                    json!({
                        "name": name,
                        "description": description.unwrap_or(""),
                        "required": required,
                    })
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The arguments for the catalogue. All are optional for clients: without a value the placeholder stays in the
/// text, as in mcp-bash.
pub fn arguments(item: &Map<String, Value>) -> Vec<Argument> {
    let names = listed(item.get("arguments"));
    let names = names.iter().filter_map(|a| a.get("name")?.as_str());
    names
        .map(|name| Argument {
            name: name.to_owned(),
            required: false,
            default: None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::vars::Vars;
    use super::*;
    use std::fs;

    #[test]
    fn a_schema_becomes_a_list_of_arguments() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("prompts/hello");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("hello.txt"), "Hi {{name}}").unwrap();
        fs::write(folder.join("README.md"), "about").unwrap();
        let meta = r#"{"name":"hello","description":"d","arguments":{"type":"object",
            "properties":{"name":{"type":"string","description":"who"},"x":{}},"required":["name"]}}"#;
        fs::write(folder.join("hello.meta.json"), meta).unwrap();
        let places = Places::of(root.path(), &Vars::default());
        let found = scan(&places, &mut Vec::new());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0]["path"], "hello/hello.txt");
        assert_eq!(
            shown(&found[0]),
            json!({"name": "hello", "description": "d", "arguments": [
                {"name": "name", "description": "who", "required": true},
                {"name": "x", "description": "", "required": false},
            ]})
        );
        assert_eq!(arguments(&found[0]).len(), 2);
    }
}
