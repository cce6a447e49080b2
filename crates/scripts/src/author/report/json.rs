//! The report as JSON.

use serde_json::{Value, json};

use super::{Report, repaired};
use crate::folder::{Catalogue, Completion, CompletionTarget, Problem, Severity, Values};

pub(super) fn json(report: &Report, good: bool) -> Value {
    let problems: Vec<Value> = report.problems.iter().map(problem_json).collect();
    let mut all = json!({ "ok": good });
    if let Some(catalogue) = &report.catalogue {
        offered_json(&mut all, catalogue);
    }
    all["errors"] = report.count(Severity::Error).into();
    all["warnings"] = report.count(Severity::Warning).into();
    all["problems"] = problems.into();
    all["fixed"] = report.fixed.iter().map(repaired).collect();
    all
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
