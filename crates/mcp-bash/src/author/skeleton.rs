//! `mcp-bash init` and `new`: the skeleton of a project.

use std::fs;
use std::path::{Path, PathBuf};

use linkspan_scripts::author::draft::{Draft, create_folders};
use linkspan_scripts::author::names;
use serde_json::json;

use super::AuthorError;
use super::drafts::{self, HELLO, SERVER_README, TOOL_META};
use crate::server::title_case;

/// Patterns for `.gitignore`, in groups with a headline.
const IGNORED: [(&str, &[&str]); 3] = [
    ("# What mcp-bash has found", &[".registry/"]),
    ("# Logs", &["*.log"]),
    ("# Of the desktop", &[".DS_Store", "Thumbs.db"]),
];

/// What happened to a file of the skeleton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It was written.
    Made,
    /// It existed and is unchanged.
    Kept,
}

/// Creates the folder of a new server in `here`, with a README; returns its path.
pub fn create_server(here: &Path, name: &str) -> Result<PathBuf, AuthorError> {
    names::check(name)?;
    let root = here.join(name);
    drafts::not_there(&root)?;
    let readme = SERVER_README.replace("@TITLE@", &names::title(name));
    drafts::write(&root, &[Draft::text("README.md", readme)])?;
    Ok(root)
}

/// Writes the missing files of a project; `hello` adds a first tool. `tell` is called for each file.
pub fn write_skeleton(
    root: &Path,
    name: &str,
    hello: bool,
    tell: &dyn Fn(Step, &Path),
) -> Result<(), AuthorError> {
    let about = json!({
        "name": name,
        "title": title_case(name),
        "version": "0.1.0",
        "description": "Say here what the server is for",
    });
    let about = serde_json::to_string_pretty(&about).unwrap_or_default() + "\n";
    let meta = "server.d/server.meta.json";
    unless_there(root, meta, &[Draft::text(meta, about)], tell)?;
    let tools = root.join("tools");
    create_folders(&tools).map_err(|e| AuthorError::write(&tools, e))?;
    ignore(root, tell)?;
    if hello {
        let files = [
            drafts::program("tools/hello/tool.sh", HELLO, "hello"),
            drafts::text("tools/hello/tool.meta.json", TOOL_META, "hello"),
        ];
        unless_there(root, "tools/hello", &files, tell)?;
    }
    Ok(())
}

fn unless_there(
    root: &Path,
    what: &str,
    files: &[Draft],
    tell: &dyn Fn(Step, &Path),
) -> Result<(), AuthorError> {
    let path = root.join(what);
    if path.symlink_metadata().is_ok() {
        tell(Step::Kept, &path);
    } else {
        drafts::write(root, files)?;
        tell(Step::Made, &path);
    }
    Ok(())
}

/// Adds the missing patterns to `.gitignore`.
fn ignore(root: &Path, tell: &dyn Fn(Step, &Path)) -> Result<(), AuthorError> {
    let path = root.join(".gitignore");
    let before = fs::read_to_string(&path).unwrap_or_default();
    let after = with_ignored(&before);
    if after == before {
        tell(Step::Kept, &path);
    } else {
        fs::write(&path, after).map_err(|e| AuthorError::write(&path, e))?;
        tell(Step::Made, &path);
    }
    Ok(())
}

fn with_ignored(before: &str) -> String {
    let mut text = before.to_owned();
    for (headline, patterns) in IGNORED {
        let missing = patterns
            .iter()
            .filter(|pattern| !before.contains(**pattern));
        let missing: Vec<&str> = missing.copied().collect();
        if missing.is_empty() {
            continue;
        }
        if !text.is_empty() {
            let blank = if text.ends_with('\n') { "\n" } else { "\n\n" };
            text.push_str(blank);
        }
        text.push_str(&format!("{headline}\n{}\n", missing.join("\n")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_gitignore_patterns_are_added_once() {
        let all = with_ignored("");
        assert_eq!(with_ignored(&all), all);
        let some = with_ignored("# mine\nnode_modules/\n.registry/");
        assert_eq!(some.matches(".registry/").count(), 1);
        assert!(some.starts_with("# mine\nnode_modules/\n.registry/\n\n"));
        for pattern in ["*.log", ".DS_Store", "Thumbs.db"] {
            assert_eq!(some.lines().filter(|line| *line == pattern).count(), 1);
        }
    }
}
