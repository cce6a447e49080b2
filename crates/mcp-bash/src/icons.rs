//! Embeds icon files in lists as data URIs, because clients cannot read the server's files.

use std::fs;
use std::path::Path;

use data_encoding::BASE64;
use serde_json::{Map, Value};

use super::places::Places;
use super::{meta, trust};
use linkspan_scripts::folder::{Problem, Severity};

/// Size limit of an icon.
const LARGEST: u64 = 1 << 20;

/// Why an icon is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wrong {
    /// `icons` is not an array.
    NotAnArray,
    /// The icon is not an object with a `src`.
    NoSrc,
    /// The data: URI is not an image.
    NotAnImage(String),
    /// The file extension is not that of an image.
    Ending(String),
    /// The file cannot be read.
    NotThere(String),
    /// Other users can write the file; why the file is not trusted.
    Untrusted(String, String),
    /// The file is too large.
    TooLarge(String),
}

impl Wrong {
    fn text(&self) -> String {
        match self {
            Self::NotAnArray => "icons must be an array".to_owned(),
            Self::NoSrc => "an icon must be an object with a text `src`".to_owned(),
            Self::NotAnImage(src) => format!("the icon {src} is not an image"),
            Self::Ending(src) => {
                format!("the icon {src} is not a svg, png, jpg, gif, webp or ico file")
            }
            Self::NotThere(src) => format!("the icon {src} cannot be read"),
            Self::Untrusted(src, why) => format!("the icon {src} {why}"),
            Self::TooLarge(src) => format!("the icon {src} has more than {LARGEST} bytes"),
        }
    }
}

/// The icons of an entry whose metadata is in `folder`, without those that clients could not show.
pub fn embed(icons: Option<&Value>, folder: &Path, places: &Places) -> Option<Value> {
    let icons = icons?.as_array()?.iter();
    let icons = icons.filter_map(|icon| shown(icon, folder, places).ok());
    let icons: Vec<Value> = icons.collect();
    (!icons.is_empty()).then_some(Value::Array(icons))
}

/// Reports problems of the icons in a metadata file.
pub(super) fn check(
    said: &Map<String, Value>,
    file: &Path,
    places: &Places,
    problems: &mut Vec<Problem>,
) {
    let folder = file.parent().unwrap_or(file);
    for wrong in wrong(meta::some(said, "icons"), folder, places) {
        let path = places.relative(file);
        problems.push(meta::problem(path, Severity::Warning, wrong.text()));
    }
}

fn wrong(icons: Option<&Value>, folder: &Path, places: &Places) -> Vec<Wrong> {
    match icons {
        None => Vec::new(),
        Some(Value::Array(icons)) => {
            let icons = icons.iter();
            let wrong = icons.filter_map(|icon| shown(icon, folder, places).err());
            wrong.collect()
        }
        Some(_) => vec![Wrong::NotAnArray],
    }
}

/// An icon as clients see it.
fn shown(icon: &Value, folder: &Path, places: &Places) -> Result<Value, Wrong> {
    let src = icon.get("src").and_then(Value::as_str);
    let src = src.filter(|src| !src.is_empty()).ok_or(Wrong::NoSrc)?;
    if src.starts_with("https://") || src.starts_with("http://") || src.starts_with("data:image/") {
        return Ok(icon.clone());
    }
    if src.starts_with("data:") {
        let start = src.split([',', ';']).next().unwrap_or_default();
        return Err(Wrong::NotAnImage(start.to_owned()));
    }
    let path = folder.join(src.strip_prefix("file://").unwrap_or(src));
    let kind = kind(&path).ok_or_else(|| Wrong::Ending(src.to_owned()))?;
    let about = path
        .metadata()
        .map_err(|_| Wrong::NotThere(src.to_owned()))?;
    if about.len() > LARGEST {
        return Err(Wrong::TooLarge(src.to_owned()));
    }
    if let Some(problem) = trust::refusal(&path, places) {
        return Err(Wrong::Untrusted(src.to_owned(), problem.text));
    }
    let bytes = fs::read(&path).map_err(|_| Wrong::NotThere(src.to_owned()))?;
    let mut icon = icon.clone();
    let said = icon.get("mimeType").and_then(Value::as_str);
    let kind = said
        .filter(|said| said.starts_with("image/"))
        .unwrap_or(kind);
    let kind = kind.to_owned();
    icon["src"] = Value::String(format!("data:{kind};base64,{}", BASE64.encode(&bytes)));
    icon["mimeType"] = Value::String(kind);
    Ok(icon)
}

