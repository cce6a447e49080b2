//! The default grants at level 2: paths that most programs need, the interpreters of the program, and the files
//! that its variables name.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Programs, libraries and settings of the system, to read and execute. Missing paths are left out. File
/// permissions still apply, so only root can read `/etc/shadow`: a server should not run as root.
///
/// All of `/proc`: a program looks itself up under its own pid, and its children under theirs, which are not
/// known in advance. The kernel still hides the environment, memory and files of processes outside the sandbox,
/// but not their command lines, which are public.
pub(super) const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/etc",
    // Often a link out of `/etc`.
    "/etc/resolv.conf",
    "/nix/store",
    "/gnu/store",
    "/var/lib/ca-certificates",
    "/proc",
    // The number of processors, and the share of this process.
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
    "/sys/kernel/mm",
];

/// To read and write. Not the terminal: a server has no user at one.
pub(super) const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// Variables that name a file or folder to read.
const READ: &[&str] = &[
    "MCP_SDK",
    "MCPBASH_JSON_TOOL_BIN",
    "MCP_TOOL_ARGS_FILE",
    "MCP_TOOL_META_FILE",
];

/// Variables that name a file to write.
const WRITTEN: &[&str] = &[
    "MCP_PROGRESS_STREAM",
    "MCP_LOG_STREAM",
    "MCP_TOOL_ERROR_FILE",
    "MCP_TOOL_RESOURCES_FILE",
];

/// Variables that name a file which the program creates, in a folder for this one call.
const MADE: &[&str] = &["MCP_ELICIT_REQUEST_FILE", "MCP_ELICIT_RESPONSE_FILE"];

/// Looks up a variable of the confined process.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The files that linkspan's variables name, to read.
pub(super) fn told_to_read(env: Variables<'_>) -> impl Iterator<Item = PathBuf> {
    named_by(READ, env)
}

/// The files that linkspan's variables name, to write.
pub(super) fn told_to_write(env: Variables<'_>) -> impl Iterator<Item = PathBuf> {
    let folders = named_by(MADE, env).filter_map(|file| Some(file.parent()?.to_owned()));
    named_by(WRITTEN, env).chain(folders)
}

fn named_by(names: &'static [&'static str], env: Variables<'_>) -> impl Iterator<Item = PathBuf> {
    let values = names.iter().filter_map(|name| env(name));
    values.filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Limit of nested interpreters.
const DEPTH: usize = 4;

/// The files that execute the program: itself, its interpreters, and their installations. Most belong to the
/// system, but languages are often installed in a home folder.
pub(super) fn interpreters(program: &OsStr, env: Variables<'_>) -> Vec<PathBuf> {
    let mut granted = Vec::new();
    let mut next = find(program, env);
    for _ in 0..DEPTH {
        let Some(path) = next else { break };
        let target = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        next = interpreter(&target, env);
        for path in [path, target] {
            if !is_of_the_system(&path) {
                granted.extend(installation(&path));
                granted.push(path);
            }
        }
    }
    granted
}

/// Looks up a name without a slash in `PATH`.
fn find(program: &OsStr, env: Variables<'_>) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.parent().is_some_and(|parent| parent != Path::new("")) {
        return Some(path.to_owned());
    }
    let folders = env("PATH")?;
    let found = std::env::split_paths(&folders).map(|folder| folder.join(program));
    found.into_iter().find(|path| path.is_file())
}

/// The interpreter of the `#!` line: a path, or a name that `env` looks up.
fn interpreter(script: &Path, env: Variables<'_>) -> Option<PathBuf> {
    let mut head = [0; 256];
    let read = File::open(script).ok()?.read(&mut head).ok()?;
    let line = head[..read].strip_prefix(b"#!")?;
    let line = line.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_ascii_whitespace();
    let first = Path::new(words.next()?);
    if first.file_name() != Some(OsStr::new("env")) {
        return Some(first.to_owned());
    }
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    find(&OsString::from(name), env)
}

fn is_of_the_system(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// For `X/bin/python`, the folders of X that belong to it, but not all of X, which may be a home folder.
fn installation(path: &Path) -> Vec<PathBuf> {
    let bin = path.parent().filter(|folder| folder.ends_with("bin"));
    let Some(whole) = bin.and_then(Path::parent) else {
        return Vec::new();
    };
    let parts = ["bin", "lib", "lib64", "libexec", "pyvenv.cfg"];
    parts.iter().map(|part| whole.join(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_in_a_home_folder_is_granted_by_its_parts() {
        let parts = installation(Path::new("/home/me/.lang/bin/python"));
        assert!(parts.contains(&"/home/me/.lang/lib".into()));
        assert!(!parts.contains(&"/home/me/.lang".into()));
        assert_eq!(installation(Path::new("/home/me/tool")), [] as [&Path; 0]);
    }

    #[test]
    fn the_interpreter_is_followed_through_env_and_links() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("bin")).unwrap();
        fs::write(at("bin/lang"), "").unwrap();
        let script = format!("#!{} -x\n", at("bin/lang").display());
        fs::write(at("script"), script).unwrap();
        fs::write(at("by-env"), "#!/usr/bin/env -S X=1 sh -e\n").unwrap();
        fs::write(at("bin/sh"), "").unwrap();
        let path = at("bin").into_os_string();
        let env: Variables<'_> = &|name| (name == "PATH").then(|| path.clone());
        let found = interpreters(at("script").as_os_str(), env);
        assert!(found.contains(&at("bin/lang")));
        assert!(found.contains(&at("lib")));
        assert_eq!(interpreter(&at("by-env"), env), Some(at("bin/sh")));
        assert_eq!(interpreters(OsStr::new("/bin/sh"), env), [] as [&Path; 0]);
    }
}
