//! `linkspan man`: the manual page, made from the description of the command line.

use std::io::{self, Write};

use clap_mangen::Man;

use linkspan_console::troff::{self, ascii, plain};

use crate::exit::Exit;
use crate::show::note;

/// One page for the program and all its commands.
pub(crate) fn run(program: clap::Command) -> Exit {
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    if render(program, &mut page).is_ok() {
        note(io::stdout().lock().write_all(&page));
    }
    Exit::Ok
}

fn render(program: clap::Command, out: &mut Vec<u8>) -> io::Result<()> {
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let page = Man::new(program.clone());
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    list(&program, &mut text)?;
    page.render_options_section(&mut text)?;
    for command in program.get_subcommands() {
        section("linkspan", command, &mut text)?;
    }
    writeln!(text, ".SH \"EXAMPLES AND EXIT CODES\"")?;
    extra(&program, &mut text)?;
    page.render_version_section(&mut text)?;
    out.write_all(ascii(&String::from_utf8_lossy(&text)).as_bytes())
}

/// All commands with their descriptions.
fn list(program: &clap::Command, out: &mut Vec<u8>) -> io::Result<()> {
    writeln!(out, ".SH COMMANDS")?;
    for command in program.get_subcommands().filter(|c| !c.is_hide_set()) {
        writeln!(out, ".TP\n\\fBlinkspan {}\\fR", plain(command.get_name()))?;
        writeln!(out, "{}", plain(&about(command)))?;
    }
    Ok(())
}

/// A command as a section of the page; its own sections become subsections.
fn section(above: &str, command: &clap::Command, out: &mut Vec<u8>) -> io::Result<()> {
    let name = format!("{above} {}", command.get_name());
    writeln!(
        out,
        ".SH \"{}\"\n{}.",
        name.to_uppercase(),
        plain(&about(command))
    )?;
    let man = Man::new(command.clone().display_name(&name).bin_name(&name));
    let mut parts = Vec::new();
    man.render_synopsis_section(&mut parts)?;
    man.render_options_section(&mut parts)?;
    let parts = String::from_utf8_lossy(&parts).replace(".SH ", ".SS ");
    out.write_all(parts.as_bytes())?;
    if command.get_after_help().is_some() || command.get_after_long_help().is_some() {
        writeln!(out, ".SS NOTES")?;
        extra(command, out)?;
    }
    let below = command.get_subcommands();
    for command in below.filter(|command| command.get_name() != "help") {
        section(&name, command, out)?;
    }
    Ok(())
}

fn about(command: &clap::Command) -> String {
    let about = command.get_about().map(ToString::to_string);
    about.unwrap_or_default()
}

/// The end of a command's help: paragraphs, and examples that keep their lines.
fn extra(command: &clap::Command, out: &mut Vec<u8>) -> io::Result<()> {
    let text = command
        .get_after_long_help()
        .or_else(|| command.get_after_help())
        .map(ToString::to_string)
        .unwrap_or_default();
    out.write_all(troff::paragraphs(&text).as_bytes())
}
