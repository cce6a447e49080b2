//! `linkspan pins`: what servers told the model at their first use, and what they tell now.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use linkspan_gateway_io::PinsFile;

use crate::environment::pins_file;
use crate::exit::{Exit, Failure};
use crate::show::say;
use crate::sign_in::no_state;

const HELP: &str =
    "Examples:\n  linkspan pins list\n  linkspan pins diff git\n  linkspan pins accept git log";

// `linkspan pins`
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct PinsArgs {
    /// List servers, show how they differ from what was accepted, or accept that
    action: Action,
    /// The server; by default, all of them
    #[arg(required_if_eq("action", "accept"))]
    server: Option<String>,
    /// A tool, `prompt/NAME` or `instructions`; by default, all of them
    item: Option<String>,
    /// The file of pins, in place of the usual one
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Action {
    List,
    Diff,
    Accept,
}

pub(crate) fn run(args: PinsArgs) -> Result<Exit, Failure> {
    let file = PinsFile::new(args.file.or_else(pins_file).ok_or_else(no_state)?);
    let (server, item) = (args.server.as_deref(), args.item.as_deref());
    let lines = match args.action {
        Action::List => file.listing(server)?,
        Action::Diff => file.difference(server, item)?,
        Action::Accept => file.accept(server.unwrap_or_default(), item)?,
    };
    lines.iter().for_each(|line| say!("{line}"));
    Ok(Exit::Ok)
}
