//! `mcp-bash validate`

use std::collections::VecDeque;
use std::path::Path;

use linkspan_mcp_bash::author::validate::{add_lint, defaults, message};
use linkspan_scripts::author::Report;
use linkspan_scripts::folder::Severity;
use serde_json::json;

use super::{flag, root, usage};
use crate::args::folder::Compat;
use crate::exit::Failure;
use crate::folder::{Reading, look, repair};
use crate::show::{indented, path as shown, raw, say};

pub(super) fn run(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let fix = flag(&mut words, "--fix");
    let json = flag(&mut words, "--json");
    let strict = flag(&mut words, "--strict");
    let _ = flag(&mut words, "--explain-defaults");
    let _ = flag(&mut words, "--inspector");
    let root = root(&mut words)?;
    if let Some(unknown) = words.front() {
        return Err(usage(&format!("validate: unknown option {unknown}")));
    }
    let how = Reading::plain(Compat::McpBash);
    let report = if fix {
        repair(|| whole(&root, &how))?
    } else {
        whole(&root, &how)?
    };
    let errors = report.count(Severity::Error);
    let warnings = report.count(Severity::Warning);
    let bad = errors + if strict { warnings } else { 0 };
    if json {
        let whole = json!({
            "projectRoot": root,
            "errors": errors,
            "warnings": warnings,
            "fixesApplied": report.fixed.len(),
            "strict": strict,
            "defaults": defaults(report.catalogue.as_ref()),
            "messages": report.problems.iter().map(message).collect::<Vec<_>>(),
        });
        raw(&whole.to_string());
        return Ok(u8::from(bad > 0));
    }
    say!("Validating project at {}...\n", shown(&root));
    for problem in &report.problems {
        let mark = match problem.severity {
            Severity::Error => '✗',
            Severity::Warning => '⚠',
        };
        say!(
            "{mark} {} - {}",
            shown(&problem.path),
            indented(&problem.text, "  ")
        );
    }
    let fixed = report.fixed.len();
    match (errors, fix) {
        (0, true) if fixed > 0 => {
            say!("All remaining issues are warnings. {fixed} file(s) were auto-fixed.");
        }
        (0, true) => say!("All checks passed (no errors)."),
        (0, false) => say!("All checks passed (warnings: {warnings})."),
        (n, true) => say!("{n} error(s) remaining. Please fix manually."),
        (n, false) => {
            say!("{n} error(s) found. Run 'mcp-bash validate --fix' to fix auto-fixable issues.");
        }
    }
    Ok(u8::from(bad > 0))
}

/// What keeps the project from being served as it is meant, and what its author should know.
fn whole(root: &Path, how: &Reading) -> Result<Report, Failure> {
    let mut report = look(root, how)?;
    add_lint(root, report.catalogue.as_ref(), &mut report.problems);
    Ok(report)
}
