//! `linkspan bcp`: context in files, for people and for MCP clients.

#[path = "bcp/args.rs"]
pub(crate) mod args;
#[path = "../../../bcp-tools/src/access.rs"]
mod confine;
#[path = "../../../bcp-tools/src/counting.rs"]
mod counting;
#[path = "../../../bcp-tools/src/decode.rs"]
mod decode;
#[path = "../../../bcp-tools/src/diff.rs"]
mod diff;
#[path = "../../../bcp-tools/src/encode.rs"]
mod encode;
#[path = "../../../bcp-tools/src/engine.rs"]
mod engine;
#[path = "../../../bcp-tools/src/files.rs"]
mod files;
#[path = "../../../bcp-tools/src/held.rs"]
mod held;
#[path = "../../../bcp-tools/src/inspect.rs"]
mod inspect;
#[path = "bcp/mcp.rs"]
mod mcp;
#[path = "bcp/opening.rs"]
mod opening;
#[path = "../../../bcp-tools/src/pack.rs"]
mod pack;
#[path = "bcp/progress.rs"]
mod progress;
#[path = "../../../bcp-tools/src/reader.rs"]
mod reader;
#[path = "../../../bcp-tools/src/request.rs"]
mod request;
#[path = "../bcp/said.rs"]
mod said;
#[path = "../environment.rs"]
mod settings;
#[path = "../../../bcp-tools/src/stats.rs"]
mod stats;
#[path = "../../../bcp-tools/src/tree.rs"]
mod tree;
#[path = "../../../bcp-tools/src/validate.rs"]
mod validate;
#[path = "../../../bcp-tools/src/walk.rs"]
mod walk;

#[cfg(test)]
#[path = "../../../bcp-tools/src/reader_tests.rs"]
mod reader_tests;
#[cfg(test)]
#[path = "../../../bcp-tools/src/scratch.rs"]
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
