//! The resources and resource templates of a project.

use std::collections::HashSet;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::places::Places;
use super::{icons, meta, trust};
use linkspan_scripts::folder::{Problem, Severity};

/// Finds the resources: files under `resources/` and their metadata.
pub fn scan(places: &Places, problems: &mut Vec<Problem>) -> Vec<Map<String, Value>> {
    let mut names = HashSet::new();
    let mut found = Vec::new();
    for file in meta::files(&places.resources) {
        let Some(item) = resource(&file, places, problems) else {
            continue;
        };
        if names.insert(item["name"].clone()) {
            found.push(item);
        } else {
            let text = format!("another resource is called {} too", item["name"]);
            problems.push(meta::problem(places.relative(&file), Severity::Error, text));
        }
    }
    found.sort_by(|a, b| a["name"].as_str().cmp(&b["name"].as_str()));
    found
}

fn resource(
    file: &Path,
    places: &Places,
    problems: &mut Vec<Problem>,
) -> Option<Map<String, Value>> {
    if meta::is_beside(file) {
        return None;
    }
    if let Some(problem) = trust::refusal(file, places) {
        problems.push(problem);
        return None;
    }
    let name = file.file_name()?.to_str()?;
    let mut folder = file.parent()?.to_owned();
    let mut said = Map::new();
    if let Some(sidecar) = meta::sidecar(file) {
        match meta::read(&sidecar, places) {
            Ok(read) => said = read,
            Err(problem) => {
                problems.push(*problem);
                return None;
            }
        }
        if meta::text(&said, "uriTemplate").is_some() && meta::text(&said, "uri").is_none() {
            return None;
        }
        icons::check(&said, &sidecar, places, problems);
        folder = sidecar.parent()?.to_owned();
    }
    if meta::text(&said, "uri").is_none()
        && let Some(inline) = meta::inline(file)
    {
        for (name, value) in inline {
            said.entry(name).or_insert(value);
        }
    }
    if meta::text(&said, "uri").is_none() {
        said.insert("uri".to_owned(), json!(file_uri(file)));
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let below = file.strip_prefix(&places.resources).ok()?;
    item(&said, stem, &below.to_string_lossy(), &folder, places)
}

/// The registry item of a resource; `None` without a URI.
pub fn item(
    said: &Map<String, Value>,
    name: &str,
    path: &str,
    folder: &Path,
    places: &Places,
) -> Option<Map<String, Value>> {
    let uri = meta::text(said, "uri")?;
    let declared = meta::text(said, "mimeType");
    let mut item = meta::described(said, name);
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            item.insert(name.to_owned(), value);
        }
    };
    put("uri", Some(json!(uri)));
    put("mimeType", Some(json!(declared.unwrap_or("text/plain"))));
    put("mimeTypeDeclared", declared.map(|_| json!(true)));
    let provider = meta::text(said, "provider").map(str::to_owned);
    put(
        "provider",
        Some(json!(provider.unwrap_or_else(|| provider_of(uri, places)))),
    );
    put("path", Some(json!(path)));
    put(
        "size",
        meta::some(said, "size").filter(|s| s.is_u64()).cloned(),
    );
    put("annotations", meta::some(said, "annotations").cloned());
    put("icons", icons::embed(said.get("icons"), folder, places));
    put("_meta", meta::some(said, "_meta").cloned());
    Some(item)
}

/// The default provider of a URI.
fn provider_of(uri: &str, places: &Places) -> String {
    let scheme = uri.split_once("://").map_or("", |(scheme, _)| scheme);
    match scheme {
        "git+https" => "git",
        "https" | "ui" | "echo" => scheme,
        _ if super::provider::project_script(scheme, places).is_some() => scheme,
        _ => "file",
    }
    .to_owned()
}

/// A resource as clients see it. `provider` is not in the specification, but clients of mcp-bash read it.
pub fn shown(item: &Map<String, Value>) -> Value {
    const FIELDS: [&str; 10] = [
        "name",
        "title",
        "description",
        "uri",
        "mimeType",
        "provider",
        "size",
        "annotations",
        "icons",
        "_meta",
    ];
    pick(item, &FIELDS)
}

