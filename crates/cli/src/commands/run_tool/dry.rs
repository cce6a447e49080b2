//! `--dry-run`: what would happen.

use std::path::PathBuf;
use std::time::Duration;

use linkspan_scripts::folder::{Catalogue, Mode, Program, Tool};

use crate::exit::{Exit, Failure};
use crate::show::{on_one_line, path as shown, say};

pub(super) fn run(
    catalogue: &Catalogue,
    tool: &Tool,
    arguments: &str,
    timeout: Option<Duration>,
    roots: &[PathBuf],
) -> Result<Exit, Failure> {
    let source = tool.source.strip_prefix(&catalogue.root);
    say!(
        "tool:      {} ({})",
        tool.name,
        shown(source.unwrap_or(&tool.source))
    );
    say!("runs:      {}", words(&tool.program));
    let cwd = tool.run.cwd.as_ref().unwrap_or(&catalogue.root);
    say!("in:        {}", shown(cwd));
    say!("how:       {}", how(&tool.mode));
    let limit = timeout.map(|limit| limit.min(tool.run.max_timeout.max(tool.run.timeout)));
    say!(
        "time:      {} s",
        limit.unwrap_or(tool.run.timeout).as_secs_f64()
    );
    say!("sandbox:   level {}", tool.run.sandbox.level);
    for root in roots {
        say!("root:      {}", shown(root));
    }
    let wrong = wrong(tool, arguments);
    if wrong.is_empty() {
        say!("arguments: valid ({} bytes)", arguments.len());
        return Ok(Exit::Ok);
    }
    say!(
        "arguments: invalid ({} bytes); the tool would not be run:",
        arguments.len()
    );
    for what in wrong {
        say!("  {}", on_one_line(&what));
    }
    Ok(Exit::ToolError)
}

fn wrong(tool: &Tool, arguments: &str) -> Vec<String> {
    match serde_json::from_str(arguments) {
        Ok(value) => tool
            .input
            .as_ref()
            .map_or_else(Vec::new, |input| input.check(&value)),
        Err(e) => vec![e.to_string()],
    }
}

fn words(program: &Program) -> String {
    let words: Vec<String> = match program {
        Program::Argv(words) => words
            .iter()
            .map(|w| w.to_string_lossy().into_owned())
            .collect(),
        Program::Template(words) => words.clone(),
    };
    on_one_line(&words.join(" "))
}

fn how(mode: &Mode) -> &'static str {
    match mode {
        Mode::Once => "a process for this call",
        Mode::Worker(_) => "a process that stays and takes one call after the other",
        Mode::Mcp(_) => "a server of its own, whose tools are taken in",
    }
}
