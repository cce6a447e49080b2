//! The wheels: `pip install` into a new environment, and `uvx`, both without an index.

use std::path::PathBuf;
use std::process::Command;

use super::place::Place;
use super::setup::{Setup, install};
use crate::report::Outcome;
use crate::{dist, install, paths};

const UV: &str = "uv==0.13.8";

pub fn pip(setup: &Setup) -> Outcome {
    match installed(setup) {
        Ok(program) => Place::new([program]).check(setup),
        Err(why) => Outcome::Failed(why),
    }
}

pub fn uvx(setup: &Setup) -> Outcome {
    let uv = match uv() {
        Ok(uv) => uv,
        Err(why) => return Outcome::missing(why),
    };
    let folder = match setup.folder("uvx") {
        Ok(folder) => folder,
        Err(why) => return Outcome::Failed(why),
    };
    let out = dist::out().to_string_lossy().into_owned();
    let program = uv.to_string_lossy();
    let words = [
        &*program,
        "tool",
        "run",
        "--offline",
        "--no-index",
        "--find-links",
        &out,
        "linkspan",
    ];
    let python = uv.with_file_name("python");
    Place::new(words)
        .env("UV_PYTHON", python)
        .env("UV_CACHE_DIR", folder.join("cache"))
        .env("UV_TOOL_DIR", folder.join("tools"))
        .check(setup)
}

fn installed(setup: &Setup) -> Result<PathBuf, String> {
    let folder = setup.folder("pip")?;
    let mut venv = Command::new("python3");
    install(venv.args(["-m", "venv"]).arg(&folder))?;
    let mut pip = Command::new(folder.join("bin").join("pip"));
    pip.args(["install", "--no-index", "--find-links"])
        .arg(dist::out());
    install(pip.arg("linkspan"))?;
    Ok(folder.join("bin").join("linkspan"))
}

/// Installs uv once.
fn uv() -> Result<PathBuf, String> {
    let folder = paths::peers().join("uv");
    install::once(&folder, UV, || {
        let mut venv = Command::new("python3");
        install(venv.args(["-m", "venv"]).arg(&folder))?;
        let mut pip = Command::new(folder.join("bin").join("pip"));
        install(pip.args(["install", "--quiet", UV])).map(drop)
    })
    .map_err(|why| format!("pip could not install {UV}: {why}"))?;
    Ok(folder.join("bin").join("uv"))
}
