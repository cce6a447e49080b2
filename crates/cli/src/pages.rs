//! Completions and the manual page, made from the command line's own description.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::{Exit, Failure};

pub(crate) fn completions(shell: Shell) {
    let mut command = Cli::command();
    clap_complete::generate(shell, &mut command, "linkspan", &mut std::io::stdout());
}

/// One page for the program and all its commands.
pub(crate) fn man(command: clap::Command) -> Result<Exit, Failure> {
    let page = render(command).map_err(|e| Failure::new(Exit::Broken, format!("stdout: {e}")));
    page.map(|()| Exit::Ok)
}

fn render(command: clap::Command) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let mut command = command.disable_help_subcommand(true);
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut out)?;
    for sub in command.get_subcommands() {
        let name = format!("linkspan {}", sub.get_name());
        let sub = sub.clone().display_name(&name).bin_name(&name);
        clap_mangen::Man::new(sub).render(&mut out)?;
    }
    Ok(())
}
