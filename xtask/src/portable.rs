//! `cargo check` for systems that this machine is not.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::report::{Outcome, Report};
use crate::{child, paths};

/// Steps of `cargo xtask test`.
const SYSTEMS: [&str; 2] = ["aarch64-apple-darwin", "x86_64-pc-windows-gnu"];
/// Steps of `cargo xtask cross`.
const STATIC: [&str; 2] = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"];

const INSTALL: Duration = Duration::from_secs(10 * 60);
const CHECK: Duration = Duration::from_secs(30 * 60);

/// Some dependencies compile C in their build scripts, which `cargo check` runs. A check links nothing, so this
/// replaces the compiler of the other system: it writes an empty output file.
#[cfg(unix)]
const NO_COMPILER: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    -o) shift; : > "$1" ;;
    -o?*) : > "${1#-o}" ;;
    *.a | *.lib) : > "$1" ;;
  esac
  shift
done
"#;

/// Checks macOS and Windows.
pub fn run(report: &mut Report) {
    for target in SYSTEMS {
        report.step(&format!("check {target}"), || check(target));
    }
}

/// Checks Linux with musl.
pub fn run_static(report: &mut Report, is_wanted: impl Fn(&str) -> bool) {
    for target in STATIC.into_iter().filter(|target| is_wanted(target)) {
        report.step(&format!("check {target}"), || check(target));
    }
}

fn check(target: &str) -> Outcome {
    if let Err(why) = add_target(target) {
        return Outcome::missing(why);
    }
    let Some(compiler) = no_compiler() else {
        return Outcome::Skipped("the stand-in for a C compiler is a shell script".to_owned());
    };
    let compiler = match compiler {
        Ok(compiler) => compiler,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let mut check = paths::cargo("check --workspace --locked --target");
    check.arg(target);
    for tool in ["CC", "CXX", "AR", "RANLIB"] {
        check.env(format!("{tool}_{}", target.replace('-', "_")), &compiler);
    }
    // A folder of its own: objects that were made without a compiler must not be linked by a later build.
    check.env(
        "CARGO_TARGET_DIR",
        paths::root().join("target").join("check"),
    );
    child::run(&mut check, CHECK).into()
}

/// Installs the standard library of a target.
pub fn add_target(target: &str) -> Result<(), String> {
    let mut add = Command::new("rustup");
    child::capture(add.args(["target", "add", target]), INSTALL)
        .map(drop)
        .map_err(|why| format!("rustup could not add {target}: {why}"))
}

#[cfg(unix)]
fn no_compiler() -> Option<std::io::Result<PathBuf>> {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    let write = || {
        let folder = paths::root().join("target").join("check");
        let path = folder.join("no-c-compiler");
        fs::create_dir_all(&folder)?;
        if fs::read_to_string(&path).is_ok_and(|written| written == NO_COMPILER) {
            return Ok(path);
        }
        fs::write(&path, NO_COMPILER)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(path)
    };
    Some(write())
}

#[cfg(not(unix))]
fn no_compiler() -> Option<std::io::Result<PathBuf>> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_stand_in_for_a_compiler_writes_every_file_that_it_is_asked_for() {
        let compiler = no_compiler().unwrap().unwrap();
        let folder = std::env::temp_dir().join(format!("linkspan-no-cc-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
        for args in [
            vec!["-c".to_owned(), "-o".to_owned(), at("one.o"), at("one.c")],
            vec![format!("-o{}", at("two.o")), at("two.c")],
            vec!["crs".to_owned(), at("three.a"), at("one.o")],
        ] {
            let ran = Command::new(&compiler).args(&args).status().unwrap();
            assert!(ran.success(), "{args:?}");
        }
        let written = ["one.o", "two.o", "three.a"].map(|name| folder.join(name).exists());
        let sources = ["one.c", "two.c"].map(|name| folder.join(name).exists());
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!((written, sources), ([true; 3], [false; 2]));
    }
}
