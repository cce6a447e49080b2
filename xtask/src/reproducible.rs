//! `cargo xtask reproducible`: two builds of the last commit, in folders with names of different lengths, are the same
//! file, without a path of this machine in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::remap::Remap;
use crate::report::Report;
use crate::stamp::Stamp;
use crate::{child, paths};

pub const STAMP: Stamp = Stamp("reproducible");

const ASK: Duration = Duration::from_secs(60);
const BUILD: Duration = Duration::from_secs(3 * 60 * 60);

pub fn run(report: &mut Report, profile: &str) {
    let work = paths::root().join("target").join("reproducible");
    let folders = ["one", "another-folder"].map(|name| work.join(name));
    let mut programs = Vec::new();
    for folder in &folders {
        report.step(&format!("build in {}", folder.display()), || {
            checkout(folder)?;
            programs.push(build(folder, profile)?);
            Ok::<_, String>(())
        });
    }
    report.step("no path of this machine is in the program", || {
        let check = |(folder, program): (&PathBuf, &PathBuf)| Remap::of(folder)?.check(program);
        folders.iter().zip(&programs).try_for_each(check)
    });
    report.step("both builds are identical", || same(&programs));
    if report.all_passed() {
        report.step("stamp", || STAMP.write());
    }
}

/// The last commit, in a folder without earlier results.
fn checkout(folder: &Path) -> Result<(), String> {
    let _ = fs::remove_dir_all(folder);
    let mut clone = Command::new("git");
    clone.args(["clone", "--quiet", "--shared"]);
    child::capture(clone.arg(paths::root()).arg(folder), ASK).map(drop)
}

fn build(folder: &Path, profile: &str) -> Result<PathBuf, String> {
    let target = folder.join("target");
    let mut build = paths::cargo(
        "build --locked --features keyring --package linkspan --bin linkspan --profile",
    );
    build.arg(profile).current_dir(folder);
    build.env("CARGO_TARGET_DIR", &target);
    Remap::of(folder)?.apply(&mut build);
    child::run(&mut build, BUILD)?;
    let profile = if profile == "dev" { "debug" } else { profile };
    let program = format!("linkspan{}", std::env::consts::EXE_SUFFIX);
    Ok(target.join(profile).join(program))
}

fn same(programs: &[PathBuf]) -> Result<(), String> {
    let [one, other] = programs else {
        return Err("one of them is missing".to_owned());
    };
    let read = |path: &PathBuf| fs::read(path).map_err(|e| format!("{}: {e}", path.display()));
    let (first, second) = (read(one)?, read(other)?);
    println!("{} bytes, and {} bytes", first.len(), second.len());
    let differences = first.iter().zip(&second).filter(|(a, b)| a != b).count();
    if first.len() == second.len() && differences == 0 {
        Ok(())
    } else {
        let at = first.iter().zip(&second).position(|(a, b)| a != b);
        Err(format!("{differences} bytes differ, the first at {at:?}"))
    }
}
