//! TARGET: a URL, a folder of scripts, or a command after `--`.

use std::ffi::{OsStr, OsString};

use linkspan_bridge::{Backend, Target, TargetError, TypedLine, is_found};
use linkspan_ports::ChildOptions;
use linkspan_schema::nearest;
use linkspan_wire::Limits;

use crate::args::RemoteArgs;
use crate::args::folder::FolderArgs;
use crate::environment::{search_path, secret_variables};
use crate::exit::{Exit, Failure};
use crate::folder;
use crate::remote::remote;
use crate::show::on_one_line;
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
            let child = ChildOptions {
                label: None,
                program,
                args: words,
                limits: Limits::new(args.max_message),
                env: Vec::new(),
                without_env: secret_variables(),
                cwd: None,
            };
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

/// A command without `--` before it.
pub(crate) fn needs_dashes(program: &str) -> Failure {
    match typed().with_dashes_before(program) {
        Some(line) => {
            Failure::usage(TargetError::Program(program.to_owned()).to_string()).hint(line)
        }
        None => TargetError::of_word(program, &search_path()).into(),
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

/// The command of `linkspan shrink` that a misspelt word may mean.
pub(crate) fn misspelt_command(word: &str) -> Option<&'static str> {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic());
    let meant = nearest(word, ["try", "decode", "stats"]).filter(|_| plain)?;
    (!Target::is_named_by(word)).then_some(meant)
}

/// A misspelt command of `linkspan shrink`.
pub(crate) fn unknown_command(word: &str, meant: &str) -> Failure {
    Failure::usage(format!(
        "`linkspan shrink` has no command `{}`; did you mean `{meant}`?",
        on_one_line(word)
    ))
    .hint(format!(
        "linkspan shrink {meant} --help shows how it is used; the command of a server goes after `--`"
    ))
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
