//! `linkspan bcp stats`: the size of a file, by type and in tokens.

use clap::Args;
use linkspan_bcp_tools::BcpError;
use linkspan_bcp_tools::listing::Styles;
use linkspan_bcp_tools::stats::Stats;

use super::opening::{FileArg, StoreArg};
use super::progress::Bar;
use super::tokenizer::TokenizerArg;
use crate::exit::{Exit, Failure};
use crate::show::{raw, say};

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    file: FileArg,
    #[command(flatten)]
    tokenizer: TokenizerArg,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print what bcp 0.1.0 prints, including its estimated sizes and tokens
    #[arg(long)]
    compat: bool,
    #[command(flatten)]
    store: StoreArg,
}

pub(super) fn run(args: &StatsArgs) -> Result<Exit, Failure> {
    let file = args.file.input();
    let document = args.store.document(&file)?;
    let name = file.name();
    let vocabulary = (!args.compat).then(|| args.tokenizer.vocabulary());
    let stats = Stats::of(&document, &name, vocabulary, &|| true, &Bar::default());
    let stats = stats.map_err(|e| BcpError::file(&name, e))?;
    if args.json {
        raw(&stats.json());
    } else {
        say!("{}", stats.table(Styles::TERMINAL).trim_end());
    }
    Ok(Exit::Ok)
}
