//! `linkspan`: the bridge between any AI client and any tool server.
//!
//! Only this crate prints, reads the environment or exits. stdout is for the protocol, or for the requested output;
//! everything else goes to stderr.

mod applet;
mod args;
mod cli;
mod commands;
#[cfg(test)]
mod doc_examples;
mod doctor;
mod environment;
mod exit;
mod explain;
mod folder;
mod front;
mod harmless;
mod help_text;
mod lacking;
mod log;
mod mistakes;
mod protection;
mod remote;
mod runtime;
mod show;
mod sign_in;
mod status;
mod target;
mod value_words;
mod waiting;

use std::io::Write;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use linkspan_bcp_tools::variables::default_log_level;
use tracing::level_filters::LevelFilter;

use crate::cli::{Author, Cli, Command};
use crate::commands::bcp::args::{BcpArgs, BcpCommand};
use crate::commands::{
    agent, audit, auth, bcp, completions, conduct, config, connect, doctor as doctor_command,
    expose, gateway, jq, licenses, login, logout, man, mcp, new, pins, run_tool, scaffold, sdk,
    serve, shrink, try_out, validate,
};
use crate::environment::variable;
use crate::exit::{Exit, Failure};
use crate::runtime::block_on;

fn main() -> ExitCode {
    if let Some(exit) = applet::run() {
        return exit;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return wrong(&error),
    };
    end(run(cli))
}

/// Lets the output out; the exit code of the process.
fn end(ended: Result<Exit, Failure>) -> ExitCode {
    let ended = ended.and_then(|exit| match exit {
        // Any other exit code is more specific than a failed print.
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

/// Prints the error of a command line that cannot be parsed, or its help.
fn wrong(error: &clap::Error) -> ExitCode {
    let words: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if error.kind() == ErrorKind::DisplayHelp
        && let Some(help) = cli::long_help(&words)
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
        // These run unattended, and their log has the stderr of their servers.
        Command::Expose(_) | Command::Conduct(_) => LevelFilter::INFO,
        Command::Author(Author::Serve(args)) if args.http => LevelFilter::INFO,
        Command::Shrink(_) if variable("BCP_LOG_LEVEL").is_some() => default_log_level(variable)?,
        Command::Shrink(args) if args.http => LevelFilter::INFO,
        Command::Agent(args) if args.http => LevelFilter::INFO,
        Command::Bcp(BcpArgs {
            command: BcpCommand::Mcp(_),
            ..
        }) => default_log_level(variable)?,
        _ => LevelFilter::WARN,
    };
    log::start(&cli.log, quiet)?;
    match cli.command {
        Command::Connect(args) => block_on(connect::run(args)),
        Command::Expose(args) => block_on(expose::run(*args)),
        Command::Gateway(args) => block_on(gateway::run(*args)),
        Command::Shrink(args) => match shrink::as_reader(&args) {
            Some(roots) => block_on(bcp::mcp::on_stdio(roots)),
            None => shrink::run(*args),
        },
        Command::Conduct(args) => block_on(conduct::run(*args)),
        Command::Agent(args) => block_on(agent::run(*args)),
        Command::Mcp(args) => mcp::run(&args),
        Command::Login(args) => block_on(login::run(*args)),
        Command::Logout(args) => block_on(logout::run(*args)),
        Command::Auth(args) => block_on(auth::run(*args)),
        Command::Pins(args) => pins::run(args),
        Command::Audit(args) => audit::run(&args),
        Command::Author(command) => author(command),
        Command::Bcp(command) => bcp::run(command),
        Command::TryOut(command) => block_on(try_out::run(command)),
        Command::Completions(args) => Ok(completions::run(&args, Cli::command())),
        Command::Man => Ok(man::run(Cli::command())),
        Command::Licenses => Ok(licenses::run()),
    }
}

fn author(command: Author) -> Result<Exit, Failure> {
    match command {
        Author::Serve(args) => serve::run(*args),
        Author::New(args) => new::run(&args),
        Author::Scaffold(args) => scaffold::run(&args),
        Author::Validate(args) => validate::run(&args),
        Author::RunTool(args) => run_tool::run(&args),
        Author::Config(args) => config::run(&args, |words| {
            let words = std::iter::once("linkspan").chain(words.iter().map(String::as_str));
            Cli::try_parse_from(words).map(drop)
        }),
        Author::Doctor(args) => doctor_command::run(&args),
        Author::Sdk(args) => sdk::run(&args),
        Author::Jq(args) => match jq::run(&args.words) {
            0 => Ok(Exit::Ok),
            // jq has exit codes of its own.
            code => std::process::exit(code.into()),
        },
    }
}
