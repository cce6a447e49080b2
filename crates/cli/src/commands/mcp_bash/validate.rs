//! `mcp-bash validate`

use std::path::Path;

use linkspan_mcp_bash::FolderLayout;
use linkspan_mcp_bash::author::validate::{Validation, add_lint};
use linkspan_mcp_bash::author::{UsageError, Words};
use linkspan_scripts::author::Report;

use super::root;
use crate::exit::Failure;
use crate::folder::{look, reading, repair};
use crate::show::{self, raw};

pub(super) fn run(mut words: Words) -> Result<u8, Failure> {
    let fix = words.flag("--fix");
    let json = words.flag("--json");
    let strict = words.flag("--strict");
    let _ = words.flag("--explain-defaults");
    let _ = words.flag("--inspector");
    let root = root(&mut words)?;
    if let Some(word) = words.take() {
        let verb = "validate";
        return Err(UsageError::UnknownOption { verb, word }.into());
    }
    let report = if fix {
        repair(|| whole(&root))?
    } else {
        whole(&root)?
    };
    let found = Validation {
        root: &root,
        report: &report,
        fix,
        strict,
    };
    if json {
        raw(&found.to_json().to_string());
    } else {
        show::print(|out| found.write(out));
    }
    Ok(u8::from(!found.is_good()))
}

/// The problems of the project, and the lint for its author.
fn whole(root: &Path) -> Result<Report, Failure> {
    let mut report = look(root, &reading(), FolderLayout::McpBash)?;
    add_lint(root, &mut report);
    Ok(report)
}
