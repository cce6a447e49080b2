//! Declared arguments of prompts and variables of templates.

use serde_json::{Map, Value};

use super::arguments;
use super::catalogue::{Argument, Completion, CompletionTarget, Role, Severity, Values};
use super::listing::Item;
use super::meta::{Meta, texts};
use super::node::Node;
use super::placeholders::placeholders;
use super::reader::Reader;
use super::settings::RunSettings;

/// A declared argument.
pub(super) struct Declared {
    pub(super) argument: Argument,
    pub(super) shown: Map<String, Value>,
    completions: Vec<String>,
}

impl Declared {
    fn of(name: String, node: &Node) -> Self {
        let text = |field| node.member(field).and_then(Node::text);
        let mut shown = Map::new();
        shown.insert("name".to_owned(), Value::String(name.clone()));
        for field in ["title", "description"] {
            if let Some(text) = text(field) {
                shown.insert(field.to_owned(), Value::String(text.to_owned()));
            }
        }
        let required = node.member("required").and_then(Node::flag) == Some(true);
        if required {
            shown.insert("required".to_owned(), Value::Bool(true));
        }
        let default = node.member("default").and_then(Node::scalar);
        Self {
            argument: Argument {
                name,
                required,
                default: default.map(str::to_owned),
            },
            shown,
            completions: node.member("completions").map(texts).unwrap_or_default(),
        }
    }
}

impl Reader<'_> {
    /// The `arguments` of a prompt or template.
    pub(super) fn declared(&mut self, item: &Item, meta: &Meta) -> Option<Vec<Declared>> {
        let Some(node) = meta.node("arguments") else {
            return Some(Vec::new());
        };
        let named = match arguments::named(node) {
            Ok(named) => named,
            Err(wrong) => {
                let problem = self.tell_field(Severity::Error, meta, "arguments", item, wrong.text);
                problem.line = Some(wrong.line);
                return None;
            }
        };
        let mut declared: Vec<Declared> = Vec::new();
        for (name, line, node) in named {
            if declared.iter().any(|one| one.argument.name == name) {
                let text = format!("the argument `{name}` is defined twice");
                let problem = self.tell_field(Severity::Error, meta, "arguments", item, text);
                problem.line = Some(line);
                return None;
            }
            declared.push(Declared::of(name, node));
        }
        Some(declared)
    }
}

/// The arguments of a text without declarations: each placeholder is required.
pub(super) fn implied(messages: &[(Role, String)]) -> Vec<Declared> {
    let mut found: Vec<Declared> = Vec::new();
    for name in messages.iter().flat_map(|(_, text)| placeholders(text)) {
        if found.iter().any(|one| one.argument.name == name) {
            continue;
        }
        let mut shown = Map::new();
        shown.insert("name".to_owned(), Value::String(name.to_owned()));
        shown.insert("required".to_owned(), Value::Bool(true));
        found.push(Declared {
            argument: Argument {
                name: name.to_owned(),
                required: true,
                default: None,
            },
            shown,
            completions: Vec::new(),
        });
    }
    found
}

/// The completions that arguments declare.
pub(super) fn completions(
    declared: &[Declared],
    target: &CompletionTarget,
    item: &Item,
    run: &RunSettings,
) -> Vec<Completion> {
    let with = declared.iter().filter(|one| !one.completions.is_empty());
    with.map(|one| Completion {
        target: target.clone(),
        argument: one.argument.name.clone(),
        source: item.path.clone(),
        values: Values::Static(one.completions.clone()),
        run: run.clone(),
    })
    .collect()
}
