//! Interfaces of tools: `tools/x/ui/` and `ui/x/`, read as `ui://server/x`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::places::Places;
use super::{meta, trust};
use linkspan_scripts::folder::Problem;

/// The media type of a UI page.
pub const MIME: &str = "text/html;profile=mcp-app";
/// The capability of clients that can show pages.
pub const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// Size limit of a page.
const LARGEST: u64 = 1 << 20;

/// The `_meta` of a tool, with a link to its page if it has one and no link of its own.
pub fn linked(own: Option<Value>, tool: &Path, server: &str, places: &Places) -> Option<Value> {
    let folder = tool.join("ui");
    if !is_page(&folder, places) {
        return own;
    }
    let mut meta = match own {
        Some(Value::Object(meta)) => meta,
        Some(_) | None => Map::new(),
    };
    let ui = meta.entry("ui").or_insert_with(|| json!({}));
    if ui
        .get("resourceUri")
        .and_then(Value::as_str)
        .is_none_or(str::is_empty)
        && let Some(ui) = ui.as_object_mut()
    {
        let name = tool.file_name().unwrap_or_default().to_string_lossy();
        ui.insert(
            "resourceUri".to_owned(),
            json!(format!("ui://{server}/{name}")),
        );
        ui.entry("visibility")
            .or_insert_with(|| json!(["model", "app"]));
    }
    Some(Value::Object(meta))
}

/// The pages of a project as resources: those of tools, and standalone ones. Of two with the same name,
/// [`page`] reads the tool's.
pub fn listed(
    places: &Places,
    server: &str,
    problems: &mut Vec<Problem>,
) -> Vec<Map<String, Value>> {
    let mut found: Vec<Map<String, Value>> = Vec::new();
    let of_tools = folders_in(&places.tools).into_iter();
    let of_tools = of_tools.map(|(name, folder)| (name, folder.join("ui")));
    for (name, folder) in of_tools.chain(folders_in(&places.ui)) {
        let uri = format!("ui://{server}/{name}");
        problems.extend(files(&folder).filter_map(|file| trust::refusal(&file, places)));
        if !is_page(&folder, places) || found.iter().any(|other| other["uri"] == uri) {
            continue;
        }
        let said = meta::read(&folder.join("ui.meta.json"), places).unwrap_or_default();
        let mut item = Map::new();
        item.insert("name".to_owned(), json!(name));
        if let Some(title) = meta::text(&said, "title") {
            item.insert("title".to_owned(), json!(title));
        }
        let description = meta::text(&said, "description").unwrap_or("");
        item.insert("description".to_owned(), json!(description));
        item.insert("uri".to_owned(), json!(uri));
        item.insert("mimeType".to_owned(), json!(MIME));
        item.insert("mimeTypeDeclared".to_owned(), json!(true));
        item.insert("provider".to_owned(), json!("ui"));
        item.insert("_meta".to_owned(), json!({"ui": about(&said)}));
        found.push(item);
    }
    found
}

/// The folders in a folder, by name. Hidden folders, links and names unfit for URIs are left out.
fn folders_in(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let named = folders.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'~');
        let usable = !name.starts_with('.') && name.bytes().all(plain);
        usable.then(|| (name, entry.path()))
    });
    let mut named: Vec<_> = named.collect();
    named.sort();
    named
}

/// The part of a page's metadata that is for clients.
fn about(said: &Map<String, Value>) -> Value {
    let more = said.get("meta");
    let part = |name: &str, usual: Value| {
        let said = more.and_then(|m| m.get(name)).filter(|v| !v.is_null());
        said.cloned().unwrap_or(usual)
    };
    json!({
        "csp": part("csp", json!({})),
        "permissions": part("permissions", json!({})),
        "prefersBorder": part("prefersBorder", json!(true)),
    })
}

/// A page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Its text.
    pub html: String,
    /// The `_meta.ui` member of its contents.
    pub about: Value,
}

/// Finds the page of `ui://server/name` or `ui://name`; the server's name does not matter.
pub fn page(uri: &str, places: &Places) -> Option<Page> {
    let rest = uri.strip_prefix("ui://")?;
    let name = rest.split_once('/').map_or(rest, |(_, name)| name);
    if name.is_empty() || name.contains("..") || name.starts_with('/') {
        return None;
    }
    let folder = folders(name, places)
        .into_iter()
        .find(|folder| is_page(folder, places))?;
    let said = meta::read(&folder.join("ui.meta.json"), places).unwrap_or_default();
    let file = folder.join(meta::text(&said, "entrypoint").unwrap_or("index.html"));
    let html = match text(&file, &folder, places) {
        Some(html) => html,
        None => made(meta::text(&said, "template")?, said.get("config")),
    };
    let about = about(&said);
    Some(Page { html, about })
}