/// The names that templates must not use: those of resources, and those of metadata with a `uri`, which
/// declares a resource even without a file beside it.
pub fn taken(places: &Places, resources: &[Map<String, Value>]) -> HashSet<String> {
    // UI pages have the names of their folders, which templates may use too.
    let listed = resources.iter().filter(|r| r["provider"] != "ui");
    let listed = listed.filter_map(|r| meta::text(r, "name"));
    let mut taken: HashSet<String> = listed.map(str::to_owned).collect();
    for file in meta::files(&places.resources) {
        if file.to_string_lossy().ends_with(".meta.json")
            && let Ok(said) = meta::read(&file, places)
            && meta::text(&said, "uri").is_some()
            && meta::text(&said, "uriTemplate").is_none()
            && let Some(name) = meta::text(&said, "name")
        {
            taken.insert(name.to_owned());
        }
    }
    taken
}

/// Finds the templates: metadata files with a `uriTemplate`, which need no file beside them.
pub fn templates(
    places: &Places,
    taken: &HashSet<String>,
    problems: &mut Vec<Problem>,
) -> Vec<Map<String, Value>> {
    let mut found: Vec<Map<String, Value>> = Vec::new();
    let metas = meta::files(&places.resources).into_iter();
    for file in metas.filter(|file| file.to_string_lossy().ends_with(".meta.json")) {
        let Ok(said) = meta::read(&file, places) else {
            continue;
        };
        if meta::text(&said, "uriTemplate").is_none() {
            continue;
        }
        let folder = file.parent().unwrap_or(&file);
        let wrong = match template(&said, folder, places) {
            Err(why) => why.to_string(),
            Ok(item) => {
                let name = item["name"].as_str().unwrap_or_default();
                if taken.contains(name) {
                    format!("a resource is called {name} too")
                } else if found.iter().any(|other| other["name"] == item["name"]) {
                    format!("another template is called {name} too")
                } else {
                    icons::check(&said, &file, places, problems);
                    found.push(item);
                    continue;
                }
            }
        };
        problems.push(meta::problem(
            places.relative(&file),
            Severity::Error,
            wrong,
        ));
    }
    found.sort_by(|a, b| a["name"].as_str().cmp(&b["name"].as_str()));
    found
}

/// Why a template is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The template has no pattern.
    #[error("it has no uriTemplate")]
    NoTemplate,
    /// The template has no name.
    #[error("it has no name")]
    NoName,
    /// The template has both `uri` and `uriTemplate`.
    #[error("it has both a uri and a uriTemplate")]
    Both,
    /// The pattern has no variable.
    #[error("its uriTemplate has no {{variable}}")]
    NoVariable,
}

/// The registry item of a template; its files lie in `folder`.
pub fn template(
    said: &Map<String, Value>,
    folder: &Path,
    places: &Places,
) -> Result<Map<String, Value>, TemplateError> {
    let uri = meta::text(said, "uriTemplate").ok_or(TemplateError::NoTemplate)?;
    let name = meta::text(said, "name").ok_or(TemplateError::NoName)?;
    if meta::text(said, "uri").is_some() {
        return Err(TemplateError::Both);
    }
    let variable = uri.split('{').skip(1).any(|rest| {
        rest.split_once('}')
            .is_some_and(|(inside, _)| !inside.trim().is_empty())
    });
    if !variable {
        return Err(TemplateError::NoVariable);
    }
    let mut item = Map::new();
    item.insert("name".to_owned(), json!(name));
    item.insert("uriTemplate".to_owned(), json!(uri));
    for field in ["title", "description", "mimeType"] {
        if let Some(text) = meta::text(said, field) {
            item.insert(field.to_owned(), json!(text));
        }
    }
    for field in ["annotations", "_meta"] {
        if let Some(value) = meta::some(said, field) {
            item.insert(field.to_owned(), value.clone());
        }
    }
    if let Some(icons) = icons::embed(said.get("icons"), folder, places) {
        item.insert("icons".to_owned(), icons);
    }
    Ok(item)
}

