//! The reference of BCP, from crates.io: an oracle for tests, never a part of the product.

use std::path::PathBuf;
use std::time::Duration;

use crate::{child, install, paths};

const INSTALL: Duration = Duration::from_secs(20 * 60);
const PACKAGE: &str = "bcp-cli";
const VERSION: &str = "0.1.0";

/// Installs the reference; gives back its program.
pub fn install() -> Result<PathBuf, String> {
    let folder = paths::peers().join("bcp");
    let program = folder.join("bin").join("bcp");
    install::once(&folder, &format!("{PACKAGE} {VERSION}"), || {
        // Ours would be built anew with its features, and locked while it builds.
        let target = folder.join("target");
        let line = format!("install {PACKAGE} --version {VERSION} --locked --quiet --root");
        let mut cargo = paths::cargo(&line);
        cargo.arg(&folder).env("CARGO_TARGET_DIR", &target);
        child::capture(&mut cargo, INSTALL)?;
        // Only the program is of use from here on.
        let _ = std::fs::remove_dir_all(&target);
        Ok(())
    })
    .map_err(|why| format!("cargo could not install {PACKAGE} {VERSION}: {why}"))?;
    Ok(program)
}
