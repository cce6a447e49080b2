//! The archives for other systems: Windows under Wine, arm64 Linux under QEMU.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::place::Place;
use super::setup::{Setup, install};
use crate::report::Outcome;
use crate::{child, cross};

const ASK: Duration = Duration::from_secs(60);

pub fn windows(setup: &Setup) -> Outcome {
    if let Err(why) = is_there("wine") {
        return Outcome::missing(why);
    }
    let archive = match setup.package("linkspan-", "-pc-windows-gnu.zip") {
        Ok(archive) => archive,
        Err(why) => return Outcome::missing(why),
    };
    let made = setup.folder("windows").and_then(|folder| {
        unzip(&archive, &folder)?;
        let program = only_folder(&folder)?;
        cross::build_missing_library(&program)?;
        let program = program.join("linkspan.exe").to_string_lossy().into_owned();
        Ok(Place::new(["wine".to_owned(), program])
            .env("WINEPREFIX", folder.join("wine"))
            .env("WINEDEBUG", "-all")
            .env("WINEDLLOVERRIDES", "mscoree,mshtml="))
    });
    made.map_or_else(Outcome::Failed, |place| place.check(setup))
}

pub fn arm64(setup: &Setup) -> Outcome {
    if let Err(why) = is_there("qemu-aarch64") {
        return Outcome::missing(why);
    }
    let archive = match setup.package("linkspan-", "aarch64-unknown-linux-musl.tar.gz") {
        Ok(archive) => archive,
        Err(why) => return Outcome::missing(why),
    };
    let made = setup.folder("arm64").and_then(|folder| {
        let mut tar = Command::new("tar");
        install(tar.arg("-xzf").arg(archive).arg("-C").arg(&folder))?;
        let program = only_folder(&folder)?.join("linkspan");
        Ok(Place::new([PathBuf::from("qemu-aarch64"), program]))
    });
    made.map_or_else(Outcome::Failed, |place| place.check(setup))
}

fn is_there(program: &str) -> Result<(), String> {
    let asked = child::capture(Command::new(program).arg("--version"), ASK);
    asked
        .map(drop)
        .map_err(|_| format!("`{program}` is not installed: apt-get install wine wine64 qemu-user"))
}

fn unzip(archive: &Path, folder: &Path) -> Result<(), String> {
    let bytes = fs::read(archive).map_err(|e| format!("{}: {e}", archive.display()))?;
    let archive = zip::ZipArchive::new(Cursor::new(bytes));
    archive
        .and_then(|mut archive| archive.extract(folder))
        .map_err(|error| error.to_string())
}

/// The folder that an archive consists of.
fn only_folder(folder: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir());
    folders
        .next()
        .ok_or_else(|| format!("{} is empty", folder.display()))
}
