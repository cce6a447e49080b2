//! The packages that are compiled into the program, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A package by other authors.
pub struct Package {
    name: String,
    version: String,
    pub license: String,
    pub authors: String,
    pub repository: String,
    pub folder: PathBuf,
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// The packages that `linkspan` depends on when it runs, in the order of their names.
pub fn packages(metadata: &Value) -> Result<Vec<Package>, String> {
    let by_id = |list: &Value| -> BTreeMap<String, Value> {
        let items = list.as_array().into_iter().flatten();
        items
            .filter_map(|item| Some((item["id"].as_str()?.to_owned(), item.clone())))
            .collect()
    };
    let packages = by_id(&metadata["packages"]);
    let nodes = by_id(&metadata["resolve"]["nodes"]);
    let root = packages
        .iter()
        .find(|(_, package)| package["name"] == "linkspan");
    let (root, _) = root.ok_or("cargo's metadata has no package `linkspan`")?;
    let mut needed = BTreeSet::new();
    let mut open = vec![root.clone()];
    while let Some(id) = open.pop() {
        if packages.get(&id).is_none_or(is_macro) || !needed.insert(id.clone()) {
            continue;
        }
        let edges = nodes.get(&id).and_then(|node| node["deps"].as_array());
        for edge in edges.into_iter().flatten().filter(|edge| is_normal(edge)) {
            open.extend(edge["pkg"].as_str().map(str::to_owned));
        }
    }
    let mut found: Vec<Package> = needed
        .iter()
        .filter_map(|id| packages.get(id))
        // Ours have no source.
        .filter(|package| package["source"].is_string())
        .map(package)
        .collect();
    found.sort_by_key(ToString::to_string);
    Ok(found)
}

/// A macro runs in the compiler; neither it nor what it depends on is part of the program.
fn is_macro(package: &Value) -> bool {
    let mut targets = package["targets"].as_array().into_iter().flatten();
    targets.any(|target| target["kind"][0] == "proc-macro")
}

/// Neither of tests nor of a build script.
fn is_normal(edge: &Value) -> bool {
    let mut kinds = edge["dep_kinds"].as_array().into_iter().flatten();
    kinds.any(|kind| kind["kind"].is_null())
}

fn package(package: &Value) -> Package {
    let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
    let authors = package["authors"].as_array().into_iter().flatten();
    let authors: Vec<&str> = authors.filter_map(Value::as_str).collect();
    let license = match text("license") {
        license if license.is_empty() => "see its text".to_owned(),
        license => license,
    };
    Package {
        name: text("name"),
        version: text("version"),
        license,
        authors: authors.join(", "),
        repository: text("repository"),
        folder: Path::new(&text("manifest_path"))
            .parent()
            .map(Path::to_owned)
            .unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_compiled_into_the_program_is_found_through_our_crates() {
        let package = |name: &str, source: Option<&str>, kind: &str| {
            json!({ "id": name, "name": name, "version": "1.0.0", "source": source,
                    "targets": [{ "kind": [kind] }], "manifest_path": format!("/{name}/Cargo.toml") })
        };
        let edge =
            |to: &str, kind: Option<&str>| json!({ "pkg": to, "dep_kinds": [{ "kind": kind }] });
        let of = Some("registry");
        let metadata = json!({
            "packages": [
                package("linkspan", None, "bin"), package("ours", None, "lib"), package("used", of, "lib"),
                package("derive", of, "proc-macro"), package("syn", of, "lib"),
                package("tested", of, "lib"), package("cc", of, "lib"),
            ],
            "resolve": { "nodes": [
                { "id": "linkspan", "deps": [edge("ours", None), edge("tested", Some("dev"))] },
                { "id": "ours", "deps": [edge("used", None), edge("derive", None), edge("cc", Some("build"))] },
                { "id": "derive", "deps": [edge("syn", None)] },
            ] },
        });
        let names: Vec<String> = packages(&metadata)
            .unwrap()
            .iter()
            .map(Package::to_string)
            .collect();
        assert_eq!(names, ["used 1.0.0"]);
    }
}
