//! The report as text for a terminal.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use linkspan_wire::{Json, escape_block, escape_line, replace_unprintable};
use serde_json::Value;

use super::{Report, repaired, shown, summary};
use crate::folder::{
    Catalogue, Completion, CompletionTarget, Mode, Problem, Severity, Tool, Values,
};

/// Writes one entry of a server.
pub type WriteEntry = fn(&mut dyn Write, Json<'_>) -> io::Result<()>;

/// The writers of entries, shared with the commands that list a server's entries.
#[derive(Debug, Clone, Copy)]
pub struct Entries {
    /// A tool.
    pub tool: WriteEntry,
    /// A resource or a template of resources.
    pub resource: WriteEntry,
    /// A prompt.
    pub prompt: WriteEntry,
}

const HEAD: Style = Style::new().bold().underline();
const RED: Style = Style::new()
    .bold()
    .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
const YELLOW: Style = Style::new()
    .bold()
    .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
const CYAN: Style = Style::new()
    .bold()
    .fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan)));
const DIM: Style = Style::new().dimmed();

/// Limit of ignored files in the report.
const MOST_IGNORED: usize = 50;

/// Limit of completion values in the report.
const SOME: usize = 8;

pub(super) fn write(
    report: &Report,
    out: &mut dyn Write,
    entries: &Entries,
    fix: bool,
) -> io::Result<()> {
    for done in &report.fixed {
        writeln!(out, "fixed: {}", replace_unprintable(&repaired(done)))?;
    }
    if !report.fixed.is_empty() {
        writeln!(out)?;
    }
    if let Some(catalogue) = &report.catalogue {
        offered(out, catalogue, entries)?;
    }
    for problem in &report.problems {
        self::problem(out, problem)?;
    }
    if !report.problems.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "{}", totals(report))?;
    match report.problems.iter().filter(|p| p.fix.is_some()).count() {
        0 => Ok(()),
        _ if fix => Ok(()),
        1 => writeln!(out, "one of them can be fixed: linkspan validate --fix"),
        n => writeln!(out, "{n} of them can be fixed: linkspan validate --fix"),
    }
}

fn offered(out: &mut dyn Write, catalogue: &Catalogue, entries: &Entries) -> io::Result<()> {
    let server = &catalogue.server.shown;
    let word = |key: &str| escape_line(server[key].as_str().unwrap_or_default()).into_owned();
    let program = match catalogue.program {
        None => String::new(),
        Some(program) => format!(", a project of {program}"),
    };
    writeln!(
        out,
        "{HEAD}{} {}{HEAD:#}{DIM}{program} ({}){DIM:#}\n",
        word("name"),
        word("version"),
        shown(&catalogue.root)
    )?;
    section(out, "Tools", &catalogue.tools, |out, tool| {
        entry(out, &tool.shown, entries.tool)?;
        result(out, tool)
    })?;
    section(out, "Resources", &catalogue.resources, |out, resource| {
        entry(out, &resource.shown, entries.resource)
    })?;
    let templates = &catalogue.templates;
    section(out, "Resource templates", templates, |out, template| {
        entry(out, &template.shown, entries.resource)
    })?;
    section(out, "Prompts", &catalogue.prompts, |out, prompt| {
        entry(out, &prompt.shown, entries.prompt)
    })?;
    section(out, "Completions", &catalogue.completions, |out, one| {
        completion(out, one)
    })?;
    section(out, "Providers", &catalogue.providers, |out, provider| {
        writeln!(out, "{}://", escape_line(&provider.scheme))
    })?;
    ignored(out, catalogue)
}

fn ignored(out: &mut dyn Write, catalogue: &Catalogue) -> io::Result<()> {
    let count = catalogue.ignored.len().min(MOST_IGNORED);
    let (named, more) = catalogue.ignored.split_at(count);
    if named.is_empty() {
        return Ok(());
    }
    writeln!(out, "{HEAD}Ignored{HEAD:#}")?;
    for one in named {
        let why = replace_unprintable(&one.why);
        writeln!(out, "{}  {DIM}{why}{DIM:#}", shown(&one.path))?;
    }
    if !more.is_empty() {
        let more = more.len();
        writeln!(out, "{DIM}and {more} more; --json shows all{DIM:#}")?;
    }
    writeln!(out)
}

fn section<T>(
    out: &mut dyn Write,
    title: &str,
    all: &[T],
    one: impl Fn(&mut dyn Write, &T) -> io::Result<()>,
) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out, "{HEAD}{title}{HEAD:#}")?;
    for item in all {
        one(out, item)?;
    }
    writeln!(out)
}

fn entry(out: &mut dyn Write, value: &Value, write: WriteEntry) -> io::Result<()> {
    match Json::parse(&value.to_string()) {
        Ok(json) => write(out, json),
        Err(_) => Ok(()),
    }
}

/// The members of a tool's result, and its mode unless that is a process per call.
fn result(out: &mut dyn Write, tool: &Tool) -> io::Result<()> {
    let properties = tool.shown["outputSchema"]["properties"].as_object();
    if let Some(properties) = properties {
        let names: Vec<_> = properties.keys().map(|name| escape_line(name)).collect();
        writeln!(out, "      {DIM}gives{DIM:#} {}", names.join(", "))?;
    }
    let how = match &tool.mode {
        Mode::Once => return Ok(()),
        Mode::Worker(_) => "by a long-running process",
        Mode::Mcp(_) => "is an MCP server, whose tools are mounted",
    };
    writeln!(out, "      {DIM}{how}{DIM:#}")
}

fn completion(out: &mut dyn Write, completion: &Completion) -> io::Result<()> {
    let of = match &completion.target {
        CompletionTarget::Prompt(name) => format!("prompt {name}"),
        CompletionTarget::Resource(template) => template.clone(),
    };
    let values = match &completion.values {
        Values::Run(_) => "by a program".to_owned(),
        Values::Static(values) if values.len() > SOME => {
            let first = values[..SOME].join(", ");
            format!("{first}, … ({} values)", values.len())
        }
        Values::Static(values) => values.join(", "),
    };
    writeln!(
        out,
        "{} {DIM}of{DIM:#} {}  {}",
        escape_line(&completion.argument),
        escape_line(&of),
        escape_line(&values)
    )
}

fn problem(out: &mut dyn Write, problem: &Problem) -> io::Result<()> {
    let (style, word) = match problem.severity {
        Severity::Error => (RED, "error"),
        Severity::Warning => (YELLOW, "warning"),
    };
    let line = problem
        .line
        .map_or_else(String::new, |line| format!(":{line}"));
    // A problem of the folder itself names the folder.
    let place = if problem.path.as_os_str() == "." {
        String::new()
    } else {
        format!("{}{line}: ", shown(&problem.path))
    };
    let text = escape_block(&problem.text, "  ");
    writeln!(out, "{style}{word}{style:#}: {place}{text}")?;
    match &problem.hint {
        Some(hint) => writeln!(out, "  {CYAN}hint{CYAN:#}: {}", escape_block(hint, "    ")),
        None => Ok(()),
    }
}

fn totals(report: &Report) -> String {
    let offered = match &report.catalogue {
        None => "nothing can be served".to_owned(),
        Some(catalogue) => summary(catalogue),
    };
    let count = |severity, one: &str| match report.count(severity) {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {one}s")),
    };
    let errors = count(Severity::Error, "error");
    let problems: Vec<String> = errors
        .into_iter()
        .chain(count(Severity::Warning, "warning"))
        .collect();
    let problems = if problems.is_empty() {
        "no problems".to_owned()
    } else {
        problems.join(", ")
    };
    format!("{offered}; {problems}")
}
