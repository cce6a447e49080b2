//! `mcp-bash config`

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use linkspan_bridge::find_program;
use linkspan_mcp_bash::Project;
use linkspan_mcp_bash::author::Words;
use linkspan_mcp_bash::author::config::{ConfigRequest, Start};

use super::{here, vars};
use crate::environment::search_path;
use crate::exit::{Exit, Failure};
use crate::folder::tooling;
use crate::show::raw;

pub(super) fn run(words: Words) -> Result<u8, Failure> {
    let vars = vars();
    let request = ConfigRequest::parse(words, &vars, here().as_deref())?;
    let (program, args) = our_command()?;
    let project = Project::read(&request.root, &vars, &tooling()?)?;
    let start = Start::new(&project, &program, args, vars.get("MCPBASH_TOOL_ALLOWLIST"))?;
    // At a terminal a script is written to a file.
    let output = request.output(&start, std::io::stdout().is_terminal())?;
    if let Some(note) = output.note {
        anstream::eprintln!("{note}");
    }
    if let Some(text) = output.text {
        raw(&text);
    }
    Ok(0)
}

/// The program that a client starts: the link called mcp-bash that we were started by, else linkspan.
fn our_command() -> Result<(PathBuf, Vec<String>), Failure> {
    let called = std::env::args_os().next().map(PathBuf::from);
    let link = called.filter(|called| called.file_stem().is_some_and(|stem| stem == "mcp-bash"));
    if let Some(link) = link.and_then(|link| found(&link)) {
        return Ok((link, Vec::new()));
    }
    let exe = std::env::current_exe()
        .map_err(|e| Failure::new(Exit::Invalid, format!("cannot find our own program: {e}")))?;
    Ok((exe, vec!["mcp-bash".to_owned()]))
}

/// The file of a program that was called by a path, or by a name in PATH.
fn found(called: &Path) -> Option<PathBuf> {
    if called.components().count() > 1 {
        return std::path::absolute(called).ok();
    }
    std::path::absolute(find_program(called, &search_path())?).ok()
}
