//! `.registry/`: the cache files of mcp-bash. Written only by `registry refresh`.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

use super::manual::Kind;
use super::meta;
use super::places::Places;
use super::project::{Item, Project};

const FILES: [(Kind, &str); 4] = [
    (Kind::Tools, "tools.json"),
    (Kind::Resources, "resources.json"),
    (Kind::Templates, "resource-templates.json"),
    (Kind::Prompts, "prompts.json"),
];

/// The entries of a registry file, if it exists in our format.
pub(super) fn kept(places: &Places, file: &str) -> Option<Vec<Item>> {
    let kept = meta::read(&places.registry.join(file), places).ok()?;
    if kept.get("format_version").and_then(Value::as_u64) != Some(1) {
        return None;
    }
    let items = kept.get("items")?.as_array()?;
    Some(
        items
            .iter()
            .filter_map(|item| item.as_object().cloned())
            .collect(),
    )
}

/// Entries as text.
pub(super) fn text(items: &[Item]) -> String {
    let items = items.iter().cloned().map(Value::Object).collect();
    Value::Array(items).to_string()
}

/// `registry refresh`: writes the files. Returns the text to print and the exit code.
pub fn refresh(project: &Project) -> io::Result<(String, i32)> {
    fs::create_dir_all(&project.places.registry)?;
    let mut failed = false;
    for (kind, file) in FILES {
        if project.faults.get(kind).is_none() {
            let whole = envelope(items(project, kind)).to_string();
            let path = project.places.registry.join(file);
            let half = path.with_extension("half");
            fs::write(&half, whole)?;
            fs::rename(half, path)?;
        }
    }
    let part = |kind: Kind, failed: &mut bool| {
        let wrong = project.faults.get(kind).is_some();
        *failed |= wrong;
        let (status, error) = if wrong {
            ("failed", json!("refresh failed"))
        } else {
            ("ok", Value::Null)
        };
        json!({"status": status, "count": items(project, kind).len(), "error": error})
    };
    let printed = json!({
        "tools": part(Kind::Tools, &mut failed),
        "resources": part(Kind::Resources, &mut failed),
        "prompts": part(Kind::Prompts, &mut failed),
        "notificationsSent": false,
        "mode": "full",
    });
    Ok((format!("{printed:#}"), i32::from(failed)))
}

/// `registry status`: a summary of the files.
pub fn status(places: &Places) -> String {
    let part = |file: &str| {
        let path = places.registry.join(file);
        let kept = meta::read(&path, places).unwrap_or_default();
        json!({
            "status": if path.is_file() { "present" } else { "missing" },
            "path": path,
            "count": kept.get("total").and_then(Value::as_u64).unwrap_or(0),
            "hash": meta::text(&kept, "hash").unwrap_or_default(),
            "mtime": modified(&path),
        })
    };
    let all = json!({
        "projectRoot": places.root,
        "jsonTool": "jq",
        "tools": part("tools.json"),
        "resources": part("resources.json"),
        "prompts": part("prompts.json"),
    });
    format!("{all:#}")
}

fn items(project: &Project, kind: Kind) -> &[Item] {
    match kind {
        Kind::Tools => &project.tools,
        Kind::Resources => &project.resources,
        Kind::Templates => &project.templates,
        Kind::Prompts => &project.prompts,
        Kind::Completions => &project.completions,
    }
}

fn envelope(items: &[Item]) -> Value {
    let values: Vec<Value> = items.iter().cloned().map(Value::Object).collect();
    json!({
        "format_version": 1,
        "version": 1,
        "generatedAt": format!("{:.0}", jiff::Timestamp::now()),
        "hash": super::cursor::hash(&values.iter().map(Value::to_string).collect::<Vec<_>>()),
        "total": values.len(),
        "items": values,
    })
}

fn modified(path: &Path) -> i64 {
    use crate::os::MetadataExt;
    path.metadata().map_or(0, |meta| meta.mtime())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{project, project_with};
    use super::*;

    const TOOL: (&str, &str) = ("tools/x/tool.sh", "#!/bin/sh\n");

    #[test]
    fn a_written_registry_can_be_read() {
        let (_root, project) = project(&[TOOL]);
        let (printed, code) = refresh(&project).unwrap();
        assert_eq!(code, 0);
        let printed: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(
            printed["tools"],
            json!({"status": "ok", "count": 1, "error": null})
        );
        assert_eq!(kept(&project.places, "tools.json").unwrap(), project.tools);
        let status: Value = serde_json::from_str(&status(&project.places)).unwrap();
        assert_eq!(status["tools"]["status"], "present");
        assert_eq!(status["tools"]["count"], 1);
    }

    #[test]
    fn unreadable_kinds_fail_the_refresh() {
        let (_root, project) = project_with(&[TOOL], &[("MCPBASH_REGISTRY_MAX_BYTES", "20")]);
        let (printed, code) = refresh(&project).unwrap();
        assert_eq!(code, 1);
        let printed: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(printed["tools"]["status"], "failed");
        assert_eq!(printed["prompts"]["status"], "ok");
    }
}
