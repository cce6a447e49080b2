//! `linkspan bcp inspect`: the blocks of a file, one by one.

use std::io::{self, IsTerminal, Write};

use clap::Args;
use linkspan_bcp_tools::Cleaned;
use linkspan_bcp_tools::inspect::{InspectOptions, inspect};
use linkspan_bcp_tools::listing::{Detail, Styles};

use super::opening::{FileArg, StoreArg};
use super::printed;
use crate::exit::{Exit, Failure};

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    file: FileArg,
    /// Show the first 80 characters of each content
    #[arg(long)]
    show_body: bool,
    /// Show each content in hexadecimal, 16 bytes a line
    #[arg(long)]
    show_hex: bool,
    /// Only the block with this number, counted from 0
    #[arg(long, value_name = "N")]
    block: Option<u64>,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["show_body", "show_hex"])]
    json: bool,
    /// Print what bcp 0.1.0 prints, including its wrong sizes
    #[arg(long, conflicts_with = "json")]
    compat: bool,
    #[command(flatten)]
    store: StoreArg,
}

pub(super) fn run(args: &InspectArgs) -> Result<Exit, Failure> {
    let file = args.file.input();
    let document = args.store.document(&file)?;
    let stdout: Box<dyn Write> = if !args.compat {
        Box::new(anstream::stdout().lock())
    } else if io::stdout().is_terminal() {
        // The reference does not escape contents, which may have control characters.
        Box::new(Cleaned::new(io::stdout().lock()))
    } else {
        // Byte for byte as the reference.
        Box::new(io::stdout().lock())
    };
    let options = InspectOptions {
        block: args.block,
        detail: Detail {
            body: args.show_body,
            hex: args.show_hex,
            compat: args.compat,
        },
        json: args.json,
        styles: Styles::TERMINAL,
    };
    let mut out = io::BufWriter::new(stdout);
    printed(inspect(&document, &file.name(), options, &mut out))?;
    Ok(Exit::Ok)
}