fn kind(path: &Path) -> Option<&'static str> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match ending.as_str() {
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::project;
    use super::super::vars::Vars;
    use super::*;
    use serde_json::json;

    #[test]
    fn an_icon_file_is_embedded_and_a_url_is_kept() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("a.svg"), "<svg/>").unwrap();
        fs::write(root.path().join("secret.txt"), "x").unwrap();
        let icons = json!([
            {"src": "./a.svg", "sizes": ["any"]},
            {"src": "a.svg", "mimeType": "text/html"},
            {"src": "https://example.com/a.png"},
            {"src": "data:image/png;base64,AA=="},
            {"src": "data:text/html,<script>"},
            {"src": "javascript:alert(1)"},
            {"src": "secret.txt"},
            {"src": "gone.png"},
            {"nothing": true},
        ]);
        let places = Places::of(root.path(), &Vars::default());
        let embedded = embed(Some(&icons), root.path(), &places).unwrap();
        let svg = "data:image/svg+xml;base64,PHN2Zy8+";
        assert_eq!(
            embedded,
            json!([
                {"src": svg, "sizes": ["any"], "mimeType": "image/svg+xml"},
                {"src": svg, "mimeType": "image/svg+xml"},
                {"src": "https://example.com/a.png"},
                {"src": "data:image/png;base64,AA=="},
            ])
        );
        assert_eq!(embed(Some(&json!("x")), root.path(), &places), None);
        assert_eq!(embed(None, root.path(), &places), None);
    }

    #[test]
    fn problems_of_icons_are_reported() {
        let (_root, project) = project(&[
            ("tools/t/tool.sh", "#!/bin/sh\n"),
            (
                "tools/t/tool.meta.json",
                r#"{"name":"t","icons":[{"src":"gone.png"},{"src":"tool.sh"},{}]}"#,
            ),
            ("server.d/server.meta.json", r#"{"name":"s","icons":{}}"#),
            ("prompts/p.txt", ""),
            ("prompts/p.meta.json", r#"{"icons":[{"src":"p.svg"}]}"#),
            ("resources/r.txt", ""),
            ("resources/r.meta.json", r#"{"icons":[{"src":"r.svg"}]}"#),
            (
                "resources/t.meta.json",
                r#"{"name":"t","uriTemplate":"x://{y}","icons":[{"src":"t.svg"},{"src":"i.svg"}]}"#,
            ),
            ("resources/i.svg", "<svg/>"),
        ]);
        let icons = project.templates[0]["icons"].as_array().unwrap();
        assert_eq!(icons.len(), 1);
        assert!(icons[0]["src"].as_str().unwrap().starts_with("data:image/"));
        let found: Vec<_> = project
            .problems
            .iter()
            .map(|p| format!("{}: {}", p.path.display(), p.text))
            .collect();
        assert_eq!(
            found,
            [
                "prompts/p.meta.json: the icon p.svg cannot be read",
                "resources/r.meta.json: the icon r.svg cannot be read",
                "resources/t.meta.json: the icon t.svg cannot be read",
                "server.d/server.meta.json: icons must be an array",
                "tools/t/tool.meta.json: the icon gone.png cannot be read",
                "tools/t/tool.meta.json: the icon tool.sh is not a svg, png, jpg, gif, webp or ico file",
                "tools/t/tool.meta.json: an icon must be an object with a text `src`",
            ]
        );
    }
}
