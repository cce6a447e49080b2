//! What `mcp-bash validate` checks besides what keeps a project from being served.

use std::fs;
use std::path::{Path, PathBuf};

use linkspan_scripts::folder::{Fix, Problem, Severity};
use serde_json::Value;

/// Checks the files of a project; `server` is the server's name.
pub fn look(root: &Path, server: &str) -> Vec<Problem> {
    let mut found = Vec::new();
    for dir in folders(&root.join("tools")) {
        tool(root, &dir, server, &mut found);
    }
    for part in ["resources", "prompts"] {
        for dir in folders(&root.join(part)) {
            let scripts = entries(&dir).into_iter();
            for script in scripts.filter(|path| path.extension().is_some_and(|e| e == "sh")) {
                executable(root, &script, &mut found);
            }
        }
    }
    found
}

fn tool(root: &Path, dir: &Path, server: &str, found: &mut Vec<Problem>) {
    let script = dir.join("tool.sh");
    let meta = dir.join("tool.meta.json");
    match fs::read(&meta).map(|text| serde_json::from_slice::<Value>(&text)) {
        Ok(Ok(said)) => named(root, dir, &meta, &said, server, found),
        // Invalid JSON is reported when the project is read.
        Ok(Err(_)) => {}
        Err(_) if script.is_file() => {
            found.push(problem(root, &meta, Severity::Warning, "missing"));
        }
        Err(_) => {}
    }
    let Ok(text) = fs::read(&script) else {
        return;
    };
    executable(root, &script, found);
    if !text.starts_with(b"#!") {
        found.push(problem(root, &script, Severity::Warning, "missing shebang"));
    }
}

fn named(
    root: &Path,
    dir: &Path,
    meta: &Path,
    said: &Value,
    server: &str,
    found: &mut Vec<Problem>,
) {
    let Some(name) = said["name"].as_str().filter(|name| !name.is_empty()) else {
        let text = "missing required \"name\"";
        found.push(problem(root, meta, Severity::Error, text));
        return;
    };
    let folder = dir.file_name().unwrap_or_default().to_string_lossy();
    if !alike(name, &folder, server) {
        let text = format!("directory name does not match tool.meta.json name \"{name}\"");
        found.push(problem(root, dir, Severity::Warning, text));
    }
}

/// Whether a tool name fits its folder: `my-tool` may contain `my-tool`, `myTool`, `space.myTool` and
/// `<server>-myTool`.
fn alike(name: &str, folder: &str, server: &str) -> bool {
    let bare = |text: &str| {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        letters.collect::<String>().to_ascii_lowercase()
    };
    let last = name.rsplit('.').next().unwrap_or(name);
    let own = name.strip_prefix(server);
    let own = own.and_then(|rest| rest.strip_prefix(['-', '_', '.']));
    let names = [Some(name), Some(last), own];
    let folder = bare(folder);
    names.into_iter().flatten().any(|name| bare(name) == folder)
}

#[cfg(unix)]
fn executable(root: &Path, script: &Path, found: &mut Vec<Problem>) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(about) = fs::metadata(script) else {
        return;
    };
    if about.is_file() && about.permissions().mode() & 0o111 == 0 {
        found.push(Problem {
            fix: Some(Fix::MakeExecutable(script.to_owned())),
            ..problem(root, script, Severity::Error, "not executable")
        });
    }
}

#[cfg(not(unix))]
fn executable(_: &Path, _: &Path, _: &mut Vec<Problem>) {}

fn problem(root: &Path, path: &Path, severity: Severity, text: impl Into<String>) -> Problem {
    Problem {
        severity,
        path: path.strip_prefix(root).unwrap_or(path).to_owned(),
        line: None,
        text: text.into(),
        hint: None,
        fix: None,
    }
}

fn folders(dir: &Path) -> Vec<PathBuf> {
    let all = entries(dir).into_iter();
    all.filter(|path| path.is_dir()).collect()
}

/// The sorted entries of a folder without hidden ones.
fn entries(dir: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(dir).into_iter().flatten().flatten();
    let seen = all.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
    let mut paths: Vec<_> = seen.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
