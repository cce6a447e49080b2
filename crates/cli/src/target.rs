//! TARGET: a URL, a folder of scripts, or a command after `--`.

use std::ffi::{OsStr, OsString};

use linkspan_bridge::{Backend, RequestLineError, Target, TargetError, TypedLine, is_found};
use linkspan_ports::ChildOptions;
use linkspan_wire::Limits;

use crate::args::RemoteArgs;
use crate::args::folder::FolderArgs;
use crate::environment::{search_path, secret_variables};
use crate::exit::{Exit, Failure};
use crate::folder;
use crate::remote::remote;
use crate::sign_in;

/// How to open the target: exactly one of `url` and `command`. A command does not get our secrets.
pub(crate) fn backend(
    url: Option<String>,
    command: Vec<OsString>,
    args: &RemoteArgs,
) -> Result<Backend, Failure> {
    let is_agent = args.acp.acp;
    match Target::new(url, command, &search_path())? {
        Target::Url(_) | Target::Folder(_) if is_agent => {
            Err(Failure::usage("--acp is for a command that is an agent")
                .hint("the command goes after `--`: --acp -- ./my-agent acp"))
        }
        Target::Url(url) => {
            let options = remote(&url, args)?;
            let account = sign_in::account(&options, args)?;
            Ok(Backend::url(options).signing_in(account))
        }
        Target::Folder(dir) => folder::backend(&dir, &FolderArgs::default()),
        Target::Command(program, words) => {
            let mut child = ChildOptions::new(program, words, secret_variables());
            child.limits = Limits::new(args.max_message);
            if is_agent {
                // The agent itself is started by the first call only.
                is_there(&child.program)?;
                return Ok(linkspan_agent::backend(child, (&args.acp).into()));
            }
            Ok(Backend::command(child))
        }
    }
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        Self::usage(error.to_string()).hint(typed().hint(&error))
    }
}

/// The word at `at`, and all that follow, are a command.
pub(crate) fn command_without_dashes(words: &[String], at: usize) -> Failure {
    let line = TypedLine::new(words.to_vec());
    Failure::usage(TargetError::Program(words[at].clone()).to_string())
        .hint(line.with_dashes_at(at))
}

/// Words of a request in the wrong order.
impl From<RequestLineError> for Failure {
    fn from(error: RequestLineError) -> Self {
        let hint = match error {
            RequestLineError::Target(error) => return error.into(),
            RequestLineError::NoDashes(ref program) => typed().with_dashes_before(program),
            ref error => error.hint(),
        };
        Self::usage(error.to_string()).hinted(hint)
    }
}

/// The command line that was typed, without the program's name.
fn typed() -> TypedLine {
    let typed = std::env::args_os().skip(1);
    TypedLine::new(
        typed
            .map(|word| word.to_string_lossy().into_owned())
            .collect(),
    )
}

/// Checks a backend as far as possible without opening it.
pub(crate) fn check(backend: &Backend) -> Result<(), Failure> {
    backend.check()?;
    backend.program().map_or(Ok(()), is_there)
}

/// Checks that a program exists.
pub(crate) fn is_there(program: &OsStr) -> Result<(), Failure> {
    if is_found(program, &search_path()) {
        return Ok(());
    }
    let shown = program.to_string_lossy();
    Err(Failure::new(
        Exit::Unreachable,
        format!("cannot start `{shown}`: there is no such program"),
    )
    .hint(format!("install `{shown}`, or give its full path")))
}
