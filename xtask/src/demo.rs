//! `cargo xtask demo`: one short scene per job of linkspan, which needs only Rust.
//!
//! Servers, proxies and the agent are programs of the testkit; all printed output is real. Each scene says what to look
//! at.

mod process;
mod scenes;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::{child, paths};

const BUILD: Duration = Duration::from_secs(1800);

pub fn run() -> ExitCode {
    match show() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Builds the programs and shows every scene; fails if a scene lacks what it says to look at.
pub fn show() -> Result<(), String> {
    println!("Building (a few minutes the first time) …");
    let build = "build --locked --quiet -p linkspan -p linkspan-testkit --bins --examples";
    child::capture(&mut paths::cargo(build), BUILD)?;
    let scratch = Scratch::new()?;
    scenes::remote_server()?;
    scenes::old_client()?;
    #[cfg(unix)]
    scenes::folder(&scratch.0)?;
    scenes::fewer_tokens()?;
    scenes::agent(&scratch.0)?;
    println!("\nNext: docs/introduction.md, or `linkspan --help`.");
    Ok(())
}

/// An empty folder that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("linkspan-demo-{}", std::process::id()));
        std::fs::create_dir(&folder).map_err(|error| told(&folder, &error))?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
