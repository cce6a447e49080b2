//! When `cargo xtask cross` last passed. It takes too long for every run of `cargo xtask test`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::{child, paths};

const ASK: Duration = Duration::from_secs(30);

fn file() -> PathBuf {
    paths::peers().join("cross-passed")
}

/// Notes the commit and its day.
pub fn write() -> Result<(), String> {
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%h of %cs"]);
    let commit = child::capture(git.current_dir(paths::root()), ASK)?;
    let write = || {
        fs::create_dir_all(paths::peers())?;
        fs::write(file(), commit.trim())
    };
    write().map_err(|error| format!("{}: {error}", file().display()))
}

/// Which commit passed last, for a person.
pub fn last() -> String {
    match fs::read_to_string(file()) {
        Ok(commit) => {
            format!("it takes long: `cargo xtask cross`; it last passed with commit {commit}")
        }
        Err(_) => "it takes long: `cargo xtask cross`; it has not passed here yet".to_owned(),
    }
}
