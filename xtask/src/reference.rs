//! The reference of BCP, from crates.io: an oracle for tests, never a part of the product.

use std::path::PathBuf;

use crate::{install, paths};

/// Installs the reference; returns its program.
pub fn install() -> Result<PathBuf, String> {
    let folder = paths::peers().join("bcp");
    install::package(&folder, "bcp-cli --version 0.1.0")?;
    Ok(folder.join("bin").join("bcp"))
}
