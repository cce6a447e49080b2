//! `cargo xtask keyring`: the credential store with the keyring of GNOME, on a session bus of its own.

use std::process::Command;
use std::time::Duration;

use crate::report::{Outcome, Report};
use crate::stamp::Stamp;
use crate::{child, paths};

pub const STAMP: Stamp = Stamp("keyring");

const ASK: Duration = Duration::from_secs(60);
const INSTALL: Duration = Duration::from_secs(10 * 60);
const BUILD: Duration = Duration::from_secs(60 * 60);
const PACKAGES: [&str; 2] = ["gnome-keyring", "dbus"];

/// Unlocks a new keyring with a password, then runs the words behind it.
const SESSION: &str =
    "printf password | gnome-keyring-daemon --unlock --components=secrets && exec \"$@\"";

pub fn run(report: &mut Report) {
    report.step("install a keyring", install);
    report.step("the credential store with a keyring", test);
    if report.all_passed() {
        report.step("remember that it passed", || STAMP.write());
    }
}

fn install() -> Outcome {
    let is_there =
        |program: &str| child::capture(Command::new(program).arg("--version"), ASK).is_ok();
    if is_there("gnome-keyring-daemon") && is_there("dbus-run-session") {
        return Outcome::Passed;
    }
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--no-install-recommends"]);
    apt.args(PACKAGES).env("DEBIAN_FRONTEND", "noninteractive");
    match child::capture(&mut apt, INSTALL) {
        Ok(_) => Outcome::Passed,
        Err(why) => Outcome::missing(format!("apt-get could not install a keyring: {why}")),
    }
}

fn test() -> Result<(), String> {
    let mut build =
        paths::cargo("test --package linkspan-auth --features keyring --lib --locked --no-run");
    child::run(&mut build, BUILD)?;
    let home = paths::root().join("target").join("keyring");
    let _ = std::fs::remove_dir_all(&home);
    std::fs::create_dir_all(home.join("run")).map_err(|error| error.to_string())?;
    let mut session = Command::new("dbus-run-session");
    session.args(["--", "sh", "-c", SESSION, "sh", "cargo", "test"]);
    session.args([
        "--package",
        "linkspan-auth",
        "--features",
        "keyring",
        "--lib",
        "--locked",
    ]);
    session.args(["--", "--ignored", "--exact"]);
    session.arg("store::keyring::os::tests::the_keys_of_all_stores_are_one_item_of_the_keyring");
    session.current_dir(paths::root());
    session
        .env("XDG_DATA_HOME", &home)
        .env("XDG_RUNTIME_DIR", home.join("run"));
    child::run(&mut session, BUILD)
}
