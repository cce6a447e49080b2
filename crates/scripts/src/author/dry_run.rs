//! Describes the process of a tool call without running it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use linkspan_wire::escape_line;

use super::report::shown;
use crate::folder::{Catalogue, Mode, Program, Tool};

/// A call to describe.
#[derive(Clone, Copy)]
pub struct DryRun<'a> {
    /// The folder.
    pub catalogue: &'a Catalogue,
    /// The tool.
    pub tool: &'a Tool,
    /// Its arguments, a JSON object.
    pub arguments: &'a str,
    /// The time limit of the caller.
    pub timeout: Option<Duration>,
    /// The roots of the client.
    pub roots: &'a [PathBuf],
}

impl DryRun<'_> {
    /// The validation errors of the arguments.
    pub fn problems(&self) -> Vec<String> {
        match serde_json::from_str(self.arguments) {
            Ok(value) => match &self.tool.input {
                Some(input) => input.check(&value),
                None => Vec::new(),
            },
            Err(e) => vec![e.to_string()],
        }
    }

    /// Writes the description.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (tool, root) = (self.tool, &self.catalogue.root);
        let source = tool.source.strip_prefix(root).unwrap_or(&tool.source);
        writeln!(out, "tool:      {} ({})", tool.name, shown(source))?;
        writeln!(out, "runs:      {}", words(&tool.program))?;
        let cwd = tool.run.cwd.as_ref().unwrap_or(root);
        writeln!(out, "in:        {}", shown(cwd))?;
        writeln!(out, "how:       {}", how(&tool.mode))?;
        let most = tool.run.max_timeout.max(tool.run.timeout);
        let limit = self.timeout.map(|limit| limit.min(most));
        let seconds = limit.unwrap_or(tool.run.timeout).as_secs_f64();
        writeln!(out, "time:      {seconds} s")?;
        writeln!(out, "sandbox:   level {}", tool.run.sandbox.level)?;
        for root in self.roots {
            writeln!(out, "root:      {}", shown(root))?;
        }
        let (problems, bytes) = (self.problems(), self.arguments.len());
        if problems.is_empty() {
            return writeln!(out, "arguments: valid ({bytes} bytes)");
        }
        writeln!(
            out,
            "arguments: invalid ({bytes} bytes); the tool would not be run:"
        )?;
        for problem in problems {
            writeln!(out, "  {}", escape_line(&problem))?;
        }
        Ok(())
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
    escape_line(&words.join(" ")).into_owned()
}

fn how(mode: &Mode) -> &'static str {
    match mode {
        Mode::Once => "a process for this call",
        Mode::Worker(_) => "a long-running process that takes one call after the other",
        Mode::Mcp(_) => "an MCP server, whose tools are mounted",
    }
}
