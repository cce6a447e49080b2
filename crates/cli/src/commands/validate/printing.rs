//! The report, for people and for programs.

use anstyle::{AnsiColor, Style};
use linkspan_scripts::author::{Repair, Report};
use linkspan_scripts::folder::{
    Catalogue, Completion, CompletionTarget, Mode, Problem, Severity, Tool, Values,
};
use linkspan_wire::Json;
use serde_json::{Value, json};

use crate::folder;
use crate::show::{self, clean, indented, on_one_line, path as shown, raw, say};

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

/// More ignored files than this are not shown.
const MOST_IGNORED: usize = 50;

/// More values than this of a completion are not shown.
const SOME: usize = 8;

pub(super) fn text(report: &Report, fix: bool) {
    for done in &report.fixed {
        say!("fixed: {}", clean(&repaired(done)));
    }
    if !report.fixed.is_empty() {
        say!("");
    }
    if let Some(catalogue) = &report.catalogue {
        offered(catalogue);
    }
    for problem in &report.problems {
        self::problem(problem);
    }
    if !report.problems.is_empty() {
        say!("");
    }
    say!("{}", summary(report));
    let fixable = report.problems.iter().filter(|p| p.fix.is_some()).count();
    if fixable > 0 && !fix {
        say!("{}: linkspan validate --fix", mends(fixable));
    }
}

fn repaired(repair: &Repair) -> String {
    format!("{} {} now", shown(&repair.path), repair.effect)
}

fn mends(fixable: usize) -> String {
    match fixable {
        1 => "one of them can be fixed".to_owned(),
        n => format!("{n} of them can be fixed"),
    }
}

fn offered(catalogue: &Catalogue) {
    let server = &catalogue.server.shown;
    let word = |key: &str| on_one_line(server[key].as_str().unwrap_or_default());
    let whose = match catalogue.program {
        None => String::new(),
        Some(program) => format!(", a project of {program}"),
    };
    say!(
        "{HEAD}{} {}{HEAD:#}{DIM}{whose} ({}){DIM:#}",
        word("name"),
        word("version"),
        shown(&catalogue.root)
    );
    say!("");
    section("Tools", &catalogue.tools, |tool| {
        each(&tool.shown, show::tool);
        result(tool);
    });
    section("Resources", &catalogue.resources, |r| {
        each(&r.shown, show::resource);
    });
    section("Resource templates", &catalogue.templates, |t| {
        each(&t.shown, show::resource);
    });
    section("Prompts", &catalogue.prompts, |prompt| {
        each(&prompt.shown, show::prompt);
    });
    section("Completions", &catalogue.completions, |c| completion(c));
    section("Providers", &catalogue.providers, |provider| {
        say!("{}://", on_one_line(&provider.scheme));
    });
    let shown_count = catalogue.ignored.len().min(MOST_IGNORED);
    let (shown_ones, more) = catalogue.ignored.split_at(shown_count);
    if shown_ones.is_empty() {
        return;
    }
    say!("{HEAD}Ignored{HEAD:#}");
    for one in shown_ones {
        say!("{}  {DIM}{}{DIM:#}", shown(&one.path), clean(&one.why));
    }
    if !more.is_empty() {
        say!("{DIM}and {} more; --json shows all{DIM:#}", more.len());
    }
    say!("");
}

fn section<T>(title: &str, all: &[T], one: impl Fn(&T)) {
    if all.is_empty() {
        return;
    }
    say!("{HEAD}{title}{HEAD:#}");
    all.iter().for_each(one);
    say!("");
}

