//! Completions and the manual page, made from the command line's own description.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::Cli;
use crate::show::note;

pub(crate) fn completions(shell: Shell) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "linkspan", &mut script);
    show(&script);
}

/// One page for the program and all its commands.
pub(crate) fn man() {
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    if render(&mut page).is_ok() {
        show(&page);
    }
}

fn show(page: &[u8]) {
    note(io::stdout().lock().write_all(page));
}

fn render(out: &mut Vec<u8>) -> io::Result<()> {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let page = Man::new(program.clone());
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    for command in program.get_subcommands() {
        section("linkspan", command, out)?;
    }
    page.render_extra_section(out)?;
    page.render_version_section(out)
}

/// A command, as a part of the page: its own sections become parts of that.
fn section(above: &str, command: &clap::Command, out: &mut Vec<u8>) -> io::Result<()> {
    let name = format!("{above} {}", command.get_name());
    let about = command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    writeln!(out, ".SH \"{}\"\n{about}.", name.to_uppercase())?;
    let man = Man::new(command.clone().display_name(&name).bin_name(&name));
    let mut parts = Vec::new();
    man.render_synopsis_section(&mut parts)?;
    man.render_options_section(&mut parts)?;
    man.render_extra_section(&mut parts)?;
    let parts = String::from_utf8_lossy(&parts).replace(".SH ", ".SS ");
    out.write_all(parts.as_bytes())?;
    let below = command.get_subcommands();
    for command in below.filter(|command| command.get_name() != "help") {
        section(&name, command, out)?;
    }
    Ok(())
}
