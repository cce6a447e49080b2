//! The ACP peers: the official conductor and its predecessor, an editor, an agent, and our components on the official
//! crates.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{child, install, paths};

/// Of one package. The largest has 162 crates.
const INSTALL: Duration = Duration::from_secs(60 * 60);

/// From crates.io.
const PACKAGES: [&str; 4] = [
    "agent-client-protocol-conductor@5.0.0",
    "elizacp@12.0.0",
    "yopo@11.0.0",
    "sacp-conductor@11.0.0",
];

/// From `peers/acp`, each with a lock file of its own.
const COMPONENTS: [&str; 3] = ["v2", "v5", "sacp11"];

/// Installs the peers; returns the folder of their programs.
pub fn install() -> Result<PathBuf, String> {
    install_all()
        .map_err(|why| format!("cargo could not install {}: {why}", folder().display()))?;
    Ok(folder().join("bin"))
}

/// The peers of earlier runs, if their pins have not changed.
pub fn installed() -> Option<PathBuf> {
    let is_made = |peer: &Peer| install::is_made(&peer.stamp(), &peer.pins);
    let all = peers().ok()?;
    all.iter().all(is_made).then(|| folder().join("bin"))
}

fn install_all() -> Result<(), String> {
    // One for all of them, as they share most dependencies.
    let target = folder().join("target");
    for peer in peers()? {
        // Each has a stamp of its own: all of them take an hour on a small machine, and an interrupted run or a change
        // of one must not compile the others again.
        install::once(&peer.stamp(), &peer.pins, || {
            cargo_install(&target, &peer.what)
        })?;
    }
    // Only the programs are needed from here on.
    let _ = fs::remove_dir_all(&target);
    Ok(())
}

/// A package to install.
struct Peer {
    name: String,
    /// The arguments for cargo.
    what: Vec<String>,
    /// The pins of its sources.
    pins: String,
}

impl Peer {
    fn package(pin: &str) -> Self {
        Self {
            name: pin.replace('@', "-"),
            what: vec![pin.to_owned()],
            pins: pin.to_owned(),
        }
    }

    fn component(name: &str) -> Result<Self, String> {
        let source = paths::root().join("peers").join("acp").join(name);
        let mut pins = String::new();
        for file in ["Cargo.toml", "Cargo.lock", "src/main.rs"] {
            pins.push_str(&install::read(&source.join(file))?);
        }
        Ok(Self {
            name: name.to_owned(),
            what: vec!["--path".to_owned(), source.to_string_lossy().into_owned()],
            pins,
        })
    }

    /// A folder that contains only a stamp: the programs of all peers are in one folder.
    fn stamp(&self) -> PathBuf {
        folder().join("made").join(&self.name)
    }
}

fn peers() -> Result<Vec<Peer>, String> {
    let packages = PACKAGES.iter().map(|pin| Ok(Peer::package(pin)));
    let components = COMPONENTS.iter().map(|name| Peer::component(name));
    components.chain(packages).collect()
}

fn folder() -> PathBuf {
    paths::peers().join("acp")
}

fn cargo_install(target: &Path, what: &[String]) -> Result<(), String> {
    println!("installing {} …", what.join(" "));
    let mut cargo = paths::cargo("install --locked --quiet --force");
    cargo.args(what).arg("--root").arg(folder());
    child::capture(cargo.env("CARGO_TARGET_DIR", target), INSTALL).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_is_pinned_under_a_name_of_its_own() {
        let peers = peers().unwrap();
        for named in ["acp5 pass|arrow|tool", "acp2 pass|arrow|tool", PACKAGES[3]] {
            let of = peers.iter().filter(|peer| peer.pins.contains(named));
            assert_eq!(of.count(), 1, "{named}");
        }
        let mut names: Vec<&str> = peers.iter().map(|peer| &*peer.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PACKAGES.len() + COMPONENTS.len());
    }
}
