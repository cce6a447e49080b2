//! `linkspan`: the bridge between any AI client and any tool server.
//!
//! Only this crate prints, reads the environment or exits. stdout belongs to the protocol (or to
//! the answer that a person asked for); everything else goes to stderr.

mod acp_args;
mod args;
mod call_args;
mod commands;
mod connect;
#[cfg(test)]
mod doc_examples;
mod environment;
mod exit;
mod explain;
mod expose;
mod expose_args;
mod front;
mod help_text;
mod log;
mod mistakes;
mod pages;
mod person;
mod remote;
mod serve;
mod show;
mod shrink;
mod signals;
mod status;
mod target;
mod value_words;
mod waiting;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use tracing::level_filters::LevelFilter;

use crate::args::{Cli, Command};
use crate::commands::bcp;
use crate::commands::bcp::args::{BcpArgs, BcpCommand};
use crate::environment::variable;
use crate::exit::{Exit, Failure};
use crate::serve::args::Author;

fn main() -> ExitCode {
    if let Some(exit) = serve::applet() {
        return exit;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return wrong(&error),
    };
    let ended = run(cli).and_then(|exit| match exit {
        // Whatever else there is to say is more than that.
        Exit::Ok => show::printed().map(|()| exit),
        exit => Ok(exit),
    });
    log::finish();
    match ended {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure.print();
            failure.exit.into()
        }
    }
}

/// A command line that cannot be read, or that asks for help.
fn wrong(error: &clap::Error) -> ExitCode {
    let words: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if error.kind() == ErrorKind::DisplayHelp
        && let Some(help) = help_text::long(&words)
    {
        show::note(write!(anstream::stdout().lock(), "{}", help.ansi()));
        return Exit::Ok.into();
    }
    match mistakes::explain(error, &words) {
        Some(failure) => {
            failure.print();
            failure.exit.into()
        }
        None => error.exit(),
    }
}

fn run(cli: Cli) -> Result<Exit, Failure> {
    let quiet = match &cli.command {
        // It runs on its own, and its log is where its servers speak.
        Command::Expose(_) | Command::Conduct(_) => LevelFilter::INFO,
        Command::Author(Author::Serve(args)) if args.http => LevelFilter::INFO,
        Command::Shrink(_) if variable("BCP_LOG_LEVEL").is_some() => {
            environment::log_level(variable)?
        }
        Command::Shrink(args) if args.http => LevelFilter::INFO,
        Command::Agent(args) if args.http => LevelFilter::INFO,
        Command::Bcp(BcpArgs {
            command: BcpCommand::Mcp(_),
            ..
        }) => environment::log_level(variable)?,
        _ => LevelFilter::WARN,
    };
    log::start(&cli.log, quiet)?;
    match cli.command {
        Command::Connect(args) => block_on(connect::run(args)),
        Command::Expose(args) => block_on(expose::run(*args)),
        Command::Shrink(args) => match shrink::as_reader(&args) {
            Some(roots) => block_on(bcp::mcp::on_stdio(roots)),
            None => shrink::run(*args),
        },
        Command::Conduct(args) => block_on(commands::conduct::run(*args)),
        Command::Agent(args) => block_on(commands::agent::run(*args)),
        Command::Mcp(args) => commands::mcp::run(&args),
        Command::Author(command) => serve::run(command),
        Command::Bcp(command) => bcp::run(command),
        Command::TryOut(command) => block_on(commands::try_out::run(command)),
        Command::Completions { shell } => {
            pages::completions(shell);
            Ok(Exit::Ok)
        }
        Command::Man => {
            pages::man();
            Ok(Exit::Ok)
        }
    }
}

/// One thread: a session is one task, and a hand-over between threads costs more than the relay.
pub(crate) fn block_on(work: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::new(Exit::Unreachable, format!("cannot start: {e}")))?;
    let ended = runtime.block_on(work);
    // A read from a terminal cannot be called off; the process must end all the same.
    runtime.shutdown_background();
    ended
}
