//! `linkspan bcp`: context in files, for people and for MCP clients.

pub(crate) mod args;
mod confine;
mod counting;
mod decode;
mod diff;
mod encode;
mod engine;
mod files;
mod held;
mod inspect;
mod mcp;
mod opening;
mod pack;
mod progress;
mod reader;
mod request;
mod said;
mod settings;
mod stats;
mod tree;
mod validate;
mod walk;

#[cfg(test)]
mod reader_tests;
#[cfg(test)]
mod scratch;

pub(crate) use mcp::on_stdio as reader_on_stdio;
pub(crate) use reader::{Performed, Tools};
pub(crate) use settings::variable;
pub(crate) use linkspan_bcp_tools::tools::TOOLS;

use std::path::{Path, PathBuf};

use crate::bcp::args::{BcpArgs, BcpCommand};
use crate::exit::{Exit, Failure};

use tracing::level_filters::LevelFilter;

pub(crate) fn run(args: BcpArgs) -> Result<Exit, Failure> {
    if args.no_color {
        anstream::ColorChoice::Never.write_global();
    }
    match args.command {
        BcpCommand::Encode(args) => encode::run(&args),
        BcpCommand::Decode(args) => decode::run(&args),
        BcpCommand::Inspect(args) => inspect::run(&args),
        BcpCommand::Validate(args) => validate::run(&args),
        BcpCommand::Stats(args) => stats::run(&args),
        BcpCommand::Diff(args) => diff::run(&args),
        BcpCommand::Mcp(args) => crate::block_on(mcp::run(*args)),
    }
}

/// The reader's tools, for a server that has others as well; within these folders, or the current one.
pub(crate) fn reader_tools(roots: &[PathBuf], store: Option<&Path>) -> Result<Tools, Failure> {
    let settings = settings::Settings::read(settings::variable)?;
    let mut roots = mcp::roots(roots)?;
    if let Some(store) = store {
        let closed = roots.close(store);
        closed.map_err(|e| Failure::usage(format!("--store {}: {e}", store.display())))?;
    }
    Ok(Tools::new(roots, settings))
}

/// What the reader server logs if no flag says so.
pub(crate) fn log_level() -> Result<LevelFilter, Failure> {
    settings::log_level(settings::variable)
}
