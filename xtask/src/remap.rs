//! Builds that say nothing of the machine: no path of the builder is in the program, and two builds of one commit are
//! identical, whatever folder they are in.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::child;

const ASK: Duration = Duration::from_secs(60);

/// Folders of this machine, and the names that replace them in the program.
pub struct Remap {
    folders: Vec<(PathBuf, &'static str)>,
    /// What is built, for `linkspan --version`. A source package has none.
    commit: Option<String>,
}

impl Remap {
    /// For a build of the workspace in `folder`. Where several match, the last one counts.
    pub fn of(folder: &Path) -> Result<Self, String> {
        let home = cargo_home()?;
        let sysroot = child::capture(Command::new("rustc").args(["--print", "sysroot"]), ASK)?;
        let mut folders = vec![
            (PathBuf::from(sysroot.trim()), "rust"),
            (home.clone(), "cargo"),
            (folder.to_owned(), "linkspan"),
        ];
        // The sources of each registry, whose folders have the name of its host.
        let registries = fs::read_dir(home.join("registry").join("src"));
        for registry in registries.into_iter().flatten().flatten() {
            folders.push((registry.path(), "crates"));
        }
        let mut git = Command::new("git");
        git.args(["rev-parse", "--short=12", "HEAD"])
            .current_dir(folder);
        let commit = child::capture(&mut git, ASK).ok();
        let commit = commit.map(|commit| commit.trim().to_owned());
        Ok(Self { folders, commit })
    }

    /// Adds the flags of the compilers of Rust and C.
    pub fn apply(&self, build: &mut Command) {
        let mut rust = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
        let mut c = env::var_os("CFLAGS").unwrap_or_default();
        for (folder, name) in &self.folders {
            if !rust.is_empty() {
                rust.push('\x1f');
            }
            rust.push_str(&format!("--remap-path-prefix={}={name}", folder.display()));
            // Its flags are separated by spaces, and there is no way to quote one.
            if !cfg!(windows) && !folder.to_string_lossy().contains(' ') {
                let flag = format!(" -ffile-prefix-map={}={name}", folder.display());
                c.push(OsString::from(flag));
            }
        }
        build.env("CARGO_ENCODED_RUSTFLAGS", rust).env("CFLAGS", c);
        if let Some(commit) = &self.commit {
            build.env("LINKSPAN_COMMIT", commit);
        }
    }

    /// An error names paths of this machine that are in the program.
    pub fn check(&self, program: &Path) -> Result<(), String> {
        let bytes = fs::read(program).map_err(|e| format!("{}: {e}", program.display()))?;
        let found: Vec<String> = self
            .folders
            .iter()
            .flat_map(|(folder, _)| paths(&bytes, folder))
            .collect();
        match found.first() {
            None => Ok(()),
            Some(first) => Err(format!(
                "{} paths of this machine are in {}, such as {first}",
                found.len(),
                program.display()
            )),
        }
    }
}

/// The strings of a program that begin with a folder.
fn paths(program: &[u8], folder: &Path) -> Vec<String> {
    let folder = folder.as_os_str().as_encoded_bytes();
    let is_name = |byte: &&u8| byte.is_ascii_graphic();
    let starts = program.windows(folder.len().max(1)).enumerate();
    starts
        .filter(|(_, window)| *window == folder)
        .map(|(at, _)| {
            program[at..]
                .iter()
                .take_while(is_name)
                .take(160)
                .copied()
                .collect()
        })
        .map(|path: Vec<u8>| String::from_utf8_lossy(&path).into_owned())
        .collect()
}

fn cargo_home() -> Result<PathBuf, String> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| Some(env::home_dir()?.join(".cargo")))
        .ok_or_else(|| "neither CARGO_HOME nor the home folder is known".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_below_a_folder_are_found_in_a_program() {
        let program = b"\0\x7f/home/me/.cargo/registry/src/a.rs\0/home/you\0/home/me";
        assert_eq!(
            paths(program, Path::new("/home/me")),
            ["/home/me/.cargo/registry/src/a.rs", "/home/me"]
        );
        assert!(paths(program, Path::new("/home/them")).is_empty());
    }

    #[test]
    fn both_compilers_are_told_every_folder() {
        let remap = Remap {
            folders: vec![("/a".into(), "rust"), ("/b".into(), "linkspan")],
            commit: None,
        };
        let mut build = Command::new("cargo");
        remap.apply(&mut build);
        let value = |name: &str| {
            let mut set = build.get_envs().filter(|(key, _)| *key == name);
            set.find_map(|(_, value)| Some(value?.to_string_lossy().into_owned()))
                .unwrap_or_default()
        };
        let rust = value("CARGO_ENCODED_RUSTFLAGS");
        assert!(
            rust.ends_with("--remap-path-prefix=/a=rust\x1f--remap-path-prefix=/b=linkspan"),
            "{rust}"
        );
        if !cfg!(windows) {
            let c = value("CFLAGS");
            assert!(
                c.ends_with("-ffile-prefix-map=/a=rust -ffile-prefix-map=/b=linkspan"),
                "{c}"
            );
        }
    }
}