fn folders(name: &str, places: &Places) -> [PathBuf; 2] {
    [places.tools.join(name).join("ui"), places.ui.join(name)]
}

/// The existing files that make a folder a page.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let files = ["index.html", "ui.meta.json"].map(|file| folder.join(file));
    files.into_iter().filter(|file| file.is_file())
}

/// Whether a folder has a page that other users cannot write.
fn is_page(folder: &Path, places: &Places) -> bool {
    let mut files = files(folder).peekable();
    files.peek().is_some() && files.all(|file| trust::refusal(&file, places).is_none())
}

/// The text of a file that is inside its folder.
fn text(file: &Path, folder: &Path, places: &Places) -> Option<String> {
    let real = file.canonicalize().ok()?;
    let inside = real.starts_with(folder.canonicalize().ok()?);
    let small = real.metadata().ok()?.len() <= LARGEST;
    (inside && small).then(|| meta::whole(file, places))?
}

/// A generated page for a template of mcp-bash.
fn made(template: &str, config: Option<&Value>) -> String {
    let config = config.cloned().unwrap_or_default();
    let title = config
        .get("title")
        .and_then(Value::as_str)
        .unwrap_or(template);
    let fields = config.get("fields").and_then(Value::as_array);
    let fields: String = fields
        .into_iter()
        .flatten()
        .filter_map(|field| {
            let name = field.get("name")?.as_str()?;
            let label = field.get("label").and_then(Value::as_str).unwrap_or(name);
            let (name, label) = (escape(name), escape(label));
            Some(format!(
                "<p><label>{label} <input name=\"{name}\"></label></p>"
            ))
        })
        .collect();
    let title = escape(title);
    let config = escape(&config.to_string());
    format!(
        "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>{title}</title></head>\
         <body data-template=\"{}\" data-config=\"{config}\"><h1>{title}</h1><form>{fields}</form></body></html>",
        escape(template)
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::*;

    #[test]
    fn a_tool_with_a_page_links_to_it() {
        let (_root, places) = places(&[("tools/x/ui/index.html", "<b>x</b>")]);
        let tool = places.tools.join("x");
        let meta = linked(None, &tool, "s", &places).unwrap();
        assert_eq!(meta["ui"]["resourceUri"], "ui://s/x");
        let own = json!({"ui": {"resourceUri": "ui://a/b"}, "k": 1});
        assert_eq!(linked(Some(own.clone()), &tool, "s", &places), Some(own));
        assert_eq!(linked(None, &places.tools.join("y"), "s", &places), None);
    }

    #[test]
    fn pages_are_listed_and_every_one_can_be_read() {
        let (_root, places) = places(&[
            ("tools/x/ui/index.html", "X"),
            ("tools/y/tool.sh", ""),
            ("ui/x/index.html", "other"),
            (
                "ui/form/ui.meta.json",
                r#"{"description":"Asks","template":"form","meta":{"prefersBorder":false}}"#,
            ),
            ("ui/none/readme.txt", ""),
        ]);
        let found = listed(&places, "s", &mut Vec::new());
        let uris: Vec<_> = found.iter().map(|r| r["uri"].as_str().unwrap()).collect();
        assert_eq!(uris, ["ui://s/x", "ui://s/form"]);
        assert_eq!(found[1]["description"], "Asks");
        assert_eq!(found[1]["mimeType"], MIME);
        assert_eq!(found[1]["_meta"]["ui"]["prefersBorder"], false);
        for uri in uris {
            assert!(page(uri, &places).is_some(), "{uri}");
        }
        assert_eq!(page("ui://s/x", &places).unwrap().html, "X");
    }

    #[test]
    fn pages_are_found_by_name_whatever_the_server_is_called() {
        let (_root, places) = places(&[
            ("ui/form/index.html", "Form"),
            (
                "ui/form/ui.meta.json",
                r#"{"meta":{"prefersBorder":false,"csp":{"connectDomains":["a"]}}}"#,
            ),
            (
                "ui/made/ui.meta.json",
                r#"{"template":"form","config":{"title":"A <b>","fields":[{"name":"t","label":"Task"}]}}"#,
            ),
        ]);
        let page = page("ui://any/form", &places).unwrap();
        assert_eq!(page.html, "Form");
        assert_eq!(page.about["prefersBorder"], false);
        assert_eq!(page.about["csp"]["connectDomains"][0], "a");
        let made = super::page("ui://made", &places).unwrap().html;
        assert!(made.contains("A &lt;b&gt;") && made.contains("Task"));
        assert_eq!(super::page("ui://any/nothing", &places), None);
        assert_eq!(super::page("ui://any/../secret", &places), None);
    }
}
