//! The peers from npm, and a Node version that they support.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{child, install, paths};

const ASK: Duration = Duration::from_secs(30);
const INSTALL: Duration = Duration::from_secs(10 * 60);
/// The oldest version that the conformance package and Inspector support.
const OLDEST: u32 = 22;
/// Our own scripts. Node looks for packages from a script's folder upwards, so they are copied there.
const SCRIPTS: [&str; 17] = [
    "answer.mjs",
    "as.mjs",
    "auth_driver.mjs",
    "browser.mjs",
    "chromium_answer.mjs",
    "chromium_login.mjs",
    "clients.mjs",
    "document.mjs",
    "driver.mjs",
    "dropin.mjs",
    "login.mjs",
    "protected.mjs",
    "sockets.mjs",
    "stdio_client.mjs",
    "storm.mjs",
    "tsclient.mjs",
    "web.mjs",
];

/// Installs Node if the machine's own is too old, and the npm peers; returns the path of Node.
pub fn install() -> Result<PathBuf, String> {
    let found = child::capture(
        Command::new("node").args(["-p", "process.versions.node + ' ' + process.execPath"]),
        ASK,
    )?;
    let (version, path) = found
        .trim()
        .split_once(' ')
        .ok_or("node does not tell its version")?;
    let major = version
        .split('.')
        .next()
        .and_then(|major| major.parse().ok())
        .unwrap_or(0);
    let node = if major >= OLDEST {
        PathBuf::from(path)
    } else {
        newer_node()?
    };
    let suite = "@modelcontextprotocol/conformance/dist/index.js";
    let npm = paths::peers().join("npm");
    npm_install(&npm, &paths::pins(), suite)?;
    for script in SCRIPTS {
        install::copy(&paths::pins().join(script), &npm)?;
    }
    link(&node)?;
    Ok(node)
}

/// Installs servers of many authors, which all are behind one gateway in a suite; returns their folder.
pub fn install_servers() -> Result<PathBuf, String> {
    let folder = paths::peers().join("servers");
    let one = "@modelcontextprotocol/server-memory/dist/index.js";
    npm_install(&folder, &paths::pins().join("servers"), one)?;
    Ok(folder)
}

/// The Node that is installed with the peers, whatever the machine's own is.
pub fn newer_node() -> Result<PathBuf, String> {
    let arch = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "x64"
    };
    let pins = paths::pins().join("node");
    let node = format!("node-linux-{arch}/bin/node");
    npm_install(&paths::peers().join("node"), &pins, &node)
        .map_err(|why| format!("Node {OLDEST} or newer is needed: {why}"))
}

/// Installs the packages of `pins`, and returns the file `wanted` of them.
pub fn npm_install(folder: &Path, pins: &Path, wanted: &str) -> Result<PathBuf, String> {
    let wanted = folder.join("node_modules").join(wanted);
    let files = [pins.join("package.json"), pins.join("package-lock.json")];
    let text = format!("{}{}", install::read(&files[0])?, install::read(&files[1])?);
    install::once(folder, &text, || {
        for file in &files {
            install::copy(file, folder)?;
        }
        // Not `npm ci`: it refuses a lock file without the binaries of other platforms, and a
        // registry need not have them.
        let mut npm = Command::new("npm");
        npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
            .arg("--loglevel=error")
            .current_dir(folder);
        child::capture(&mut npm, INSTALL)?;
        // npm ignores a missing optional package, such as a Node for this machine.
        let there = wanted.exists().then_some(());
        there.ok_or_else(|| format!("{} is not in it", wanted.display()))
    })
    .map_err(|why| format!("npm could not install {}: {why}", folder.display()))?;
    Ok(wanted)
}

// A fixed path of `node` for the suites.
#[cfg(unix)]
fn link(node: &Path) -> Result<(), String> {
    let bin = paths::peers().join("bin");
    std::fs::create_dir_all(&bin).map_err(|error| error.to_string())?;
    let link = bin.join("node");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(node, &link).map_err(|error| format!("{}: {error}", link.display()))
}

#[cfg(not(unix))]
fn link(_: &Path) -> Result<(), String> {
    Err("the peer suites run on Unix only".to_owned())
}
