//! `mcp-bash` without a verb: it serves the project, or a tool that explains how to make one.

use std::collections::VecDeque;
use std::path::Path;

use linkspan_mcp_bash::author::getting_started::{GettingStarted, startup_line};

use super::{failed, flag, folder_args, named_root, nearest, unexpected, vars};
use crate::block_on;
use crate::exit::Failure;
use crate::serve::args::ServeArgs;
use crate::serve::open;

pub(super) fn run(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let _ = flag(&mut words, "--stdio");
    let named = named_root(&mut words)?;
    unexpected("", &words)?;
    let Some(root) = named.or_else(nearest) else {
        return explain();
    };
    announce(&root);
    let options = open::options(&folder_args())?;
    let args = ServeArgs::of(root, folder_args());
    Ok(block_on(open::run_with(args, options))?.code())
}

fn explain() -> Result<u8, Failure> {
    let project = GettingStarted::create(&std::env::temp_dir()).map_err(failed)?;
    announce(Path::new("(none)"));
    let mut options = open::options(&folder_args())?;
    project.adapt(&mut options.env);
    let args = ServeArgs::of(project.root().to_owned(), folder_args());
    Ok(block_on(open::run_with(args, options))?.code())
}

fn announce(root: &Path) {
    let command = std::env::args_os().next().unwrap_or_default();
    let cwd = std::env::current_dir().unwrap_or_default();
    if let Some(line) = startup_line(&vars(), command.as_ref(), &cwd, root) {
        anstream::eprintln!("{line}");
    }
}
