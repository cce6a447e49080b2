//! The roots of a client, and the defaults without any.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::meta;
use super::places::Places;
use super::resources::file_uri;
use super::vars::Vars;
use linkspan_scripts::host::lexical;

/// A folder that tools may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Its address.
    pub uri: String,
    /// The client's name for it.
    pub name: String,
    /// Its path without symbolic links.
    pub path: PathBuf,
}

impl Root {
    /// A root for an existing folder.
    pub fn of(path: &Path, name: &str) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        Some(Self {
            uri: file_uri(&path),
            name: name.to_owned(),
            path,
        })
    }
}

/// The roots for a client without any: the operator's, those of `config/roots.json`, or the project.
pub fn fallback(places: &Places, vars: &Vars) -> Vec<Root> {
    let given = vars.get("MCPBASH_ROOTS").unwrap_or_default();
    let given = given.split(':').filter(|path| !path.is_empty());
    let given = unique(given.filter_map(|path| Root::of(&places.root.join(path), "")));
    if !given.is_empty() {
        return given;
    }
    let config = meta::read(&places.root.join("config/roots.json"), places).unwrap_or_default();
    let listed = config
        .get("roots")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let listed = unique(listed.filter_map(|root| {
        let path = root.get("path")?.as_str()?;
        let name = root.get("name").and_then(Value::as_str).unwrap_or_default();
        Root::of(&places.root.join(path), name)
    }));
    if !listed.is_empty() {
        return listed;
    }
    Root::of(&places.root, "").into_iter().collect()
}

/// The roots of a client, from URIs and names. Those that are no folder of this machine are left out; a path
/// that does not exist yet is used as it is.
pub fn of_client(named: impl IntoIterator<Item = (String, String)>) -> Vec<Root> {
    unique(named.into_iter().filter_map(|(uri, name)| {
        let path = linkspan_local::folder_of_uri(&uri)?;
        let path = path.canonicalize().unwrap_or_else(|_| lexical(&path));
        Some(Root { uri, name, path })
    }))
}

fn unique(roots: impl Iterator<Item = Root>) -> Vec<Root> {
    let mut all: Vec<Root> = Vec::new();
    for root in roots {
        if !all.iter().any(|other| other.path == root.path) {
            all.push(root);
        }
    }
    all
}

/// As `MCP_ROOTS_JSON`.
pub fn json(roots: &[Root]) -> String {
    let roots = roots
        .iter()
        .map(|root| json!({"uri": root.uri, "name": root.name, "path": root.path}));
    Value::Array(roots.collect()).to_string()
}

/// The value of `MCP_ROOTS_PATHS`: one path per line.
pub fn paths(roots: &[Root]) -> String {
    let paths: Vec<_> = roots
        .iter()
        .map(|root| root.path.to_string_lossy())
        .collect();
    paths.join("\n")
}

/// Whether an existing path is inside a root.
pub fn contain(roots: &[Root], path: &Path) -> bool {
    let real = path.canonicalize();
    real.is_ok_and(|path| roots.iter().any(|root| path.starts_with(&root.path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn operator_roots_override_project_roots() {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        for folder in ["a", "b", "config"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        let places = Places::of(&real, &Vars::default());
        let paths = |vars: &Vars| {
            let roots = fallback(&places, vars);
            roots.into_iter().map(|r| r.path).collect::<Vec<_>>()
        };
        assert_eq!(paths(&Vars::default()), std::slice::from_ref(&real));
        let config = r#"{"roots":[{"path":"a","name":"A"},{"path":"gone"}]}"#;
        fs::write(real.join("config/roots.json"), config).unwrap();
        assert_eq!(paths(&Vars::default()), [real.join("a")]);
        let given = format!("{0}/b:{0}/b:/nowhere", real.display());
        let vars: Vars = [("MCPBASH_ROOTS", given)].into_iter().collect();
        assert_eq!(paths(&vars), [real.join("b")]);
    }

    #[test]
    fn a_path_is_in_a_root_by_its_real_path() {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        fs::create_dir_all(real.join("in")).unwrap();
        fs::write(real.join("out.txt"), "").unwrap();
        fs::write(real.join("in/x.txt"), "").unwrap();
        std::os::unix::fs::symlink(real.join("out.txt"), real.join("in/link.txt")).unwrap();
        let roots = of_client([
            (file_uri(&real.join("in")), "n".to_owned()),
            ("file:///nowhere/../gone/./x".to_owned(), String::new()),
            ("https://elsewhere/x".to_owned(), String::new()),
        ]);
        assert_eq!(roots[1].path, Path::new("/gone/x"));
        assert_eq!(roots.len(), 2);
        assert!(contain(&roots, &real.join("in/x.txt")));
        assert!(!contain(&roots, &real.join("in/link.txt")));
        assert!(!contain(&roots, &real.join("out.txt")));
        assert!(json(&roots).contains(r#""name":"n""#));
    }
}
