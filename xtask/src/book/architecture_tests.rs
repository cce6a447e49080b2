//! ARCHITECTURE.md names files, functions and crates that exist, and each walk keeps to its command.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::paths::root;

const COMMANDS: [&str; 6] = ["connect", "expose", "gateway", "serve", "shrink", "conduct"];

#[test]
fn every_file_and_function_of_the_architecture_exists() {
    let page = page();
    let named = code(&page);
    let functions = named.iter().filter(|code| code.contains(".rs::")).count();
    assert!(functions > 60, "only {functions} functions were found");
    let wrong: Vec<String> = named.iter().filter_map(|code| missing(code)).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_path_of_the_contributors_page_exists() {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let is_path = |code: &&str| code.contains('/') && !code.contains(['<', ' ']);
    let paths: Vec<&str> = code(&page).into_iter().filter(is_path).collect();
    assert!(paths.len() > 15, "only {} paths were found", paths.len());
    let missing: Vec<&str> = paths
        .into_iter()
        .filter(|path| !root().join(path).exists())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_map_has_every_crate_and_no_other() {
    let page = page();
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `crates/"));
    let map: BTreeSet<String> = rows
        .filter_map(|row| Some(row.split_once('`')?.0.to_owned()))
        .collect();
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let crates: BTreeSet<String> = crates
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("Cargo.toml").exists())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(map, crates);
}

#[test]
fn a_walk_has_no_function_of_another_command() {
    let page = page();
    for command in COMMANDS {
        let walk = walk(&page, command);
        let functions = code(walk);
        assert!(functions.len() > 5, "the walk of `{command}` is too short");
        let own = format!("cli/src/commands/{command}");
        for function in functions.iter().filter(|code| code.contains("/commands/")) {
            assert!(
                function.starts_with(&own),
                "`{command}` walks through {function}"
            );
        }
    }
}

#[test]
fn what_does_not_exist_is_found() {
    for named in [
        "wire/src/no.rs",
        "wire/src/lib.rs::no_such_function",
        "no/src/lib.rs",
    ] {
        assert!(missing(named).is_some(), "{named}");
    }
    for named in [
        "wire/src/lib.rs",
        "--share",
        "xtask",
        "session/src/core.rs::on",
    ] {
        assert_eq!(missing(named), None, "{named}");
    }
}

fn page() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

/// The texts in backquotes, outside of blocks.
fn code(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose
        .flat_map(|prose| prose.split('`').skip(1).step_by(2))
        .collect()
}

/// The section of a command's walk.
fn walk<'p>(page: &'p str, command: &str) -> &'p str {
    let heading = format!("\n### `{command} ");
    let (_, rest) = page
        .split_once(&heading)
        .unwrap_or_else(|| panic!("there is no walk of `{command}`"));
    let (_, rest) = rest.split_once('\n').unwrap();
    rest.split("\n#").next().unwrap()
}

/// The error of `path.rs` or `path.rs::function`, if the text is one of these and does not exist.
fn missing(code: &str) -> Option<String> {
    let (path, function) = match code.split_once("::") {
        Some((path, function)) => (path, Some(function)),
        None => (code, None),
    };
    if !path.ends_with(".rs") || path.contains('<') {
        return None;
    }
    let file: PathBuf = root().join("crates").join(path);
    let Ok(source) = fs::read_to_string(&file) else {
        return Some(format!("there is no crates/{path}"));
    };
    let function = function?;
    let found = ["(", "<"]
        .iter()
        .any(|end| source.contains(&format!("fn {function}{end}")));
    (!found).then(|| format!("crates/{path} has no function `{function}`"))
}
