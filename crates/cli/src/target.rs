//! TARGET: a URL, or a command after `--`.

use std::ffi::OsString;

use linkspan_ports::{ChildOptions, child, http};
use linkspan_session::Port;
use linkspan_wire::Limits;

use crate::args::RemoteArgs;
use crate::exit::{Exit, Failure};
use crate::remote::{explain, remote};

/// What to talk to.
#[derive(Debug)]
pub(crate) enum Target {
    Url(String),
    Command(OsString, Vec<OsString>),
}

impl Target {
    /// Exactly one of `url` and `command` must be there.
    pub(crate) fn new(url: Option<String>, command: Vec<OsString>) -> Result<Self, Failure> {
        let mut words = command.into_iter();
        match (url, words.next()) {
            (Some(url), None) => Ok(Self::Url(url)),
            (None, Some(program)) => Ok(Self::Command(program, words.collect())),
            (None, None) => Err(Failure::usage("no target")
                .hint("the target comes last: a URL, or a command after `--`")),
            (Some(url), Some(_)) => Err(Failure::usage(format!(
                "two targets: `{url}` and a command after `--`"
            ))
            .hint("give one of them")),
        }
    }

    pub(crate) fn open(self, args: &RemoteArgs) -> Result<Port, Failure> {
        match self {
            Self::Url(url) => http(remote(&url, args)?.options).map_err(explain),
            Self::Command(program, args_of_it) => {
                let shown = program.to_string_lossy().into_owned();
                let options = ChildOptions {
                    program,
                    args: args_of_it,
                    limits: Limits::new(args.max_message),
                };
                child(options).map_err(|e| {
                    let failure = Failure::new(Exit::Unreachable, chain(&e));
                    if e.is_not_found() {
                        failure.hint(format!("install `{shown}`, or give its full path"))
                    } else {
                        failure.hint("is it an executable file?")
                    }
                })
            }
        }
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
