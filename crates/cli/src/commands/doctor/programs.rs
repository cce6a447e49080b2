//! Interpreters: which there are, and whether programs with windows find them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Finding;
use crate::show::path as shown;

/// Where programs that were not started from a shell look, at the least.
const ALWAYS: [&str; 5] = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// An interpreter that does not say its version in this time is not asked further.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn interpreters() -> Vec<Finding> {
    vec![
        interpreter("bash", "--version", "tools in Bash need it; install bash"),
        interpreter("python3", "--version", "only tools in Python need it"),
        interpreter("node", "--version", "only tools in JavaScript need it"),
    ]
}

fn interpreter(name: &'static str, flag: &str, missing: &str) -> Finding {
    let Some(path) = find(name) else {
        return Finding::odd(name, format!("{name} is not in PATH"), missing);
    };
    let place = shown(&path);
    let Some(version) = version(&path, flag) else {
        return Finding::bad(
            name,
            format!("{place} does not say its version"),
            format!("try {name} {flag}"),
        );
    };
    let text = format!("{name}: {version} ({place})");
    if cfg!(unix) && !always_found(&path) {
        let hint = format!(
            "desktop apps may not find {name}: their PATH is often shorter; pass on yours with linkspan config --with-path"
        );
        return Finding::odd(name, text, hint);
    }
    Finding::good(name, text)
}

/// Whether a program that was not started from a shell finds it.
pub(crate) fn always_found(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(Path::new(""));
    ALWAYS.iter().any(|always| folder == Path::new(always))
}

/// The program of that name that a shell would run.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let ending = std::env::consts::EXE_SUFFIX;
    std::env::split_paths(&path)
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

/// The first line that it prints.
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
    fn what_lies_in_a_usual_place_is_always_found() {
        assert!(always_found(Path::new("/usr/bin/bash")));
        assert!(!always_found(Path::new("/home/me/.nvm/bin/node")));
        assert!(!always_found(Path::new("/opt/homebrew/bin/bash")));
    }
}