/// As the commands that ask a server show it.
fn each(value: &Value, show: fn(Json<'_>)) {
    if let Ok(json) = Json::parse(&value.to_string()) {
        show(json);
    }
}

/// What a tool gives back, and how it runs if that is not as usual.
fn result(tool: &Tool) {
    let properties = tool.shown["outputSchema"]["properties"].as_object();
    if let Some(properties) = properties {
        let names: Vec<String> = properties.keys().map(|name| on_one_line(name)).collect();
        say!("      {DIM}gives{DIM:#} {}", names.join(", "));
    }
    match &tool.mode {
        Mode::Once => {}
        Mode::Worker(_) => say!("      {DIM}by a process that stays{DIM:#}"),
        Mode::Mcp(_) => say!("      {DIM}is a server, whose tools are offered in its place{DIM:#}"),
    }
}

fn completion(completion: &Completion) {
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
    say!(
        "{} {DIM}of{DIM:#} {}  {}",
        on_one_line(&completion.argument),
        on_one_line(&of),
        on_one_line(&values)
    );
}

fn problem(problem: &Problem) {
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
    say!(
        "{style}{word}{style:#}: {place}{}",
        indented(&problem.text, "  ")
    );
    if let Some(hint) = &problem.hint {
        say!("  {CYAN}hint{CYAN:#}: {}", indented(hint, "    "));
    }
}

fn summary(report: &Report) -> String {
    let mut parts = Vec::new();
    match &report.catalogue {
        None => parts.push("nothing can be served".to_owned()),
        Some(all) => parts.push(folder::offered(all)),
    }
    let problem = |severity, one: &str, many: &str| match report.count(severity) {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    };
    let problems: Vec<String> = [
        problem(Severity::Error, "error", "errors"),
        problem(Severity::Warning, "warning", "warnings"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let problems = if problems.is_empty() {
        "no problems".to_owned()
    } else {
        problems.join(", ")
    };
    format!("{}; {problems}", parts.join(", "))
}

pub(super) fn json(report: &Report, good: bool) {
    let problems: Vec<Value> = report.problems.iter().map(problem_json).collect();
    let mut all = json!({ "ok": good });
    if let Some(catalogue) = &report.catalogue {
        offered_json(&mut all, catalogue);
    }
    all["errors"] = report.count(Severity::Error).into();
    all["warnings"] = report.count(Severity::Warning).into();
    all["problems"] = problems.into();
    all["fixed"] = report.fixed.iter().map(repaired).collect();
    raw(&all.to_string());
}

fn offered_json(all: &mut Value, catalogue: &Catalogue) {
    all["folder"] = catalogue.root.to_string_lossy().into();
    all["dialect"] = catalogue.program.unwrap_or("native").into();
    all["server"] = catalogue.server.shown.clone();
    if let Some(instructions) = &catalogue.server.instructions {
        all["instructions"] = instructions.clone().into();
    }
    let list = |of: Vec<&Value>| Value::from_iter(of.into_iter().cloned());
    all["tools"] = list(catalogue.tools.iter().map(|t| &t.shown).collect());
    all["resources"] = list(catalogue.resources.iter().map(|r| &r.shown).collect());
    all["resourceTemplates"] = list(catalogue.templates.iter().map(|t| &t.shown).collect());
    all["prompts"] = list(catalogue.prompts.iter().map(|p| &p.shown).collect());
    all["completions"] = catalogue
        .completions
        .iter()
        .map(|c| completion_json(c))
        .collect();
    all["ignored"] = catalogue
        .ignored
        .iter()
        .map(|one| json!({ "path": one.path.to_string_lossy(), "why": one.why }))
        .collect();
    all["providers"] = catalogue
        .providers
        .iter()
        .map(|p| json!(p.scheme))
        .collect();
}

fn completion_json(completion: &Completion) -> Value {
    let of = match &completion.target {
        CompletionTarget::Prompt(name) => json!({ "type": "ref/prompt", "name": name }),
        CompletionTarget::Resource(uri) => json!({ "type": "ref/resource", "uri": uri }),
    };
    let values = match &completion.values {
        Values::Static(values) => json!(values),
        Values::Run(_) => Value::Null,
    };
    json!({ "ref": of, "argument": completion.argument, "values": values })
}

fn problem_json(problem: &Problem) -> Value {
    json!({
        "severity": match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "path": problem.path.to_string_lossy(),
        "line": problem.line,
        "text": problem.text,
        "hint": problem.hint,
        "fixable": problem.fix.is_some(),
    })
}
