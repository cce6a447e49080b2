//! `mcp-bash` without a verb serves the project, or a tool that explains how to make one.

use std::path::Path;
use std::time::Duration;

use linkspan_console::Signals;
use linkspan_mcp_bash::FolderLayout;
use linkspan_mcp_bash::author::Words;
use linkspan_mcp_bash::author::getting_started::{GettingStarted, startup_line};
use linkspan_scripts::Options;

use super::{folder_args, here, vars};
use crate::exit::{Exit, Failure};
use crate::folder::{self, serving};
use crate::runtime::block_on;

/// How long answers may take after stdin is closed.
const DRAIN: Duration = Duration::from_secs(10);

pub(super) fn run(mut words: Words) -> Result<u8, Failure> {
    let _ = words.flag("--stdio");
    let root = words.any_project(&vars(), here().as_deref())?;
    words.end("")?;
    let Some(root) = root else {
        return explain();
    };
    announce(&root);
    let options = folder::options(&folder_args())?;
    Ok(block_on(serve(&root, options))?.code())
}

fn explain() -> Result<u8, Failure> {
    let project = GettingStarted::create(&std::env::temp_dir())?;
    announce(Path::new("(none)"));
    let mut options = folder::options(&folder_args())?;
    project.adapt(&mut options.env);
    Ok(block_on(serve(project.root(), options))?.code())
}

async fn serve(root: &Path, mut options: Options) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    options.watch = true;
    options.shutdown = true;
    let served = folder::folder(root, options, FolderLayout::McpBash)?;
    let bridge = serving::bridge(&served);
    serving::on_stdio(signals, bridge, served, root, DRAIN).await
}

fn announce(root: &Path) {
    let command = std::env::args_os().next().unwrap_or_default();
    let cwd = std::env::current_dir().unwrap_or_default();
    if let Some(line) = startup_line(&vars(), command.as_ref(), &cwd, root) {
        anstream::eprintln!("{line}");
    }
}
