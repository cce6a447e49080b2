//! Finds interpreters of scripts and their versions.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The folders that are in the `PATH` of every program, even if it was not started from a shell.
const ALWAYS: [&str; 5] = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// How long an interpreter may take to print its version.
const PATIENCE: Duration = Duration::from_secs(5);

/// An interpreter on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interpreter {
    /// The path, if it was found.
    pub path: Option<PathBuf>,
    /// The output of its version flag.
    pub version: Option<String>,
}

impl Interpreter {
    /// Looks up a program in the folders of `path` and runs it with `flag` for its version.
    pub fn look(name: &str, flag: &str, path: &OsStr) -> Self {
        let path = find(name, path);
        let version = path.as_deref().and_then(|path| version(path, flag));
        Self { path, version }
    }
}

/// Whether programs that were not started from a shell find a program at this path.
pub fn is_always_found(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(Path::new(""));
    ALWAYS.iter().any(|always| folder == Path::new(always))
}

/// Looks up a program in the folders of `path`, a value of `PATH`.
pub fn find(name: &str, path: &OsStr) -> Option<PathBuf> {
    let ending = std::env::consts::EXE_SUFFIX;
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(format!("{name}{ending}")))
        .find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let about = file.metadata();
    about.is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// The first line that the program prints.
fn version(program: &Path, flag: &str) -> Option<String> {
    let mut child = Command::new(program)
        .arg(flag)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let start = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut text = String::new();
    let out = child.stdout.take()?;
    std::io::Read::read_to_string(&mut std::io::Read::take(out, 4096), &mut text).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_in_system_folders_are_always_found() {
        assert!(is_always_found(Path::new("/usr/bin/bash")));
        assert!(!is_always_found(Path::new("/home/me/.nvm/bin/node")));
        assert!(!is_always_found(Path::new("/opt/homebrew/bin/bash")));
    }

    #[cfg(unix)]
    #[test]
    fn an_interpreter_is_found_in_the_given_path_only() {
        let found = Interpreter::look("sh", "--version", OsStr::new("/usr/bin:/bin"));
        assert!(found.path.is_some());
        let missing = Interpreter::look("sh", "--version", OsStr::new("/nonexistent:relative"));
        assert_eq!(missing.path, None);
        assert_eq!(missing.version, None);
    }

    #[cfg(unix)]
    #[test]
    fn the_version_is_the_first_line_of_the_output() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("thing");
        std::fs::write(&program, "#!/bin/sh\necho \"$1 1.2\"\necho more\n").unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let thing = Interpreter::look("thing", "-V", folder.path().as_os_str());
        assert_eq!(thing.version.as_deref(), Some("-V 1.2"));
    }
}
