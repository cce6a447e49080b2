//! `linkspan jq`: the built-in jq.

use std::ffi::OsString;
use std::io;

use clap::Args;
use linkspan_jq::World;

use crate::environment::{JQ_LIMITED, JQ_RESTRICTED};
use crate::waiting;

#[derive(Debug, Args)]
pub(crate) struct JqArgs {
    /// Flags, a filter and files, as for jq; JSON comes from stdin by default
    #[arg(
        value_name = "ARGUMENT",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) words: Vec<OsString>,
}

/// Runs jq; returns its exit code.
pub(crate) fn run(words: &[OsString]) -> u8 {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let restricted = std::env::var_os(JQ_RESTRICTED).is_some();
    if std::env::var_os(JQ_LIMITED).is_some() {
        // The parent process has a time limit too.
        linkspan_spawn::limit_this_process(512 << 20, 15);
    }
    let env = std::env::vars_os().filter(|_| !restricted);
    let env = env
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    linkspan_jq::run(
        &words,
        &World { env, restricted },
        &mut waiting::stdin("JSON", "linkspan jq FILTER < FILE"),
        &mut io::BufWriter::new(io::stdout().lock()),
        &mut io::stderr().lock(),
    )
}
