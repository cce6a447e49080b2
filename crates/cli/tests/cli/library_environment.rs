//! Only `cli` reads the environment of the process: libraries get what they need as values.

use std::fs;
use std::path::{Path, PathBuf};

/// Functions of `std::env` that read the process. The others (`split_paths`, `consts`) compute values.
const READERS: [&str; 8] = [
    "args",
    "args_os",
    "current_dir",
    "current_exe",
    "temp_dir",
    "var",
    "var_os",
    "vars_os",
];

/// Files that still read it, and why.
const ALLOWED: [&str; 3] = [
    // Proxies of the HTTP client.
    "ports/src/http/dial.rs",
    "ports/src/fetch.rs",
    // The mark that a process inherits from the linkspan that started it.
    "spawn/src/descendants.rs",
];

/// Modules that are compiled for tests only.
const TEST_MODULES: [&str; 3] = ["tests", "testing", "scratch"];

#[test]
fn libraries_do_not_read_the_environment() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for file in sources(&crates) {
        let text = fs::read_to_string(&file).expect("a source file");
        // Unit tests stand at the end of a file.
        let production = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let name = file.strip_prefix(&crates).expect("below").to_owned();
        let name = name.to_str().expect("UTF-8").to_owned();
        if reads(production) && !ALLOWED.contains(&name.as_str()) {
            found.push(name);
        }
    }
    assert!(
        found.is_empty(),
        "these read the environment; pass values from cli instead: {found:?}"
    );
}

#[test]
fn a_read_of_the_environment_is_recognised() {
    assert!(reads("let path = std::env::var_os(\"PATH\");"));
    assert!(reads("std::env::vars_os().collect()"));
    assert!(reads("names.iter().filter_map(env::var_os);"));
    assert!(!reads("std::env::split_paths(&path)"));
    assert!(!reads("std::env::consts::OS"));
    assert!(!reads("env::variable(x)"));
}

fn reads(text: &str) -> bool {
    let calls = text.split("env::").skip(1);
    calls.into_iter().any(|call| {
        let end = call.find(|c: char| c != '_' && !c.is_alphanumeric());
        let name = &call[..end.unwrap_or(call.len())];
        READERS.contains(&name) || name == "vars"
    })
}

/// The source files of all library crates, without files of tests.
fn sources(crates: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = entries(crates)
        .into_iter()
        .filter(|path| !["cli", "testkit"].iter().any(|name| path.ends_with(name)))
        .map(|path| path.join("src"))
        .collect();
    assert!(folders.len() > 10, "{folders:?}");
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            if name.ends_with("_tests") || TEST_MODULES.contains(&&*name) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
