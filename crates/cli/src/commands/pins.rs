//! `linkspan pins`: what the servers of the gateway were trusted with.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use linkspan_gateway::pins::{ItemId, Pins, diff};
use linkspan_gateway_io::PinsFile;

use crate::environment::pins_file;
use crate::exit::{Exit, Failure};
use crate::show::{on_one_line, say};

// `linkspan pins`
#[derive(Debug, Args)]
pub(crate) struct PinsArgs {
    #[command(subcommand)]
    command: PinsCommand,
    /// The file of pins, in place of the usual one
    #[arg(long, value_name = "FILE", global = true)]
    file: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum PinsCommand {
    /// List the servers that have pins
    #[command(after_help = "Example:\n  linkspan pins list")]
    List,
    /// Show how servers differ from what was accepted
    #[command(
        after_help = "Examples:\n  linkspan pins diff\n  linkspan pins diff git prompt/commit"
    )]
    Diff {
        /// The server; by default, all
        server: Option<String>,
        /// A tool, `prompt/NAME` or `instructions`; by default, all
        item: Option<String>,
    },
    /// Accept what a server offers now
    #[command(after_help = "Examples:\n  linkspan pins accept git log\n  linkspan pins accept git")]
    Accept {
        /// The server
        server: String,
        /// A tool, `prompt/NAME` or `instructions`; by default, all
        item: Option<String>,
    },
}

pub(crate) fn run(args: PinsArgs) -> Result<Exit, Failure> {
    let file = args.file.or_else(pins_file).ok_or_else(no_folder)?;
    let file = PinsFile::new(file);
    let (lines, nothing) = match args.command {
        PinsCommand::List => (file.load()?.listing(), "there are no pins"),
        PinsCommand::Diff { server, item } => {
            let pins = file.load()?;
            known(&pins, server.as_deref())?;
            let item = item.as_deref().map(ItemId::parse);
            let lines = pins.difference(server.as_deref(), item.as_ref());
            (lines, "there is no difference from what was accepted")
        }
        PinsCommand::Accept { server, item } => {
            known(&file.load()?, Some(&server))?;
            let item = item.as_deref().map(ItemId::parse);
            let accepted = file.update(|pins| pins.accept(&server, item.as_ref()))?;
            (diff(&accepted), "there is nothing to accept")
        }
    };
    lines.iter().for_each(|line| say!("{line}"));
    if lines.is_empty() {
        anstream::eprintln!("{nothing}");
    }
    Ok(Exit::Ok)
}

fn no_folder() -> Failure {
    Failure::usage("there is no place to keep pins: HOME is not set")
        .hint("set LINKSPAN_STATE to a folder of your own, or use --file FILE")
}

fn known(pins: &Pins, server: Option<&str>) -> Result<(), Failure> {
    let Some(server) = server.filter(|server| !pins.has(server)) else {
        return Ok(());
    };
    let what = format!("there are no pins of `{}`", on_one_line(server));
    Err(Failure::usage(what).hint("`linkspan pins list` lists the servers"))
}
