//! What scripts get from us: the SDKs, and jq.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use linkspan_jq::World;
use linkspan_scripts::sandbox;
use linkspan_scripts::sdk::{self, FILES, SdkFile};

use tracing::level_filters::LevelFilter;

use super::args::SdkArgs;
use crate::args::LogArgs;
use crate::environment::{JQ_LIMITED, JQ_RESTRICTED};
use crate::exit::{Exit, Failure};
use crate::log;
use crate::show::{path as shown, printed, say};
use crate::waiting;

/// Time and memory of this process from now on. Whoever started us also looks at the clock.
fn limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let most = |number| Rlimit {
            current: Some(number),
            maximum: Some(number),
        };
        let _ = setrlimit(Resource::As, most(512 << 20));
        let _ = setrlimit(Resource::Cpu, most(15));
    }
}

/// `linkspan sdk`
pub(crate) fn sdk(args: &SdkArgs) -> Result<Exit, Failure> {
    let other = |file: &&SdkFile| {
        let there = std::fs::read(args.dir.join(file.path));
        there.is_ok_and(|bytes| bytes != file.text.as_bytes())
    };
    if let Some(file) = FILES.iter().find(other).filter(|_| !args.force) {
        let path = shown(&args.dir.join(file.path));
        return Err(Failure::new(
            Exit::Invalid,
            format!("{path} exists and has other contents"),
        )
        .hint("--force replaces it; the file may be from another version, or edited by hand"));
    }
    let written = sdk::write_to(&args.dir).map_err(|e| {
        Failure::new(
            Exit::Invalid,
            format!("cannot write to {}: {e}", shown(&args.dir)),
        )
        .hint("is it a folder of yours, on a disk with room?")
    })?;
    for path in written {
        say!("{}", shown(&path));
    }
    Ok(Exit::Ok)
}

/// `linkspan jq`; gives jq's exit code.
pub(crate) fn jq(words: &[OsString]) -> u8 {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let restricted = std::env::var_os(JQ_RESTRICTED).is_some();
    if std::env::var_os(JQ_LIMITED).is_some() {
        limit();
    }
    let env = match restricted {
        true => Vec::new(),
        false => std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
    };
    linkspan_jq::run(
        &words,
        &World { env, restricted },
        &mut waiting::stdin("JSON", "linkspan jq FILTER < FILE"),
        &mut io::BufWriter::new(io::stdout().lock()),
        &mut io::stderr().lock(),
    )
}

/// What a script may start us as, perhaps many times a second: `linkspan jq …` and `linkspan mcp-bash …`,
/// or us under these names. Nothing else is set up for that.
pub(crate) fn applet() -> Option<ExitCode> {
    let mut words = std::env::args_os();
    let us = words.next()?;
    let called = Path::new(&us).file_stem()?.to_owned();
    let is_ours = ["jq", "mcp-bash"].iter().any(|name| called == *name);
    let name = if is_ours { called } else { words.next()? };
    let words: Vec<OsString> = words.collect();
    match name.to_str()? {
        // What stands between us and a script that is confined.
        "__exec" if !is_ours => Some(sandbox::exec(words)),
        "__watch" if !is_ours => Some(linkspan_scripts::watch_over(&words)),
        // For people; under its own name it has help of its own.
        "jq" if !is_ours && asks_for_help(&words) => None,
        "jq" => Some(jq(&words).into()),
        "mcp-bash" => Some(theirs(words)),
        _ => None,
    }
}

/// Behind `--` stands a filter, whatever it looks like.
fn asks_for_help(words: &[OsString]) -> bool {
    let mut flags = words.iter().take_while(|word| *word != "--");
    flags.any(|word| word == "--help" || word == "-h")
}

fn theirs(words: Vec<OsString>) -> ExitCode {
    let log = LogArgs {
        verbose: 0,
        debug: false,
        log_file: None,
    };
    // Scripts look at stderr; only a server has a log.
    let serves = |word: &OsString| word.to_string_lossy().starts_with("--project-root");
    let quiet = match words.first().is_none_or(serves) {
        true => LevelFilter::WARN,
        false => LevelFilter::ERROR,
    };
    let ended = log::start(&log, quiet).and_then(|()| super::theirs::run(words));
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
