//! `cargo xtask tokens`: the savings on the corpus, with TOON and minified JSON beside them. `cargo xtask vocabulary`:
//! the vocabularies that are part of the program. `cargo xtask tool-tokens`: what the levels of tool lists save.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use crate::child;
use crate::paths::{cargo, root};
use crate::report::Report;

const BUILD: Duration = Duration::from_secs(20 * 60);
const RUN: Duration = Duration::from_secs(20 * 60);

pub fn run(args: &[&str]) -> ExitCode {
    let toon = toon().inspect_err(|why| eprintln!("TOON is not available: {why}"));
    let mut measure = cargo("run --quiet -p linkspan-shrink --example tokens --");
    // Files are relative to the user's folder, and not to the root.
    measure.args(args.iter().map(|arg| absolute(arg)));
    if let Ok(toon) = toon {
        measure.env("LINKSPAN_TOON", toon);
    }
    exit_of(child::run(&mut measure, RUN))
}

/// Measures the lists of tools of real servers, or of files.
pub fn tool_lists(args: &[&str]) -> ExitCode {
    let mut measure = cargo("run --quiet -p linkspan-tool-lists --example tool_tokens --");
    measure.args(args.iter().map(|arg| absolute(arg)));
    exit_of(child::run(&mut measure, RUN))
}

fn exit_of(run: Result<(), String>) -> ExitCode {
    match run {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Packs the published vocabularies.
pub fn vocabulary(report: &mut Report) {
    report.step("pack the vocabularies", || {
        let mut pack = cargo("run --quiet --locked -p linkspan-tokens --example vocabulary");
        child::run(&mut pack, BUILD)
    });
}

/// The program that converts JSON to TOON. It is not part of the workspace.
fn toon() -> Result<PathBuf, String> {
    let target = root().join("bench").join("target");
    let mut build = cargo("build --quiet --release --locked --manifest-path bench/toon/Cargo.toml");
    build.arg("--target-dir").arg(&target);
    child::capture(&mut build, BUILD)?;
    Ok(target.join("release").join("bench-toon"))
}

fn absolute(arg: &str) -> PathBuf {
    match PathBuf::from(arg) {
        path if path.exists() => std::path::absolute(&path).unwrap_or(path),
        other => other,
    }
}
