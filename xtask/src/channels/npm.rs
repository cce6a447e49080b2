//! The npm packages: from files, without scripts, through a registry, with and without `process.execve`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::place::Place;
use super::servers::Server;
use super::setup::{Setup, install};
use crate::child;
use crate::report::Outcome;

const ASK: Duration = Duration::from_secs(60);

pub fn from_files(setup: &Setup) -> Outcome {
    match installed(setup, "npm", &[]) {
        Ok(program) => place(setup, &program, &setup.node).check(setup),
        Err(why) => Outcome::Failed(why),
    }
}

pub fn without_scripts(setup: &Setup) -> Outcome {
    match installed(setup, "npm-no-scripts", &["--ignore-scripts"]) {
        Ok(program) => place(setup, &program, &setup.node).check(setup),
        Err(why) => Outcome::Failed(why),
    }
}

/// The program is a child of Node then.
pub fn with_old_node(setup: &Setup) -> Outcome {
    let mut asked = Command::new("node");
    let asked = child::capture(
        asked.args(["-p", "process.execve ? '' : process.execPath"]),
        ASK,
    );
    match asked {
        Err(why) => Outcome::missing(why),
        Ok(path) if path.trim().is_empty() => {
            Outcome::Skipped("the node of this machine has process.execve".to_owned())
        }
        Ok(path) => match installed(setup, "npm-old-node", &[]) {
            Ok(program) => place(setup, &program, Path::new(path.trim())).check(setup),
            Err(why) => Outcome::Failed(why),
        },
    }
}

/// Published to a registry of our own, then `npx linkspan`.
pub fn from_registry(setup: &Setup) -> Outcome {
    registry(setup).unwrap_or_else(Outcome::Failed)
}

fn registry(setup: &Setup) -> Result<Outcome, String> {
    let folder = setup.folder("npx")?;
    let registry = Server::registry(&setup.node, &setup.peers, &folder)?;
    // npm wants a token for every registry that it publishes to; this one takes any.
    let host = registry.url.trim_start_matches("http:");
    let config = format!("registry={}\n{host}:_authToken=none\n", registry.url);
    let file = folder.join("npmrc");
    fs::write(&file, config).map_err(|e| format!("{}: {e}", file.display()))?;
    for package in packages(setup)? {
        let mut npm = npm(setup, &folder);
        npm.arg("publish").arg(&package).arg("--provenance=false");
        install(npm.env("NPM_CONFIG_USERCONFIG", &file))?;
    }
    let words = ["npx", "--yes", "--registry", &registry.url, "linkspan"];
    let place = Place::new(words)
        .env("NPM_CONFIG_CACHE", folder.join("cache"))
        .env("NPM_CONFIG_USERCONFIG", &file)
        .within(&folder);
    Ok(place.check(setup))
}

/// Installs both packages, offline; returns the command that npm makes.
fn installed(setup: &Setup, channel: &str, flags: &[&str]) -> Result<PathBuf, String> {
    let folder = setup.folder(channel)?;
    fs::write(folder.join("package.json"), "{}").map_err(|error| error.to_string())?;
    let mut npm = npm(setup, &folder);
    npm.args(["install", "--offline", "--no-audit", "--no-fund"]);
    install(npm.args(flags).args(packages(setup)?))?;
    Ok(folder.join("node_modules").join(".bin").join("linkspan"))
}

/// The package of this system's program, and the main package, which depends on it.
fn packages(setup: &Setup) -> Result<[PathBuf; 2], String> {
    let cpu = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "x64"
    };
    let program = setup.package(&format!("linkspan-cli-linux-{cpu}-"), ".tgz")?;
    let main = setup.package(&format!("linkspan-{}", setup.version), ".tgz")?;
    Ok([program, main])
}

fn npm(setup: &Setup, folder: &Path) -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(folder);
    npm.env("PATH", setup.path_with(&setup.node));
    npm.env("NPM_CONFIG_CACHE", folder.join("cache"));
    npm
}

fn place(setup: &Setup, program: &Path, node: &Path) -> Place {
    Place::new([program]).env("PATH", setup.path_with(node))
}
