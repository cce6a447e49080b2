//! Ignored files, and code that other users can write.

use std::fs;
use std::path::{Path, PathBuf};

use super::ENTRY_FOLDERS;
use super::catalogue::{Fix, Ignored, Problem, Severity};
use super::listing::{Item, Listing, ignored};
use super::meta::Meta;
use super::reader::Reader;
use super::server::SERVER_FILES;
use crate::trust::{Distrust, Trust, Untrusted};

/// Limits of scanned files while a folder is served, and for `validate`.
const SOME: usize = 2_000;
const MANY: usize = 200_000;

/// The file with the server's instructions for the model.
const INSTRUCTIONS: &str = "instructions.md";

/// Whether the reader uses a file or folder of this name in the root.
fn is_known(name: &str) -> bool {
    ENTRY_FOLDERS.contains(&name) || SERVER_FILES.contains(&name) || name == INSTRUCTIONS
}

impl Reader<'_> {
    /// Records a file or folder that is not used.
    pub(super) fn ignore(&mut self, path: &Path, why: impl Into<String>) {
        self.ignored.push(Ignored {
            path: path.to_owned(),
            why: why.into(),
        });
    }

    /// Whether the metadata disables the entry.
    pub(super) fn disabled(&mut self, item: &Item, meta: &Meta) -> bool {
        let off = meta.flag("enabled") == Some(false);
        if off {
            self.ignore(&item.shown, "`enabled: false`");
        }
        off
    }

    /// Records folders where only files are used.
    pub(super) fn ignore_folders(&mut self, listing: &Listing) {
        for folder in &listing.folders {
            self.ignore(&folder.shown, "only files are used here");
        }
    }

    /// Records the files in the root that are not used.
    pub(super) fn ignore_strangers(&mut self) {
        let mut names: Vec<_> = fs::read_dir(&self.root)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name())
            .filter(|name| !name.to_str().is_some_and(is_known))
            .collect();
        names.sort();
        for name in names {
            let why = name.to_str().and_then(ignored);
            let why = why.unwrap_or_else(|| "it is not part of a server".to_owned());
            self.ignore(Path::new(&name), why);
        }
    }

    /// Reports code that other users can write, unless its path has a problem already.
    pub(super) fn judge_helpers(&mut self) {
        let most = if self.options.thorough { MANY } else { SOME };
        let problems = untrusted_code(&self.trust, &self.root, most, self.options.thorough);
        for problem in problems {
            let same = |known: &Problem| known.path == problem.path;
            if !self.problems.iter().any(same) {
                self.problems.push(problem);
            }
        }
    }
}

/// Code that other users can write, as problems. If `thorough`, it is also a problem when there are more files
/// than the limit of the scan.
pub fn untrusted_code(trust: &Trust, root: &Path, most: usize, thorough: bool) -> Vec<Problem> {
    let scan = trust.scan(root, most);
    let mut problems: Vec<Problem> = scan
        .found
        .into_iter()
        .map(|found| problem(root, found))
        .collect();
    if scan.cut && thorough {
        problems.push(Problem {
            severity: Severity::Warning,
            path: PathBuf::from("."),
            line: None,
            text: format!("has more than {most} files; the owners of the others were not checked"),
            hint: None,
            fix: None,
        });
    }
    problems
}

fn problem(root: &Path, Untrusted { path, why }: Untrusted) -> Problem {
    Problem {
        severity: Severity::Error,
        path: path.strip_prefix(root).unwrap_or(&path).to_owned(),
        line: None,
        text: format!("cannot be trusted, and scripts may run code in it: {why}"),
        hint: Some(why.hint().to_owned()),
        fix: matches!(why, Distrust::Writable(_)).then(|| Fix::MakePrivate(path)),
    }
}
