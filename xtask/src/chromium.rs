//! Chromium, for one sign-in with a real browser.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::child;

const ASK: Duration = Duration::from_secs(60);
const INSTALL: Duration = Duration::from_secs(10 * 60);

/// The names of browsers with the DevTools protocol.
const NAMES: [&str; 4] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
];

/// Finds a Chromium, or installs Debian's with apt, which takes root.
pub fn install() -> Result<PathBuf, String> {
    if let Some(found) = found() {
        return Ok(found);
    }
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--no-install-recommends", NAMES[0]])
        .env("DEBIAN_FRONTEND", "noninteractive");
    child::capture(&mut apt, INSTALL)
        .map_err(|why| format!("`apt-get install {}` did not work: {why}", NAMES[0]))?;
    found().ok_or_else(|| format!("{} is not in the PATH", NAMES[0]))
}

fn found() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let places = NAMES
        .iter()
        .flat_map(|name| std::env::split_paths(&path).map(move |folder| folder.join(name)));
    let runs = |program: &PathBuf| child::capture(Command::new(program).arg("--version"), ASK);
    places
        .filter(|place| place.is_file())
        .find(|place| runs(place).is_ok())
}
