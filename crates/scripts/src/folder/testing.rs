//! Folders for tests.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use super::{Catalogue, ReadOptions, Severity};

/// The default options, with the environment of the test.
pub(super) fn options() -> ReadOptions {
    ReadOptions {
        env: std::env::vars_os().collect(),
        ..ReadOptions::default()
    }
}

/// A temporary folder.
pub(super) struct Folder {
    dir: tempfile::TempDir,
}

impl Folder {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self { dir }
    }

    pub(super) fn root(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap()
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(super) fn file(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        self.mode(
            path.strip_prefix(self.root()).unwrap().to_str().unwrap(),
            0o644,
        );
    }

    pub(super) fn script(&self, path: &str, text: &str) {
        self.file(path, text);
        self.mode(path, 0o755);
    }

    /// Writes a tool with a description.
    pub(super) fn tool(&self, name: &str) {
        self.script(&format!("tools/{name}.sh"), "#!/bin/sh\n# A tool.\n");
    }

    pub(super) fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(super) fn link(&self, target: &str, link: &str) {
        let link = self.path(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, link).unwrap();
    }

    pub(super) fn read(&self) -> Catalogue {
        Catalogue::read(self.dir.path(), &options()).unwrap()
    }

    /// The problems, one line each.
    pub(super) fn problems(&self, catalogue: &Catalogue) -> Vec<String> {
        let problems = catalogue.problems.iter().map(|problem| {
            let severity = match problem.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let line = problem.line.map(|line| format!(":{line}"));
            let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})"));
            format!(
                "{severity} {}{}: {}{}",
                problem.path.display(),
                line.unwrap_or_default(),
                problem.text,
                hint.unwrap_or_default()
            )
        });
        problems.collect()
    }
}
