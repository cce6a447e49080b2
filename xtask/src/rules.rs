//! `cargo xtask rules`: the rules of the sources that the compiler does not check.
//!
//! A rule that does not hold everywhere yet has a limit or a list of exceptions here. They must only get smaller.

mod columns;
mod crates;
mod environment;
mod modules;
mod sizes;
mod sources;
mod words;

use crate::paths;
use crate::report::Report;
use sources::Source;

pub fn run(report: &mut Report) {
    let root = paths::root();
    let sources = match Source::all(&root) {
        Ok(sources) => sources,
        Err(e) => {
            report.step("sources", || Err::<(), _>(format!("cannot read them: {e}")));
            return;
        }
    };
    report.step("modules of cli", || found(&modules::check(&sources)));
    report.step("crates", || found(&crates::check(&root)));
    report.step("sizes", || found(&sizes::check(&sources)));
    report.step("columns", || found(&columns::check(&root, &sources)));
    report.step("words", || found(&words::check(&root, &sources)));
    report.step("environment", || found(&environment::check(&sources)));
}

/// Violations, one per line.
fn found(violations: &[String]) -> Result<(), String> {
    if violations.is_empty() {
        return Ok(());
    }
    Err(violations.join("\n"))
}
