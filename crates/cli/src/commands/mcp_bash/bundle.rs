//! `mcp-bash bundle`

use linkspan_mcp_bash::author::Words;
use linkspan_mcp_bash::author::bundle::BundleLine;

use super::{found_anew, here, tell, vars};
use crate::exit::Failure;

pub(super) fn run(words: Words) -> Result<u8, Failure> {
    let exe = std::env::current_exe().ok();
    let line = BundleLine::parse(words, &vars(), here().as_deref(), exe)?;
    let project = found_anew(&line.root)?;
    line.run(&project, &tell, &|note| anstream::eprintln!("{note}"))?;
    Ok(0)
}
