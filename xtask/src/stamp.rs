//! When a suite that takes too long for every run of `cargo xtask test` last passed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::{child, paths};

const ASK: Duration = Duration::from_secs(30);

/// The commit that a command of `cargo xtask` passed with.
pub struct Stamp(pub &'static str);

impl Stamp {
    /// Notes the commit and its day.
    pub fn write(&self) -> Result<(), String> {
        let mut git = Command::new("git");
        git.args(["log", "-1", "--format=%h of %cs"]);
        let commit = child::capture(git.current_dir(paths::root()), ASK)?;
        let write = || {
            fs::create_dir_all(paths::peers())?;
            fs::write(self.file(), commit.trim())
        };
        write().map_err(|error| format!("{}: {error}", self.file().display()))
    }

    /// Which commit passed last, for a person.
    pub fn last(&self) -> String {
        let name = self.0;
        match fs::read_to_string(self.file()) {
            Ok(commit) => {
                format!("it takes long: `cargo xtask {name}`; it last passed with commit {commit}")
            }
            Err(_) => format!("it takes long: `cargo xtask {name}`; it has not passed here yet"),
        }
    }

    fn file(&self) -> PathBuf {
        paths::peers().join(format!("{}-passed", self.0))
    }
}
