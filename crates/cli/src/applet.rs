//! Names under which scripts start this program, perhaps many times a second, so no other setup is done for them.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use linkspan_dropin::Program;
use linkspan_scripts::sandbox;
use tracing::level_filters::LevelFilter;

use crate::args::LogArgs;
use crate::commands::{dropin, jq, mcp_bash};
use crate::exit::Exit;
use crate::log;
use crate::show::printed;

/// Exit code of `__exec` when the script was not started: what shells use for "cannot execute".
const NOT_RUN: u8 = 126;

/// Runs `linkspan jq …`, `linkspan mcp-bash …`, `linkspan mcp-remote …` and their like, or this program under these
/// names.
pub(crate) fn run() -> Option<ExitCode> {
    let mut words = std::env::args_os();
    let us = words.next()?;
    let called = Path::new(&us).file_stem()?.to_owned();
    let is_ours = ["jq", "mcp-bash"].iter().any(|name| called == *name);
    let is_bridge = called.to_str().and_then(Program::named).is_some();
    let is_ours = is_ours || is_bridge;
    let name = if is_ours { called } else { words.next()? };
    let words: Vec<OsString> = words.collect();
    // A copy that is called mcp-remote starts itself for this, and no line of mcp-remote looks like it.
    if is_bridge && words.first().is_some_and(|word| word == "auth") {
        return None;
    }
    match name.to_str()? {
        // Starts a script in its sandbox.
        "__exec" if !is_ours => Some(exec(words)),
        "__watch" if !is_ours => Some(match linkspan_scripts::watch_over(&words) {
            Ok(()) => ExitCode::SUCCESS,
            // A watchdog has no stderr.
            Err(_) => Exit::Usage.into(),
        }),
        // The help of the command line; under its own name jq prints its own.
        "jq" if !is_ours && asks_for_help(&words) => None,
        "jq" => Some(jq::run(&words).into()),
        "mcp-bash" => Some(mcp_bash_command(words)),
        name => Some(crate::end(dropin::run(Program::named(name)?, words))),
    }
}

/// Becomes the script. Returns only on failure.
fn exec(words: Vec<OsString>) -> ExitCode {
    let Err(reason) = sandbox::exec(words, &|name| std::env::var_os(name));
    // If stderr is closed, only the exit code reports the failure.
    let _ = writeln!(io::stderr(), "linkspan: not run: {reason}");
    ExitCode::from(NOT_RUN)
}

/// Only words before `--` are flags.
fn asks_for_help(words: &[OsString]) -> bool {
    let mut flags = words.iter().take_while(|word| *word != "--");
    flags.any(|word| word == "--help" || word == "-h")
}

fn mcp_bash_command(words: Vec<OsString>) -> ExitCode {
    let log = LogArgs {
        verbose: 0,
        debug: false,
        log_file: None,
    };
    // Scripts read stderr; only a server has a log.
    let serves = |word: &OsString| word.to_string_lossy().starts_with("--project-root");
    let quiet = if words.first().is_none_or(serves) {
        LevelFilter::WARN
    } else {
        LevelFilter::ERROR
    };
    let ended = log::start(&log, quiet).and_then(|()| mcp_bash::run(words));
    let ended = ended.and_then(|code| match code {
        0 => printed().map(|()| code),
        code => Ok(code),
    });
    log::finish();
    match ended {
        Ok(code) => code.into(),
        Err(failure) => {
            failure.print();
            1.into()
        }
    }
}
