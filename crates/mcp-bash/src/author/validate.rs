//! `mcp-bash validate`: problems of a project, in mcp-bash's output format.

use std::io::{self, Write};
use std::path::Path;

use linkspan_scripts::author::Report;
use linkspan_scripts::folder::{Catalogue, Problem, Severity};
use linkspan_wire::escape_block;
use serde_json::{Value, json};

use super::error::shown;
use super::lint;

/// Adds what [`lint::look`] finds, and sorts the problems.
pub fn add_lint(root: &Path, report: &mut Report) {
    let server = defaults(report.catalogue.as_ref())["name"].take();
    let problems = &mut report.problems;
    problems.extend(lint::look(root, server.as_str().unwrap_or_default()));
    problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
}

/// The result of `validate`.
pub struct Validation<'a> {
    /// The project.
    pub root: &'a Path,
    /// The problems, including those of [`add_lint`].
    pub report: &'a Report,
    /// Whether repairs were attempted.
    pub fix: bool,
    /// Whether warnings count as errors.
    pub strict: bool,
}

impl Validation<'_> {
    /// Whether the project may be served.
    pub fn is_good(&self) -> bool {
        self.report.is_good(self.strict)
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let report = self.report;
        json!({
            "projectRoot": self.root,
            "errors": report.count(Severity::Error),
            "warnings": report.count(Severity::Warning),
            "fixesApplied": report.fixed.len(),
            "strict": self.strict,
            "defaults": defaults(report.catalogue.as_ref()),
            "messages": report.problems.iter().map(message).collect::<Vec<_>>(),
        })
    }

    /// Writes the report as text.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let report = self.report;
        writeln!(out, "Validating project at {}...\n", shown(self.root))?;
        for problem in &report.problems {
            let mark = match problem.severity {
                Severity::Error => '✗',
                Severity::Warning => '⚠',
            };
            let text = escape_block(&problem.text, "  ");
            writeln!(out, "{mark} {} - {text}", shown(&problem.path))?;
        }
        let errors = report.count(Severity::Error);
        let warnings = report.count(Severity::Warning);
        match (errors, self.fix, report.fixed.len()) {
            (0, true, 0) => writeln!(out, "All checks passed (no errors)."),
            (0, true, fixed) => writeln!(
                out,
                "All remaining issues are warnings. {fixed} file(s) were auto-fixed."
            ),
            (0, false, _) => writeln!(out, "All checks passed (warnings: {warnings})."),
            (n, true, _) => writeln!(out, "{n} error(s) remaining. Please fix manually."),
            (n, false, _) => writeln!(
                out,
                "{n} error(s) found. Run 'mcp-bash validate --fix' to fix auto-fixable issues."
            ),
        }
    }
}

/// Name, title and version of the server.
fn defaults(catalogue: Option<&Catalogue>) -> Value {
    let shown = catalogue.map(|all| &all.server.shown);
    let part = |name: &str| shown.map_or(Value::Null, |shown| shown[name].clone());
    json!({ "name": part("name"), "title": part("title"), "version": part("version") })
}

/// A problem as an entry of `messages`.
fn message(problem: &Problem) -> Value {
    let level = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let section = problem.path.components().next();
    let section = section.map(|part| part.as_os_str().to_string_lossy().into_owned());
    let known = ["tools", "prompts", "resources"];
    let section = section.filter(|section| known.contains(&section.as_str()));
    json!({
        "level": level,
        "section": section.unwrap_or_else(|| "server".to_owned()),
        "message": format!("{} - {}", problem.path.to_string_lossy(), problem.text),
    })
}
