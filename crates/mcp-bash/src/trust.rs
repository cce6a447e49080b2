//! The trust rule for the files that a project runs or reads.

use std::ffi::OsString;
use std::fmt;
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};

use super::meta;
use super::places::Places;
use super::project::Project;
use linkspan_scripts::folder::{self, Fix, FolderError, Problem, Severity};
use linkspan_scripts::host::{self, Start, Trust, WalkError};

/// Limit of files and folders that are checked per project.
const MOST: usize = 20_000;

/// Why a file is not trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distrust {
    /// The file, or a folder above it.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: Why,
}

/// Why a file is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It points elsewhere.
    Symlink,
    /// Other users can write to it.
    Writable,
    /// It belongs to another user.
    Owner,
    /// It does not exist, or cannot be examined.
    Unreadable,
}

impl std::error::Error for Distrust {}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        let name = name.to_string_lossy();
        match self.why {
            Why::Symlink => write!(f, "{name} is a symbolic link"),
            Why::Writable => write!(f, "{name} can be written by others"),
            Why::Owner => write!(f, "{name} belongs to another user"),
            Why::Unreadable => write!(f, "{name} cannot be examined"),
        }
    }
}

/// Checks that only this user can write a sourced script and everything on its path. It must not be a link or
/// be reached through one.
pub fn script(path: &Path, root: &Path) -> Result<(), Distrust> {
    let folder = path.parent().unwrap_or(root);
    for path in [path, folder, root] {
        alone(path)?;
    }
    walked(path, root)
}

/// Whether a tool is inside the folder of tools, and only this user can write it and its path.
pub fn is_tool(path: &Path, tools: &Path, accept_writable: bool) -> bool {
    let (Ok(real), Ok(tools)) = (path.canonicalize(), tools.canonicalize()) else {
        return false;
    };
    real.starts_with(&tools) && Trust::new(accept_writable).walk(path, &tools).is_ok()
}

/// Checks whether a project may be served, by the rule for all folders. `root` is `given` without links.
pub fn folder(given: &Path, root: &Path, accept_writable: bool) -> Result<(), FolderError> {
    host::trusted_root(&Trust::new(accept_writable), given, root)
}

/// The problem of a file that is not read because other users can write it.
pub(super) fn refusal(file: &Path, places: &Places) -> Option<Problem> {
    let trust = Trust::new(places.accept_writable);
    let Err(WalkError::Untrusted(found)) = trust.walk(file, &places.root) else {
        return None;
    };
    let why = if found.path == file {
        found.why.to_string()
    } else {
        found.to_string()
    };
    let text = format!("is left out: {why}");
    let mut problem = meta::problem(places.relative(file), Severity::Error, text);
    problem.hint = Some(found.why.hint().to_owned());
    let can_be_fixed = matches!(found.why, folder::Distrust::Writable(_));
    if can_be_fixed && found.path.starts_with(&places.root) {
        problem.fix = Some(Fix::MakePrivate(found.path));
    }
    Some(problem)
}

/// Opens a trusted file of a project: metadata, a text, a page.
pub(super) fn open(file: &Path, places: &Places) -> Result<File, Box<Problem>> {
    if let Some(problem) = refusal(file, places) {
        return Err(problem.into());
    }
    File::open(file).map_err(|error| {
        let path = places.relative(file);
        meta::problem(path, Severity::Error, error.to_string()).into()
    })
}

/// The files that a command line executes: the program, and the script of an interpreter.
pub(super) fn executed(words: &[OsString]) -> Vec<PathBuf> {
    let paths = words.iter().map(PathBuf::from);
    paths.filter(|path| path.is_absolute()).take(1).collect()
}

/// Problems for the author: code in the project, and programs that run it, that other users can write.
pub(super) fn problems(project: &Project) -> Vec<Problem> {
    let places = &project.places;
    let trust = Trust::new(places.accept_writable);
    let mut problems = host::untrusted_code(&trust, &places.root, MOST, false);
    let told = |new: &Problem| {
        let mut known = project.problems.iter();
        known.any(|known| known.path == new.path && known.hint == new.hint)
    };
    problems.retain(|new| !told(new));
    let tools = project
        .tools
        .iter()
        .filter_map(|tool| meta::text(tool, "path"));
    let mut programs: Vec<PathBuf> = tools.map(|path| places.tools.join(path)).collect();
    programs.extend(meta::files(&places.providers));
    let path = project.vars.get("PATH").unwrap_or_default();
    let mut check = |file: &Path, words: &[OsString]| {
        let start = Start {
            words,
            env: &[("PATH".into(), path.into())],
            cwd: &places.root,
        };
        if let Ok(program) = start.program()
            && let Err(WalkError::Untrusted(found)) = trust.program(&program, start, &places.root)
            && !found.path.starts_with(&places.root)
        {
            let text = format!("is not run: its interpreter is not trusted: {found}");
            let mut problem = meta::problem(places.relative(file), Severity::Error, text);
            problem.hint = Some(found.repair());
            problems.push(problem);
        }
    };
    for file in programs {
        check(&file, &meta::argv(&file).unwrap_or_default());
    }
    for hook in ["policy.sh", "register.sh", "env.sh", "health-checks.sh"] {
        let hook = places.server.join(hook);
        if hook.is_file() {
            check(&hook, &["bash".into()]);
        }
    }
    problems
}

fn walked(path: &Path, root: &Path) -> Result<(), Distrust> {
    match Trust::new(false).walk(path, root) {
        Ok(()) => Ok(()),
        Err(WalkError::Untrusted(found)) => Err(Distrust {
            path: found.path,
            why: match found.why {
                folder::Distrust::Writable(_) => Why::Writable,
                folder::Distrust::Foreign(_) => Why::Owner,
            },
        }),
        Err(WalkError::Io { path, .. }) => Err(Distrust {
            path,
            why: Why::Unreadable,
        }),
    }
}

fn alone(path: &Path) -> Result<(), Distrust> {
    let distrust = |why| Distrust {
        path: path.to_owned(),
        why,
    };
    let meta = path
        .symlink_metadata()
        .map_err(|_| distrust(Why::Unreadable))?;
    match judge(path, &meta) {
        None => Ok(()),
        Some(why) => Err(distrust(why)),
    }
}

fn judge(path: &Path, meta: &Metadata) -> Option<Why> {
    if meta.file_type().is_symlink() {
        return Some(Why::Symlink);
    }
    Trust::new(false).judge(path, meta).map(|why| match why {
        folder::Distrust::Writable(_) => Why::Writable,
        folder::Distrust::Foreign(_) => Why::Owner,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn files_writable_by_others_are_not_trusted() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("x.sh");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(script(&file, root.path()), Ok(()));
        assert!(is_tool(&file, root.path(), false));
        for mode in [0o666, 0o646] {
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            assert_eq!(script(&file, root.path()).unwrap_err().why, Why::Writable);
            assert!(!is_tool(&file, root.path(), false));
            assert!(is_tool(&file, root.path(), true));
        }
    }

    #[test]
    fn parent_folders_and_links_are_checked() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("server.d");
        fs::create_dir(&folder).unwrap();
        let file = folder.join("policy.sh");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
        assert_eq!(script(&file, root.path()).unwrap_err().path, folder);
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        let link = folder.join("link.sh");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(script(&link, root.path()).unwrap_err().why, Why::Symlink);
        assert!(!is_tool(&file, &root.path().join("tools"), false));
    }
}
