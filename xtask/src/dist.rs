//! `cargo xtask dist`: everything that a release needs, in `target/dist`, from one table of targets.

mod archive;
mod build;
mod debian;
mod fat;
mod homebrew;
mod layout;
mod mcpb;
mod npm;
mod release;
mod sbom;
mod table;
mod tarball;
mod wheel;
mod windows;

use std::fs;
use std::path::{Path, PathBuf};

use release::{Program, Release};
use table::{TARGETS, Target};

use crate::paths;
use crate::report::{Outcome, Report};

/// A channel, and what writes its packages.
type Channel = (&'static str, fn(&Release) -> Result<(), String>);

/// In this order: manifests have checksums of archives, the last has all.
const CHANNELS: [Channel; 9] = [
    ("archives", tarball::write),
    ("npm", npm::write),
    ("Python wheels", wheel::write),
    ("MCPB bundle", mcpb::write),
    ("Debian packages", debian::write),
    ("Homebrew", homebrew::write),
    ("Scoop and winget", windows::write),
    ("SBOM", sbom::write),
    ("checksums", checksums),
];

/// The words behind `cargo xtask dist`.
#[derive(Default)]
struct Options {
    /// All of the table, if empty.
    targets: Vec<&'static Target>,
    /// Whether no package is made of the programs.
    builds_only: bool,
    /// The folder of programs that were built before.
    programs: Option<PathBuf>,
    /// The URL of the project.
    repository: Option<String>,
}

pub fn run(report: &mut Report, args: &[&str]) {
    let options = match Options::parse(args) {
        Ok(options) => options,
        Err(why) => return report.step("dist", || Outcome::Failed(why)),
    };
    let out = out();
    let programs = options.programs.clone();
    let programs = programs.unwrap_or_else(|| out.join("programs"));
    let mut built = Vec::new();
    for target in options.targets() {
        report.step(&format!("program of {}", target.triple), || {
            let outcome = if options.programs.is_some() {
                Outcome::Passed
            } else {
                build::run(target, &programs)
            };
            match outcome {
                Outcome::Passed => take(target, &programs, &mut built),
                other => other,
            }
        });
    }
    if options.builds_only {
        return;
    }
    let mut release = None;
    report.step("version, licences, manual page, completions", || {
        if built.is_empty() {
            return Err("there is no program to package".to_owned());
        }
        clear(&out)?;
        release = Some(Release::read(built, options.repository.as_deref(), out)?);
        Ok(())
    });
    let Some(release) = release else { return };
    for (name, write) in CHANNELS {
        report.step(name, || write(&release));
    }
}

/// Where the packages are.
pub fn out() -> PathBuf {
    paths::root().join("target").join("dist")
}

/// The version of the sources.
pub fn version() -> Result<String, String> {
    release::version()
}

impl Options {
    fn parse(args: &[&str]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(flag) = args.next() {
            if *flag == "--build-only" {
                options.builds_only = true;
                continue;
            }
            let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
            match *flag {
                "--target" => options.targets.push(Target::named(value)?),
                "--programs" => options.programs = Some(paths::root().join(value)),
                "--repository" => options.repository = Some((*value).to_owned()),
                other => return Err(format!("unexpected argument `{other}`")),
            }
        }
        Ok(options)
    }

    fn targets(&self) -> Vec<&'static Target> {
        if self.targets.is_empty() {
            return TARGETS.iter().collect();
        }
        self.targets.clone()
    }
}

/// Reads a program that was built.
fn take(target: &'static Target, programs: &Path, built: &mut Vec<Program>) -> Outcome {
    let path = build::place(programs, target);
    match fs::read(&path) {
        Ok(bytes) => {
            built.push(Program { target, bytes });
            Outcome::Passed
        }
        Err(error) => Outcome::missing(format!("{}: {error}", path.display())),
    }
}

/// Removes the packages of a former run; folders are programs, or cargo's.
fn clear(out: &Path) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", out.display());
    fs::create_dir_all(out).map_err(told)?;
    for entry in fs::read_dir(out).map_err(told)?.flatten() {
        if entry.path().is_file() {
            fs::remove_file(entry.path()).map_err(told)?;
        }
    }
    Ok(())
}

/// `SHA256SUMS`, and this system's program as a file, for benchmarks.
fn checksums(release: &Release) -> Result<(), String> {
    let sums = release.checksums()?;
    let lines: Vec<String> = sums
        .iter()
        .map(|(name, sum)| format!("{sum}  {name}\n"))
        .collect();
    release.write("SHA256SUMS", lines.concat().as_bytes())?;
    release.put_program()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_selected_by_name_and_all_without_one() {
        let one = Options::parse(&["--target", "aarch64-unknown-linux-musl"]).unwrap();
        assert_eq!(one.targets().len(), 1);
        assert_eq!(Options::parse(&[]).unwrap().targets().len(), TARGETS.len());
        assert!(Options::parse(&["--target"]).is_err());
        assert!(Options::parse(&["--target", "sparc"]).is_err());
        assert!(Options::parse(&["--fast", "1"]).is_err());
        let two = ["--build-only", "--target", "x86_64-pc-windows-gnu"];
        let two = Options::parse(&two).unwrap();
        assert!(two.builds_only && two.targets().len() == 1);
    }
}
