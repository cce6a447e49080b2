//! `cargo xtask notices`: the licences of everything that is part of the program, for `linkspan licenses`. Each text is
//! there once, with a number that the packages refer to.

mod graph;
mod texts;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::report::Report;
use crate::{child, paths};
use graph::Package;
use texts::Texts;

const ASK: Duration = Duration::from_secs(10 * 60);
/// More than the list with all its texts.
const MOST: usize = 16 << 20;
const BEFORE_TEXTS: &str = "The texts of the licences";

/// What is part of the program and not a package.
const OTHERS: &str = "\
The standard library of Rust
  MIT OR Apache-2.0
  The Rust Project contributors, https://www.rust-lang.org

The token vocabularies o200k_base and cl100k_base
  MIT
  Copyright (c) 2022 OpenAI, Shantanu Jain, https://github.com/openai/tiktoken

";

/// Writes the list for all systems. Packages for other systems are downloaded.
pub fn write(report: &mut Report) {
    report.step("write the licences of all packages", || {
        let packages = graph::packages(&metadata("")?)?;
        let list = list(&packages)?;
        let packed = zstd::bulk::compress(list.as_bytes(), 22).map_err(|e| e.to_string())?;
        println!(
            "{} packages, {} bytes, packed {}",
            packages.len(),
            list.len(),
            packed.len()
        );
        fs::write(file(), packed).map_err(|e| format!("{}: {e}", file().display()))
    });
}

/// Whether the list has the packages of a build for this system, and no others than those of Cargo.lock. Packages for
/// other systems are not downloaded for it.
pub fn check(report: &mut Report) {
    report.step("licences of all packages", || {
        let host = child::capture(std::process::Command::new("rustc").arg("-vV"), ASK)?;
        let host = host
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .ok_or("no host")?;
        let needed = graph::packages(&metadata(&format!("--filter-platform {host}"))?)?;
        let needed = needed.iter().map(Package::to_string).collect();
        let lock =
            fs::read_to_string(paths::root().join("Cargo.lock")).map_err(|e| e.to_string())?;
        compare(&listed(&unpack()?), &needed, &locked(&lock))
    });
}

fn compare(
    listed: &BTreeSet<String>,
    needed: &BTreeSet<String>,
    locked: &BTreeSet<String>,
) -> Result<(), String> {
    let missing = needed
        .difference(listed)
        .map(|name| format!("{name} is missing"));
    let outdated = listed
        .difference(locked)
        .map(|name| format!("{name} is not in Cargo.lock"));
    let wrong: Vec<String> = missing.chain(outdated).collect();
    match wrong.first() {
        None => Ok(()),
        Some(first) => Err(format!(
            "{} packages: {first}; run `cargo xtask notices`",
            wrong.len()
        )),
    }
}

fn list(packages: &[Package]) -> Result<String, String> {
    let mut texts = Texts::default();
    let mut list = OTHERS.to_owned();
    for package in packages {
        let numbers = texts.of(&package.folder)?;
        let _ = writeln!(list, "{package}\n  {}", package.license);
        for line in [&package.authors, &package.repository] {
            if !line.is_empty() {
                let _ = writeln!(list, "  {line}");
            }
        }
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        match &*numbers {
            [] => list.push_str("  no text in its package\n"),
            [one] => drop(writeln!(list, "  text {one}")),
            many => drop(writeln!(list, "  texts {}", many.join(", "))),
        }
        list.push('\n');
    }
    let _ = writeln!(list, "{BEFORE_TEXTS}");
    texts.write(&mut list);
    Ok(list)
}

/// The packages of a list, `name version`.
fn listed(list: &str) -> BTreeSet<String> {
    let lines = list.lines().take_while(|line| *line != BEFORE_TEXTS);
    let names = lines.filter(|line| !line.is_empty() && !line.starts_with(' '));
    names
        .filter(|line| !OTHERS.contains(*line))
        .map(str::to_owned)
        .collect()
}

/// The packages of Cargo.lock.
fn locked(lock: &str) -> BTreeSet<String> {
    let value = |line: &str, key: &str| {
        let value = line.strip_prefix(key)?.strip_prefix(" = ")?;
        Some(value.trim_matches('"').to_owned())
    };
    let mut packages = BTreeSet::new();
    let mut name = String::new();
    for line in lock.lines() {
        if let Some(found) = value(line, "name") {
            name = found;
        } else if let Some(version) = value(line, "version") {
            packages.insert(format!("{name} {version}"));
        }
    }
    packages
}

/// The list as `linkspan licenses` prints it.
pub fn unpack() -> Result<String, String> {
    let packed = fs::read(file()).map_err(|e| format!("{}: {e}", file().display()))?;
    let list = zstd::bulk::decompress(&packed, MOST).map_err(|e| e.to_string())?;
    String::from_utf8(list).map_err(|e| e.to_string())
}

fn metadata(flags: &str) -> Result<Value, String> {
    let manifest = Path::new("crates").join("cli").join("Cargo.toml");
    let mut ask = paths::cargo("metadata --locked --format-version 1 --features keyring");
    ask.arg("--manifest-path")
        .arg(manifest)
        .args(flags.split_whitespace());
    let answer = child::capture(&mut ask, ASK)?;
    serde_json::from_str(&answer).map_err(|e| e.to_string())
}

fn file() -> PathBuf {
    paths::root().join("crates").join("cli").join("notices.zst")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_package_without_its_licence_and_an_old_version_are_named() {
        let lock = "[[package]]\nname = \"one\"\nversion = \"1.0.0\"\nsource = \"registry\"\n";
        let locked = locked(lock);
        assert_eq!(locked, set(&["one 1.0.0"]));
        assert_eq!(compare(&locked, &locked, &locked), Ok(()));
        let missing = compare(&set(&[]), &locked, &locked).unwrap_err();
        assert!(missing.contains("one 1.0.0 is missing"), "{missing}");
        let outdated = compare(&set(&["one 0.9.0", "one 1.0.0"]), &locked, &locked).unwrap_err();
        assert!(
            outdated.contains("one 0.9.0 is not in Cargo.lock"),
            "{outdated}"
        );
    }

    #[test]
    fn the_packages_of_a_list_are_read_back() {
        let list =
            format!("{OTHERS}one 1.0.0\n  MIT\n  text 1\n\n{BEFORE_TEXTS}\n\n=== 1 ===\nno name\n");
        assert_eq!(listed(&list), set(&["one 1.0.0"]));
    }
}
