//! The entries and problems of a folder.

mod json;
mod text;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use linkspan_wire::escape_line;
use serde_json::Value;

pub use self::text::{Entries, WriteEntry};
use super::repair::Repair;
use crate::folder::{Catalogue, FolderError, Problem, Severity};

/// The entries and problems of a folder.
pub struct Report {
    /// `None` if the folder cannot be served at all.
    pub catalogue: Option<Catalogue>,
    /// The remaining problems.
    pub problems: Vec<Problem>,
    /// The repairs that were made.
    pub fixed: Vec<Repair>,
    /// The repairs that failed.
    pub failed: Vec<(PathBuf, io::Error)>,
}

impl Report {
    /// The report of a folder; an error if the folder is missing or unreadable.
    pub fn of(read: Result<Catalogue, FolderError>) -> Result<Self, FolderError> {
        match read {
            Ok(catalogue) => Ok(catalogue.into()),
            Err(e @ (FolderError::NotAFolder { .. } | FolderError::Unreadable { .. })) => Err(e),
            Err(e) => Ok((&e).into()),
        }
    }

    /// The number of problems of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        let all = self.problems.iter();
        all.filter(|problem| problem.severity == severity).count()
    }

    /// Whether there are no errors, and with `strict` no warnings.
    pub fn is_good(&self, strict: bool) -> bool {
        self.count(Severity::Error) == 0 && !(strict && self.count(Severity::Warning) > 0)
    }

    /// Writes the report as coloured text. `fixed` tells whether repairs were attempted.
    pub fn write(&self, out: &mut dyn Write, entries: &Entries, fixed: bool) -> io::Result<()> {
        text::write(self, out, entries, fixed)
    }

    /// The report as JSON; `good` is its member `ok`.
    pub fn to_json(&self, good: bool) -> Value {
        json::json(self, good)
    }
}

/// The number of entries of each kind, as text.
pub fn summary(catalogue: &Catalogue) -> String {
    let count = |n: usize, one: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {one}s"),
    };
    let resources = catalogue.resources.len() + catalogue.templates.len();
    [
        count(catalogue.tools.len(), "tool"),
        count(resources, "resource"),
        count(catalogue.prompts.len(), "prompt"),
    ]
    .join(", ")
}

/// The number of entries that are not offered because of an error.
pub fn errors(catalogue: &Catalogue) -> usize {
    let all = catalogue.problems.iter();
    all.filter(|problem| problem.severity == Severity::Error)
        .count()
}

fn repaired(repair: &Repair) -> String {
    format!("{} {} now", shown(&repair.path), repair.effect)
}

/// A path, escaped to one line.
pub(super) fn shown(path: &Path) -> String {
    escape_line(&path.to_string_lossy()).into_owned()
}

impl From<Catalogue> for Report {
    fn from(mut catalogue: Catalogue) -> Self {
        Self {
            problems: std::mem::take(&mut catalogue.problems),
            catalogue: Some(catalogue),
            fixed: Vec::new(),
            failed: Vec::new(),
        }
    }
}

/// The report of a folder that cannot be served.
impl From<&FolderError> for Report {
    fn from(error: &FolderError) -> Self {
        let hint = error.hint();
        let problem = match error {
            FolderError::ServerFile(problem) => Problem {
                hint,
                ..Problem::clone(problem)
            },
            _ => Problem {
                severity: Severity::Error,
                path: PathBuf::from("."),
                line: None,
                text: error.to_string(),
                hint,
                fix: error.fix(),
            },
        };
        Self {
            catalogue: None,
            problems: vec![problem],
            fixed: Vec::new(),
            failed: Vec::new(),
        }
    }
}
