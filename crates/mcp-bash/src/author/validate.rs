//! `mcp-bash validate`: problems in mcp-bash's JSON.

use std::path::Path;

use linkspan_scripts::folder::{Catalogue, Problem, Severity};
use serde_json::{Value, json};

use super::lint;

/// Adds what [`lint::look`] finds, and sorts the problems.
pub fn add_lint(root: &Path, catalogue: Option<&Catalogue>, problems: &mut Vec<Problem>) {
    let server = defaults(catalogue)["name"].take();
    problems.extend(lint::look(root, server.as_str().unwrap_or_default()));
    problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
}

/// Name, title and version of the server.
pub fn defaults(catalogue: Option<&Catalogue>) -> Value {
    let shown = catalogue.map(|all| &all.server.shown);
    let part = |name: &str| shown.map_or(Value::Null, |shown| shown[name].clone());
    json!({ "name": part("name"), "title": part("title"), "version": part("version") })
}

/// A problem as an entry of `messages`.
pub fn message(problem: &Problem) -> Value {
    let level = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let section = problem.path.components().next();
    let section = section.map(|part| part.as_os_str().to_string_lossy().into_owned());
    let known = ["tools", "prompts", "resources"];
    let section = section.filter(|section| known.contains(&section.as_str()));
    json!({
        "level": level,
        "section": section.unwrap_or_else(|| "server".to_owned()),
        "message": format!("{} - {}", problem.path.to_string_lossy(), problem.text),
    })
}
