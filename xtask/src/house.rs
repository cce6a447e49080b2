//! `cargo xtask house`: the rules of the sources that the compiler does not check.
//!
//! A rule that does not hold everywhere yet has a limit or a list of exceptions here. They only ever get smaller.

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
    let sources = match Source::all(&paths::root()) {
        Ok(sources) => sources,
        Err(e) => {
            report.step("sources", || Err::<(), _>(format!("cannot read them: {e}")));
            return;
        }
    };
    report.step("modules of cli", || found(&modules::check(&sources)));
    report.step("crates", || found(&crates::check(&paths::root())));
    report.step("sizes", || found(&sizes::check(&sources)));
    report.step("words", || found(&words::check(&paths::root(), &sources)));
    report.step("environment", || found(&environment::check(&sources)));
}

/// Violations, one per line.
fn found(violations: &[String]) -> Result<(), String> {
    if violations.is_empty() {
        return Ok(());
    }
    Err(violations.join("\n"))
}
