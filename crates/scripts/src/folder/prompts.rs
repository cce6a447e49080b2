//! Prompts: texts with front matter and `{{name}}` in them, programs, and metadata alone.

use std::sync::Arc;

use linkspan_schema::nearest;
use serde_json::{Map, Value};

use super::catalogue::{Completion, CompletionTarget, Program, Prompt, PromptBody, Role, Severity};
use super::declared::{Declared, completions, implied};
use super::fields;
use super::front;
use super::listing::{Item, Listing};
use super::meta::Meta;
use super::node::Node;
use super::placeholders::placeholders;
use super::programs::interpreter;
use super::reader::{MOST, Reader, unique};
use super::script::Kind;

/// Depth limit of prompts.
const DEEPEST: usize = 3;

/// A prompt with the completions of its arguments.
type Described = (Prompt, Vec<Completion>);

impl Reader<'_> {
    /// The prompts, and the completions that they declare.
    pub(super) fn prompts(&mut self) -> (Vec<Arc<Prompt>>, Vec<Arc<Completion>>) {
        let mut described = Vec::new();
        if let Some(listing) = self.enter_top("prompts") {
            self.prompts_of(&listing, 1, &mut described);
            self.crowd("prompts", described.len());
        }
        let (prompts, completions): (Vec<_>, Vec<_>) = described.into_iter().unzip();
        let prompts = unique(self, prompts, "prompt", |p| &p.name, |p| &p.source);
        let offered = |one: &Completion| prompts.iter().any(|p| p.source == one.source);
        let completions = completions
            .into_iter()
            .flatten()
            .filter(offered)
            .map(Arc::new)
            .collect();
        (prompts, completions)
    }

    fn prompts_of(&mut self, listing: &Listing, depth: usize, prompts: &mut Vec<Described>) {
        for item in &listing.files {
            if prompts.len() < MOST {
                let sidecars = listing.sidecars_of(item);
                prompts.extend(self.prompt(item, &sidecars));
            }
        }
        for (base, items) in listing.orphans() {
            prompts.extend(self.prompt_alone(base, items));
        }
        self.ignore_helpers(listing);
        for folder in listing.entry_folders() {
            let Some(inner) = self.enter(&folder.path, &folder.metadata) else {
                continue;
            };
            if depth < DEEPEST {
                self.prompts_of(&inner, depth + 1, prompts)
            } else {
                self.too_deep(folder, &inner, DEEPEST)
            }
        }
    }

    fn prompt(&mut self, item: &Item, sidecars: &[&Item]) -> Option<Described> {
        if !self.trusted(&item.shown, &item.path, &item.metadata) {
            return None;
        }
        let before = self.errors();
        let prompt = self.prompt_of_file(item, sidecars);
        if self.errors() > before {
            self.lose(item);
            return None;
        }
        prompt
    }

    fn prompt_of_file(&mut self, item: &Item, sidecars: &[&Item]) -> Option<Described> {
        let is_text = matches!(item.extension(), "md" | "markdown" | "txt" | "");
        if item.is_executable() || !is_text || item.extension().is_empty() {
            let mut script = self.script(item)?;
            let runs = script.kind != Kind::Other || interpreter(item.extension()).is_some();
            if runs && !item.is_executable() {
                self.not_executable(item);
                return None;
            }
            if runs || !is_text && item.is_executable() {
                let meta = self.describe(item, sidecars, script.inline.take(), fields::PROMPT)?;
                if self.disabled(item, &meta) {
                    return None;
                }
                for field in ["text", "messages", "role"] {
                    if meta.has(field) {
                        let text = format!("`{field}` has no effect beside a program");
                        self.tell_field(Severity::Warning, &meta, field, item, text);
                    }
                }
                let program = self.program(item, &script)?;
                return self.prompt_finish(
                    item,
                    &meta,
                    item.stem(),
                    Body::Run(program, script.comment),
                );
            }
            if !is_text {
                let text = "is not a prompt: a text ends in .md or .txt, a program is executable";
                self.warn(&item.shown, text.to_owned());
                return None;
            }
        }
        let text = self.text(item)?;
        let (front, body) = match item.extension() {
            "md" | "markdown" => front::split(&text),
            _ => (None, text.as_str()),
        };
        let meta = self.describe(item, sidecars, front, fields::PROMPT)?;
        if self.disabled(item, &meta) {
            return None;
        }
        self.prompt_finish(item, &meta, item.stem(), Body::Text(body, &text))
    }

    /// A prompt that consists of metadata only.
    fn prompt_alone(&mut self, base: &str, items: &[Item]) -> Option<Described> {
        let item = items.first()?;
        let before = self.errors();
        let sidecars: Vec<&Item> = items.iter().collect();
        let meta = self.describe(item, &sidecars, None, fields::PROMPT);
        let says = |meta: &Meta| meta.has("text") || meta.has("messages");
        let prompt = match meta {
            Some(meta) if self.disabled(item, &meta) => return None,
            Some(meta) if says(&meta) => self.prompt_finish(item, &meta, base, Body::Text("", "")),
            Some(_) => {
                let text = format!("there is no `{base}.md` that it describes");
                let hint = "add the text of the prompt as `text`".to_owned();
                self.warn(&item.shown, text).hint = Some(hint);
                None
            }
            None => None,
        };
        if self.errors() > before {
            self.lose(item);
            return None;
        }
        prompt
    }

    fn prompt_finish(
        &mut self,
        item: &Item,
        meta: &Meta,
        name: &str,
        body: Body<'_>,
    ) -> Option<Described> {
        let name = self.name(item, meta, name);
        let mut shown = Map::new();
        shown.insert("name".to_owned(), Value::String(name.clone()));
        meta.show(&["title", "description"], &mut shown);
        let (body, declared) = match body {
            Body::Run(program, comment) => {
                if let (false, Some(comment)) = (meta.has("description"), comment) {
                    shown.insert("description".to_owned(), Value::String(comment));
                }
                (PromptBody::Run(program), self.declared(item, meta)?)
            }
            Body::Text(body, file) => {
                let messages = self.messages(item, meta, body)?;
                let declared = if meta.has("arguments") {
                    let declared = self.declared(item, meta)?;
                    self.undeclared(item, &messages, &declared, file);
                    declared
                } else {
                    implied(&messages)
                };
                (PromptBody::Messages(messages), declared)
            }
        };
        if !declared.is_empty() {
            let list = declared.iter().map(|one| Value::Object(one.shown.clone()));
            shown.insert("arguments".to_owned(), list.collect());
        }
        meta.show(&["icons", "_meta"], &mut shown);
        let run = self.settings(meta, item);
        if let PromptBody::Run(program) = &body
            && !self.trusts(item, program, &run)
        {
            return None;
        }
        let target = CompletionTarget::Prompt(name.clone());
        let completions = completions(&declared, &target, item, &run);
        let prompt = Prompt {
            name,
            shown: Value::Object(shown),
            source: item.path.clone(),
            arguments: declared.into_iter().map(|one| one.argument).collect(),
            body,
            run,
        };
        Some((prompt, completions))
    }

    fn messages(&mut self, item: &Item, meta: &Meta, body: &str) -> Option<Vec<(Role, String)>> {
        let first = role(meta.text("role")).unwrap_or(Role::User);
        let ways = [
            (!body.trim().is_empty(), "the text of the file"),
            (meta.has("text"), "`text`"),
            (meta.has("messages"), "`messages`"),
        ];
        let given: Vec<_> = ways.iter().filter(|way| way.0).map(|way| way.1).collect();
        let messages = match given.as_slice() {
            [] => {
                let text = "the prompt has no text".to_owned();
                self.error(&item.shown, text);
                return None;
            }
            [_] => match (meta.node("messages"), meta.text("text")) {
                (Some(node), _) => {
                    let each = node.list().unwrap_or_default().iter();
                    each.map(|message| {
                        let text = message.member("text").and_then(Node::text);
                        let role = role(message.member("role").and_then(Node::text));
                        (
                            role.unwrap_or(Role::User),
                            text.unwrap_or_default().to_owned(),
                        )
                    })
                    .collect()
                }
                (None, Some(text)) => dialogue(text, first),
                (None, None) => dialogue(body, first),
            },
            [one, other, ..] => {
                let text = format!("both {one} and {other} give the text of the prompt");
                self.error(&item.shown, text);
                return None;
            }
        };
        Some(messages)
    }

    /// Warns about placeholders that are not declared arguments.
    fn undeclared(
        &mut self,
        item: &Item,
        messages: &[(Role, String)],
        declared: &[Declared],
        file: &str,
    ) {
        let known = || declared.iter().map(|one| one.argument.name.as_str());
        for (_, text) in messages {
            for name in placeholders(text) {
                if known().any(|known| known == name) {
                    continue;
                }
                let stands = |line: &str| placeholders(line).contains(&name);
                let line = file.lines().position(stands).map(|at| at + 1);
                let text = format!("`{{{{{name}}}}}` is not an argument of this prompt");
                let hint = nearest(name, known());
                let hint = hint.map(|near| format!("did you mean `{{{{{near}}}}}`?"));
                self.tell(Severity::Warning, &item.shown, line, text).hint = hint;
            }
        }
    }

    pub(super) fn too_deep(&mut self, folder: &Item, inner: &Listing, deepest: usize) {
        if !inner.files.is_empty() || !inner.folders.is_empty() {
            let text = format!("lies more than {deepest} folders deep and is ignored");
            self.warn(&folder.shown, text);
        }
    }
}

/// The source of a prompt's text.
enum Body<'a> {
    /// A program and its first comment.
    Run(Program, Option<String>),
    /// A text and the name of its file.
    Text(&'a str, &'a str),
}

fn role(word: Option<&str>) -> Option<Role> {
    match word? {
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        _ => None,
    }
}

/// Splits a text at lines like `--- assistant ---` into messages.
fn dialogue(text: &str, first: Role) -> Vec<(Role, String)> {
    let mut messages = vec![(first, String::new())];
    for line in text.split_inclusive('\n') {
        let mark = line
            .trim()
            .strip_prefix("---")
            .and_then(|l| l.strip_suffix("---"));
        match role(mark.map(str::trim)) {
            Some(role) => messages.push((role, String::new())),
            None => {
                if let Some((_, text)) = messages.last_mut() {
                    text.push_str(line);
                }
            }
        }
    }
    let trimmed = messages.into_iter().map(|(role, text)| {
        let text = text.trim_end().trim_start_matches(['\n', '\r']);
        (role, text.to_owned())
    });
    trimmed.filter(|(_, text)| !text.is_empty()).collect()
}

#[cfg(test)]
#[path = "prompts_tests.rs"]
mod tests;
