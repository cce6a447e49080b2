//! The peers from PyPI, in a virtual environment.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::{child, install, paths};

const ASK: Duration = Duration::from_secs(30);
const INSTALL: Duration = Duration::from_secs(10 * 60);

/// Installs the Python peers; returns their interpreter.
pub fn install() -> Result<PathBuf, String> {
    let version = child::capture(Command::new("python3").arg("--version"), ASK)?;
    let requirements = paths::pins().join("requirements.txt");
    let pins = format!("{version}{}", install::read(&requirements)?);
    let folder = paths::peers().join("py");
    let python = folder.join("bin").join("python");
    install::once(&folder, &pins, || {
        let mut venv = Command::new("python3");
        child::capture(venv.args(["-m", "venv"]).arg(&folder), INSTALL)?;
        let mut pip = Command::new(&python);
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
        ]);
        child::capture(pip.arg(&requirements), INSTALL).map(drop)
    })
    .map_err(|why| format!("pip could not install {}: {why}", folder.display()))?;
    Ok(python)
}
