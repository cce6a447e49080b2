//! Reports problems of a folder to the log and to clients.

use linkspan_mcp::Level;
use linkspan_wire::escape_line;

use super::Folder;
use crate::folder::{Catalogue, Problem, Severity};
use crate::run::observer::News;

/// Limit of warnings reported one by one when a folder is opened; above it only their number is reported.
const FEW: usize = 5;
/// Limit of diagnostics sent to a new client.
const FIRST: usize = 20;

/// A message for the log, and for clients as `notifications/message`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub level: Level,
    /// One line.
    pub text: String,
}

impl Diagnostic {
    pub(crate) fn warning(text: &str) -> Self {
        Self {
            level: Level::WARNING,
            text: escape_line(text).into_owned(),
        }
    }

    fn of(problem: &Problem) -> Self {
        Self {
            level: match problem.severity {
                Severity::Error => Level::ERROR,
                Severity::Warning => Level::WARNING,
            },
            text: told(problem),
        }
    }
}

impl Folder {
    /// Writes to the log and sends to every client.
    pub(crate) fn diagnose(&self, level: Level, text: &str) {
        let text = escape_line(text).into_owned();
        if level >= Level::ERROR {
            tracing::error!("{text}")
        } else {
            tracing::warn!("{text}")
        }
        let _ = self
            .events
            .send(News::Diagnostic(Diagnostic { level, text }));
    }

    /// Reports problems that did not exist before.
    pub(super) fn diagnose_new(&self, old: &Catalogue, new: &Catalogue) {
        let is_new = |problem: &&Problem| !old.problems.contains(problem);
        for problem in new.problems.iter().filter(is_new) {
            let diagnostic = Diagnostic::of(problem);
            tracing::warn!("{}", diagnostic.text);
            let _ = self.events.send(News::Diagnostic(diagnostic));
        }
    }
}

/// The diagnostics for a new client: the errors, because entries are missing. Warnings are for the author.
pub(super) fn first(catalogue: &Catalogue) -> Vec<Diagnostic> {
    let errors = catalogue.problems.iter();
    let errors = errors.filter(|problem| problem.severity == Severity::Error);
    let mut all: Vec<Diagnostic> = errors.map(Diagnostic::of).collect();
    if all.len() > FIRST {
        let more = all.len() - FIRST;
        all.truncate(FIRST);
        all.push(Diagnostic {
            level: Level::WARNING,
            text: format!("{more} more errors: `linkspan validate` shows all of them"),
        });
    }
    all
}

/// All errors, and the warnings if they are few.
fn worth_telling(catalogue: &Catalogue) -> impl Iterator<Item = &Problem> {
    let few = warnings(catalogue) <= FEW;
    let problems = catalogue.problems.iter();
    problems.filter(move |problem| few || problem.severity == Severity::Error)
}

fn warnings(catalogue: &Catalogue) -> usize {
    let problems = catalogue.problems.iter();
    problems
        .filter(|problem| problem.severity == Severity::Warning)
        .count()
}

/// Logs the problems of a newly opened folder; with `tool`, only those of that tool.
pub(super) fn log(catalogue: &Catalogue, tool: Option<&str>) {
    if let Some(tool) = tool {
        for problem in catalogue.problems.iter().filter(|p| concerns(p, tool)) {
            tracing::warn!("{}", told(problem));
        }
        return;
    }
    for problem in worth_telling(catalogue) {
        tracing::warn!("{}", told(problem));
    }
    let count = warnings(catalogue);
    if count > FEW {
        for problem in &catalogue.problems {
            if problem.severity == Severity::Warning {
                tracing::info!("{}", told(problem));
            }
        }
        let root = escape_line(&catalogue.root.to_string_lossy()).into_owned();
        tracing::warn!("{count} warnings about the folder: `linkspan validate {root}` shows them");
    }
}

/// Whether a problem concerns the files of a tool: `tools/NAME.*`, or files in `tools/NAME`. A tool that was
/// left out because of the problem has no entry to look up.
fn concerns(problem: &Problem, tool: &str) -> bool {
    let mut parts = problem.path.iter().map(|part| part.to_string_lossy());
    if parts.next().as_deref() != Some("tools") {
        return false;
    }
    parts.any(|part| {
        let name = part.strip_prefix(tool);
        name.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// A problem on one line.
pub(super) fn told(problem: &Problem) -> String {
    let line = problem
        .line
        .map_or_else(String::new, |line| format!(":{line}"));
    let place = if problem.path.as_os_str() == "." {
        // The text of a problem with the folder itself names the folder.
        String::new()
    } else {
        format!("{}{line}: ", problem.path.display())
    };
    let hint = problem
        .hint
        .as_ref()
        .map_or_else(String::new, |hint| format!(" ({hint})"));
    escape_line(&format!("{place}{}{hint}", problem.text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_assigned_to_their_tool() {
        let problem = |path: &str| Problem {
            severity: Severity::Error,
            path: path.into(),
            line: None,
            text: String::new(),
            hint: None,
            fix: None,
        };
        for path in ["tools/a.sh", "tools/a.meta.yaml", "tools/x/a/tool.py"] {
            assert!(concerns(&problem(path), "a"), "{path}");
        }
        for path in ["tools/ab.sh", "tools/b.sh", "prompts/a.md", "server.yaml"] {
            assert!(!concerns(&problem(path), "a"), "{path}");
        }
    }
}
