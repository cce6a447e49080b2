//! What a folder offers, and its problems.

use std::io;
use std::path::PathBuf;

use super::repair::Repair;
use crate::folder::{Catalogue, FolderError, Problem, Severity};

/// What a folder offers, and its problems.
pub struct Report {
    /// `None` if the folder cannot be served at all.
    pub catalogue: Option<Catalogue>,
    /// The problems that are there now.
    pub problems: Vec<Problem>,
    /// The repairs that were made.
    pub fixed: Vec<Repair>,
    /// The repairs that failed.
    pub failed: Vec<(PathBuf, io::Error)>,
}

impl Report {
    /// The number of problems of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        let all = self.problems.iter();
        all.filter(|problem| problem.severity == severity).count()
    }

    /// Whether there are no errors, and with `strict` no warnings either.
    pub fn is_good(&self, strict: bool) -> bool {
        self.count(Severity::Error) == 0 && !(strict && self.count(Severity::Warning) > 0)
    }
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

/// A folder that cannot be served at all.
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
