//! Where things are.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace's root folder.
pub fn root() -> PathBuf {
    // The variable at run time has precedence: a checkout may have moved since the build.
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or(here.clone(), Path::to_path_buf)
}

/// The ignored folder that holds the installed peers.
pub fn peers() -> PathBuf {
    root().join(".peers")
}

/// Our files for the peers: pins, driver, server script.
pub fn pins() -> PathBuf {
    root().join("xtask").join("peers")
}

/// Where this program itself was built, wherever the target folder is.
pub fn built() -> PathBuf {
    let ourselves = std::env::current_exe().unwrap_or_default();
    ourselves.parent().map_or_else(root, Path::to_path_buf)
}

/// The running cargo, in the workspace's root, with the words of `line`.
pub fn cargo(line: &str) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(line.split_whitespace()).current_dir(root());
    command
}
