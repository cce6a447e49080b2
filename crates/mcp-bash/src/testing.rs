//! Projects for tests.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use super::env::Tooling;
use super::places::Places;
use super::project::Project;
use super::vars::Vars;

/// A project with these files; scripts are executable.
pub(crate) fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Project) {
    project_with(files, &[])
}

/// As [`project`], with an environment.
pub(crate) fn project_with(
    files: &[(&str, &str)],
    vars: &[(&str, &str)],
) -> (tempfile::TempDir, Project) {
    let root = folder(files);
    let path = std::env::var("PATH").unwrap_or_default();
    let vars: Vars = vars
        .iter()
        .copied()
        .chain([("PATH", path.as_str())])
        .collect();
    let project = Project::read(root.path(), &vars, &Tooling::default()).unwrap();
    (root, project)
}

/// A folder with these files, and the places of a project in it.
pub(crate) fn places(files: &[(&str, &str)]) -> (tempfile::TempDir, Places) {
    let root = folder(files);
    let places = Places::of(root.path(), &Vars::default());
    (root, places)
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    root
}