/// The registered templates, and found ones with other names.
pub fn merged(
    registered: Vec<Map<String, Value>>,
    found: Vec<Map<String, Value>>,
    taken: &HashSet<String>,
) -> Vec<Map<String, Value>> {
    let named = |list: &[Map<String, Value>], item: &Map<String, Value>| {
        list.iter().any(|other| other["name"] == item["name"])
    };
    let mut all = registered;
    all.retain(|item| !meta::text(item, "name").is_some_and(|name| taken.contains(name)));
    for item in found {
        if !named(&all, &item) {
            all.push(item);
        }
    }
    all.sort_by(|a, b| a["name"].as_str().cmp(&b["name"].as_str()));
    all
}

fn pick(item: &Map<String, Value>, fields: &[&str]) -> Value {
    let fields = fields
        .iter()
        .filter_map(|name| Some((name.to_string(), item.get(*name)?.clone())));
    Value::Object(fields.collect())
}

/// The `file://` URI of a path.
pub fn file_uri(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'~' | b'_' | b'-' | b'/' | b':' => {
                uri.push(byte as char);
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::*;

    #[test]
    fn a_file_is_a_resource_described_by_its_metadata() {
        let (_root, places) = places(&[
            ("resources/plain file.txt", "x"),
            ("resources/a.txt", "x"),
            (
                "resources/a.meta.json",
                r#"{"name":"first","uri":"svc://a","mimeType":"text/csv"}"#,
            ),
            ("resources/a.completion.sh", ""),
            (
                "resources/h.sh",
                "# mcp:{\"name\":\"header\",\"uri\":\"custom://h\",\"annotations\":{\"priority\":0.5}}",
            ),
            (
                "resources/t.meta.json",
                r#"{"name":"t","uriTemplate":"svc://{id}"}"#,
            ),
            ("providers/svc.sh", ""),
        ]);
        let mut problems = Vec::new();
        let found = scan(&places, &mut problems);
        let names: Vec<_> = found.iter().map(|r| r["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["first", "header", "plain file"]);
        assert_eq!(found[0]["provider"], "svc");
        assert_eq!(found[1]["provider"], "file");
        assert_eq!(found[1]["annotations"]["priority"], 0.5);
        assert!(
            found[2]["uri"]
                .as_str()
                .unwrap()
                .ends_with("/resources/plain%20file.txt")
        );
        assert_eq!(found[2].get("mimeTypeDeclared"), None);
        assert_eq!(shown(&found[0]).get("path"), None);
        assert_eq!(shown(&found[0]).get("mimeTypeDeclared"), None);
        assert!(problems.is_empty());
    }

    #[test]
    fn templates_need_a_name_and_a_variable_and_no_resource_of_that_name() {
        let (_root, places) = places(&[
            (
                "resources/b.meta.json",
                r#"{"name":"b","uriTemplate":"file:///{b}"}"#,
            ),
            (
                "resources/a.meta.json",
                r#"{"name":"a","uriTemplate":"file:///{a}","mimeType":"text/plain"}"#,
            ),
            (
                "resources/none.meta.json",
                r#"{"name":"none","uriTemplate":"file:///x"}"#,
            ),
            (
                "resources/both.meta.json",
                r#"{"name":"both","uriTemplate":"x://{x}","uri":"x://y"}"#,
            ),
            ("resources/shared.txt", ""),
            (
                "resources/shared-t.meta.json",
                r#"{"name":"shared","uriTemplate":"x://{x}"}"#,
            ),
        ]);
        let mut problems = Vec::new();
        let resources = scan(&places, &mut problems);
        let found = templates(&places, &taken(&places, &resources), &mut problems);
        let names: Vec<_> = found.iter().map(|r| r["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(problems.len(), 3);
    }

    #[test]
    fn a_registered_template_overrides_a_found_one() {
        let object = |v: Value| v.as_object().unwrap().clone();
        let found = vec![object(json!({"name": "x", "uriTemplate": "found://{a}"}))];
        let registered = vec![
            object(json!({"name": "x", "uriTemplate": "registered://{a}"})),
            object(json!({"name": "taken", "uriTemplate": "r://{a}"})),
        ];
        let taken = HashSet::from(["taken".to_owned()]);
        let all = merged(registered, found, &taken);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0]["uriTemplate"], "registered://{a}");
    }
}
