//! What all channels need: the packages, a server, and a client by another author.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::servers::Server;
use crate::{child, dist, install, node, paths};

const INSTALL: Duration = Duration::from_secs(10 * 60);

pub struct Setup {
    /// The Node that the suite's own scripts run with; it has `process.execve`.
    pub node: PathBuf,
    /// The folder of the npm packages of `xtask/peers/channels`.
    pub peers: PathBuf,
    /// The version that the packages must have.
    pub version: String,
    /// The URL of a server that has the tool `echo`.
    pub url: String,
    _server: Server,
}

impl Setup {
    pub fn make() -> Result<Self, String> {
        let node = node::newer_node()?;
        let peers = paths::peers().join("channels");
        let pins = paths::pins().join("channels");
        node::npm_install(&peers, &pins, "verdaccio/package.json")?;
        install::copy(&paths::pins().join("channel.mjs"), &peers)?;
        let server = Server::everything(&node, &peers)?;
        Ok(Self {
            node,
            peers,
            version: dist::version()?,
            url: server.url.clone(),
            _server: server,
        })
    }

    /// The program of an installed npm package.
    pub fn bin(&self, name: &str) -> PathBuf {
        self.peers.join("node_modules").join(".bin").join(name)
    }

    /// A file of the release, by the beginning and the end of its name.
    pub fn package(&self, start: &str, end: &str) -> Result<PathBuf, String> {
        let out = dist::out();
        let entries = fs::read_dir(&out).into_iter().flatten().flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let name = names.find(|name| name.starts_with(start) && name.ends_with(end));
        let name = name.ok_or_else(|| {
            format!(
                "there is no {start}…{end} in {}: `cargo xtask dist`",
                out.display()
            )
        })?;
        Ok(out.join(name))
    }

    /// The home of installed programs, kept between runs.
    pub fn home(&self) -> Result<PathBuf, String> {
        let home = paths::root().join("target").join("channels").join("home");
        fs::create_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
        Ok(home)
    }

    /// An empty folder for a channel.
    pub fn folder(&self, channel: &str) -> Result<PathBuf, String> {
        let folder = paths::root().join("target").join("channels").join(channel);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(folder)
    }

    /// Our own PATH with the folder of a Node at the front, and without folders that have Rust.
    pub fn path_with(&self, node: &Path) -> OsString {
        without_rust(&env::var_os("PATH").unwrap_or_default(), node)
    }
}

fn without_rust(path: &OsStr, node: &Path) -> OsString {
    let system = ["/usr/bin", "/bin"].map(PathBuf::from);
    let has_rust = |folder: &PathBuf| folder.join("cargo").exists();
    let others = env::split_paths(path).filter(|folder| !has_rust(folder));
    let folders = node.parent().map(Path::to_owned).into_iter();
    // A folder with a `:` in its name cannot be in PATH at all.
    env::join_paths(folders.chain(others).chain(system)).unwrap_or_default()
}

/// Runs a program that installs or builds.
pub fn install(command: &mut Command) -> Result<String, String> {
    child::capture(command, INSTALL)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn folders_with_cargo_are_not_in_the_path_of_installed_programs() {
        let root = env::temp_dir().join(format!("linkspan-path-{}", std::process::id()));
        let (rust, other) = (root.join("rust"), root.join("other"));
        for folder in [&rust, &other] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(rust.join("cargo"), "").unwrap();
        let path = env::join_paths([&rust, &other]).unwrap();
        let path = without_rust(&path, Path::new("/opt/node/bin/node"));
        fs::remove_dir_all(&root).unwrap();
        let expected = format!("/opt/node/bin:{}:/usr/bin:/bin", other.display());
        assert_eq!(path.to_string_lossy(), expected);
    }
}
