//! Installs once: a stamp holds the pins that a folder was made from.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{child, paths};

/// The limit of one package with all its dependencies.
const COMPILE: Duration = Duration::from_secs(20 * 60);

/// Runs `make` in an empty `folder`, unless a former run finished it from the same pins.
pub fn once(
    folder: &Path,
    pins: &str,
    make: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    if is_made(folder, pins) {
        println!("{} is up to date", folder.display());
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| told(folder, &error))?;
    }
    fs::create_dir_all(folder).map_err(|error| told(folder, &error))?;
    make()?;
    // Written last: an interrupted run leaves no stamp and starts again.
    let stamp = stamp(folder);
    fs::write(&stamp, pins).map_err(|error| told(&stamp, &error))
}

/// Compiles a package of crates.io into `folder/bin`; `pin` is the argument of `cargo install`.
pub fn package(folder: &Path, pin: &str) -> Result<(), String> {
    once(folder, pin, || {
        // In the workspace's target folder it would block other builds, and be blocked by them.
        let target = folder.join("target");
        let mut cargo = paths::cargo(&format!("install {pin} --locked --quiet --root"));
        cargo.arg(folder).env("CARGO_TARGET_DIR", &target);
        child::capture(&mut cargo, COMPILE)?;
        // Only the program is needed from here on.
        let _ = fs::remove_dir_all(&target);
        Ok(())
    })
    .map_err(|why| format!("cargo could not install {pin}: {why}"))
}

/// Whether a former run finished this folder from these pins.
pub fn is_made(folder: &Path, pins: &str) -> bool {
    fs::read_to_string(stamp(folder)).is_ok_and(|made_from| made_from == pins)
}

fn stamp(folder: &Path) -> PathBuf {
    folder.join("installed-from")
}

/// The text of a file, or an error that names it.
pub fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| told(file, &error))
}

/// Copies a file into a folder under its own name.
pub fn copy(file: &Path, folder: &Path) -> Result<(), String> {
    let name = file.file_name().unwrap_or_default();
    fs::copy(file, folder.join(name))
        .map(drop)
        .map_err(|error| told(file, &error))
}

fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_again_only_when_the_pins_change_or_it_failed() {
        let folder = std::env::temp_dir().join(format!("linkspan-xtask-{}", std::process::id()));
        let mut made = 0;
        let mut install = |pins, outcome: Result<(), &str>| {
            let _ = once(&folder, pins, || {
                made += 1;
                outcome.map_err(str::to_owned)
            });
            made
        };
        assert_eq!(install("one", Err("offline")), 1);
        assert_eq!(install("one", Ok(())), 2);
        assert_eq!(install("one", Ok(())), 2);
        assert_eq!(install("two", Ok(())), 3);
        fs::remove_dir_all(&folder).unwrap();
    }
}
