//! The identity of a project: name, version, title and instructions.

use serde_json::{Map, Value, json};

use super::places::Places;
use super::vars::Vars;
use super::{icons, meta, trust};
use linkspan_scripts::folder::{Problem, ServerInfo, Severity};

/// Reads `server.d/server.meta.json`, with defaults for missing members.
pub fn read(
    places: &Places,
    vars: &Vars,
    problems: &mut Vec<Problem>,
) -> (ServerInfo, Map<String, Value>) {
    let file = places.server.join("server.meta.json");
    let said = match file.is_file().then(|| meta::read(&file, places)) {
        None => Map::new(),
        Some(Ok(said)) => {
            icons::check(&said, &file, places, problems);
            said
        }
        Some(Err(mut problem)) => {
            // Invalid metadata falls back to defaults, so it is only a warning; an untrusted file, whose
            // problem has a hint, stays an error.
            if problem.hint.is_none() {
                problem.severity = Severity::Warning;
            }
            problems.push(*problem);
            Map::new()
        }
    };
    let folder = places
        .root
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let name = meta::text(&said, "name").or(vars.get("MCPBASH_SERVER_NAME"));
    let name = name.unwrap_or(&folder).to_owned();
    let mut shown = Map::new();
    let title = meta::text(&said, "title").map_or_else(|| title_case(&name), str::to_owned);
    let version = meta::text(&said, "version").map_or_else(|| version(places), str::to_owned);
    shown.insert("name".to_owned(), json!(name));
    shown.insert("version".to_owned(), json!(version));
    shown.insert("title".to_owned(), json!(title));
    for field in ["description", "websiteUrl"] {
        if let Some(text) = meta::text(&said, field) {
            shown.insert(field.to_owned(), json!(text));
        }
    }
    if let Some(icons) = icons::embed(said.get("icons"), &places.server, places) {
        shown.insert("icons".to_owned(), icons);
    }
    let file = places.server.join("server.instructions.md");
    problems.extend(trust::refusal(&file, places));
    let instructions = meta::whole(&file, places);
    let info = ServerInfo {
        shown: Value::Object(shown),
        instructions: instructions
            .map(|text| text.trim_end().to_owned())
            .filter(|text| !text.trim().is_empty()),
        metadata: Value::Object(said.clone()),
    };
    (info, said)
}

/// The project's version: from `VERSION`, from `package.json`, or 0.0.0.
fn version(places: &Places) -> String {
    let own = meta::whole(&places.root.join("VERSION"), places);
    let own = own.map(|text| text.split_whitespace().collect::<String>());
    let package = || {
        let package = meta::read(&places.root.join("package.json"), places).ok()?;
        meta::text(&package, "version").map(str::to_owned)
    };
    own.filter(|v| !v.is_empty())
        .or_else(package)
        .unwrap_or_else(|| "0.0.0".to_owned())
}

/// `my-server` becomes `My Server`, as mcp-bash shows a server without a title.
pub(crate) fn title_case(name: &str) -> String {
    let words = name.split(['-', '_', ' ']).filter(|word| !word.is_empty());
    let words = words.map(|word| {
        let mut chars = word.chars();
        let first = chars.next().map(|c| c.to_uppercase().to_string());
        first.unwrap_or_default() + chars.as_str()
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn without_metadata_name_and_version_have_defaults() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().join("my-fine_server");
        fs::create_dir_all(root.join("server.d")).unwrap();
        let places = Places::of(&root, &Vars::default());
        let read = |vars: &Vars| super::read(&places, vars, &mut Vec::new()).0;
        let info = read(&Vars::default());
        let all = json!({"name": "my-fine_server", "version": "0.0.0", "title": "My Fine Server"});
        assert_eq!(info.shown, all);
        assert_eq!(info.instructions, None);
        fs::write(root.join("package.json"), r#"{"version":"2.1.0"}"#).unwrap();
        assert_eq!(read(&Vars::default()).shown["version"], "2.1.0");
        fs::write(root.join("VERSION"), "3.0.0\n").unwrap();
        assert_eq!(read(&Vars::default()).shown["version"], "3.0.0");
        let meta = r#"{"name":"n","title":"T","version":"9","description":"d","websiteUrl":"u"}"#;
        fs::write(root.join("server.d/server.meta.json"), meta).unwrap();
        fs::write(root.join("server.d/server.instructions.md"), "Be kind.\n").unwrap();
        let info = read(&Vars::default());
        assert_eq!(info.shown["name"], "n");
        assert_eq!(info.shown["websiteUrl"], "u");
        assert_eq!(info.instructions.as_deref(), Some("Be kind."));
    }
}
