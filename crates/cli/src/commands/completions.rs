//! `linkspan completions`: a completion script for a shell.

use std::io::{self, Write};

use clap::Args;
use clap_complete::Shell;

use crate::exit::Exit;
use crate::show::note;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell to complete for
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, mut program: clap::Command) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "linkspan", &mut script);
    note(io::stdout().lock().write_all(&script));
    Exit::Ok
}
