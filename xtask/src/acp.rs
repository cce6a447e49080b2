//! The ACP peers: the official conductor and the one before it, an editor, an agent, and components
//! of ours on the official crates.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{child, install, paths};

/// Of one package. The largest has 162 crates.
const INSTALL: Duration = Duration::from_secs(30 * 60);

/// From crates.io.
const PACKAGES: [&str; 4] = [
    "agent-client-protocol-conductor@5.0.0",
    "elizacp@12.0.0",
    "yopo@11.0.0",
    "sacp-conductor@11.0.0",
];

/// From `peers/acp`, each with a lock file of its own.
const COMPONENTS: [&str; 2] = ["v5", "sacp11"];

/// Installs the peers; gives back the folder of their programs.
pub fn install() -> Result<PathBuf, String> {
    let folder = folder();
    install::once(&folder, &pins()?, || {
        // One for all of them, as they share most of what they need.
        let target = folder.join("target");
        for package in PACKAGES {
            cargo_install(&folder, &target, &[package])?;
        }
        for component in COMPONENTS {
            let source = source(component);
            cargo_install(&folder, &target, &["--path", &source.to_string_lossy()])?;
        }
        // Only the programs are of use from here on.
        let _ = fs::remove_dir_all(&target);
        Ok(())
    })
    .map_err(|why| format!("cargo could not install {}: {why}", folder.display()))?;
    Ok(folder.join("bin"))
}

/// What a former run has installed, if it is still what is wanted.
pub fn installed() -> Option<PathBuf> {
    let made_from = pins().ok()?;
    install::is_made(&folder(), &made_from).then(|| folder().join("bin"))
}

fn folder() -> PathBuf {
    paths::peers().join("acp")
}

fn source(component: &str) -> PathBuf {
    paths::root().join("peers").join("acp").join(component)
}

/// Versions from outside, and whole files of our own.
fn pins() -> Result<String, String> {
    let mut pins = PACKAGES.join("\n");
    for component in COMPONENTS {
        for file in ["Cargo.toml", "Cargo.lock", "src/main.rs"] {
            pins.push_str(&install::read(&source(component).join(file))?);
        }
    }
    Ok(pins)
}

fn cargo_install(folder: &Path, target: &Path, what: &[&str]) -> Result<(), String> {
    println!("installing {} …", what.join(" "));
    let mut cargo = paths::cargo("install --locked --quiet --force");
    cargo.args(what).arg("--root").arg(folder);
    child::capture(cargo.env("CARGO_TARGET_DIR", target), INSTALL).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_component_is_part_of_the_pins() {
        let pins = pins().unwrap();
        for named in ["acp5 pass|arrow|tool", "acp11 pass|arrow|tool", PACKAGES[3]] {
            assert!(pins.contains(named), "{named}");
        }
    }
}
