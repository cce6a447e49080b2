//! Completion programs of `completions/`, and resource providers of `providers/`.

use std::sync::Arc;

use linkspan_schema::nearest;

use super::catalogue::{
    Completion, CompletionTarget, Prompt, Provider, Severity, Template, Values,
};
use super::fields;
use super::listing::{Item, Listing};
use super::meta::Meta;
use super::names;
use super::node::Format;
use super::reader::Reader;
use super::script::Kind;
use super::uri;

/// The prompts and templates whose arguments can be completed.
pub(super) struct Targets<'a> {
    pub(super) prompts: &'a [Arc<Prompt>],
    pub(super) templates: &'a [Arc<Template>],
}

impl Reader<'_> {
    /// Adds the entries of `completions/`. A completion declared by the argument itself has priority.
    pub(super) fn completions(&mut self, targets: &Targets<'_>, known: &mut Vec<Arc<Completion>>) {
        let Some(listing) = self.enter_top("completions") else {
            return;
        };
        self.ignore_folders(&listing);
        for item in &listing.files {
            if self.trusted(&item.shown, &item.path, &item.metadata) {
                let before = self.errors();
                let completion = self.completion(item, &listing, targets);
                self.add(item, completion, before, known);
            }
        }
        for (base, items) in listing.orphans() {
            if let Some(item) = items.first() {
                let before = self.errors();
                let completion = self.completion_alone(base, items, targets);
                self.add(item, completion, before, known);
            }
        }
    }

    fn add(
        &mut self,
        item: &Item,
        completion: Option<Completion>,
        before: usize,
        known: &mut Vec<Arc<Completion>>,
    ) {
        if self.errors() > before {
            self.lose(item);
            return;
        }
        let Some(completion) = completion else { return };
        let same = |other: &&Arc<Completion>| {
            other.target == completion.target && other.argument == completion.argument
        };
        match known.iter().find(same) {
            Some(other) => {
                let taken = self.relative(&other.source);
                let text = format!("{} already completes this argument", taken.display());
                self.warn(&item.shown, text);
            }
            None => known.push(Arc::new(completion)),
        }
    }

    fn completion(
        &mut self,
        item: &Item,
        listing: &Listing,
        targets: &Targets<'_>,
    ) -> Option<Completion> {
        let sidecars = listing.sidecars_of(item);
        let mut script = self.script(item)?;
        let runs = script.kind != Kind::Other;
        if runs && !item.is_executable() {
            self.not_executable(item);
            return None;
        }
        let inline = script.inline.take().filter(|_| runs);
        let meta = self.describe(item, &sidecars, inline, fields::COMPLETION)?;
        if self.disabled(item, &meta) {
            return None;
        }
        if meta.has("values") {
            let text = "`values` has no effect beside a file".to_owned();
            self.tell_field(Severity::Warning, &meta, "values", item, text);
        }
        let (target, argument) = self.target(item, &meta, &item.name, targets)?;
        let values = if runs {
            Values::Run(self.program(item, &script)?)
        } else {
            Values::Static(self.values(item)?)
        };
        let run = self.settings(&meta, item);
        if let Values::Run(program) = &values
            && !self.trusts(item, program, &run)
        {
            return None;
        }
        Some(Completion {
            target,
            argument,
            source: item.path.clone(),
            values,
            run,
        })
    }

    fn completion_alone(
        &mut self,
        base: &str,
        items: &[Item],
        targets: &Targets<'_>,
    ) -> Option<Completion> {
        let item = items.first()?;
        let sidecars: Vec<&Item> = items.iter().collect();
        let meta = self.describe(item, &sidecars, None, fields::COMPLETION)?;
        if self.disabled(item, &meta) {
            return None;
        }
        let Some(values) = meta.texts("values") else {
            let text = format!("there is no file `{base}`, and no `values`");
            self.warn(&item.shown, text);
            return None;
        };
        let (target, argument) = self.target(item, &meta, base, targets)?;
        Some(Completion {
            target,
            argument,
            source: item.path.clone(),
            values: Values::Static(values),
            run: self.settings(&meta, item),
        })
    }

    /// The values in a file: a JSON list, or one value per line.
    fn values(&mut self, item: &Item) -> Option<Vec<String>> {
        let text = self.text(item)?;
        if item.extension() != "json" {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            return Some(lines.map(str::to_owned).collect());
        }
        let node = match Format::Json.parse(&text) {
            Ok(node) => node,
            Err(error) => {
                self.tell(Severity::Error, &item.shown, Some(error.line), error.text);
                return None;
            }
        };
        let values = node.list().unwrap_or_default().iter();
        let values: Option<Vec<_>> = values.map(|v| v.scalar().map(str::to_owned)).collect();
        let values = values.filter(|_| node.list().is_some());
        if values.is_none() {
            let text = "a list of texts was expected".to_owned();
            self.tell(Severity::Error, &item.shown, Some(node.line), text);
        }
        values
    }

    /// The completed argument: from the metadata, else from the name `PROMPT.ARGUMENT`.
    fn target(
        &mut self,
        item: &Item,
        meta: &Meta,
        name: &str,
        targets: &Targets<'_>,
    ) -> Option<(CompletionTarget, String)> {
        let mut parts = name.split('.');
        let (first, second) = (parts.next().unwrap_or_default(), parts.next());
        let owner = meta.text("prompt").unwrap_or(first);
        let Some(argument) = meta.text("argument").or(second) else {
            let text = "its name does not identify the argument that it completes".to_owned();
            let hint = "call it `PROMPT.ARGUMENT`, with an extension if you like".to_owned();
            self.error(&item.shown, text).hint = Some(hint);
            return None;
        };
        let named = |template: &&Arc<Template>| {
            let name = template.shown["name"].as_str().unwrap_or_default();
            name == owner || names::fit(name) == owner
        };
        let (target, known): (_, Vec<&str>) = if let Some(pattern) = meta.text("uriTemplate") {
            let mut templates = targets.templates.iter();
            if !templates.any(|template| template.uri_template == pattern) {
                let text = format!("there is no resource template {pattern:?}");
                self.tell_field(Severity::Error, meta, "uriTemplate", item, text);
                return None;
            }
            let target = CompletionTarget::Resource(pattern.to_owned());
            (target, uri::variables(pattern).unwrap_or_default())
        } else if let Some(prompt) = targets.prompts.iter().find(|p| p.name == owner) {
            let known = prompt.arguments.iter().map(|a| a.name.as_str());
            (
                CompletionTarget::Prompt(prompt.name.clone()),
                known.collect(),
            )
        } else if let Some(template) = targets.templates.iter().find(named) {
            let pattern = &template.uri_template;
            let target = CompletionTarget::Resource(pattern.clone());
            (target, uri::variables(pattern).unwrap_or_default())
        } else {
            let text = format!("there is no prompt and no resource template `{owner}`");
            let all = targets.prompts.iter().map(|prompt| prompt.name.as_str());
            let hint = nearest(owner, all).map(|near| format!("did you mean `{near}`?"));
            self.error(&item.shown, text).hint = hint;
            return None;
        };
        if !known.contains(&argument) {
            let text = format!("`{owner}` has no argument `{argument}`");
            let near = nearest(argument, known.iter().copied());
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            self.error(&item.shown, text).hint = hint;
            return None;
        }
        Some((target, argument.to_owned()))
    }

    pub(super) fn providers(&mut self) -> Vec<Arc<Provider>> {
        let mut found: Vec<Arc<Provider>> = Vec::new();
        let Some(listing) = self.enter_top("providers") else {
            return found;
        };
        self.ignore_folders(&listing);
        for item in &listing.files {
            if !item.is_executable() {
                self.not_executable(item);
                continue;
            }
            if !self.trusted(&item.shown, &item.path, &item.metadata) {
                continue;
            }
            let before = self.errors();
            let provider = self.provider(item, &listing.sidecars_of(item));
            if self.errors() > before {
                self.lose(item);
                continue;
            }
            let Some(provider) = provider else { continue };
            if found.iter().any(|other| other.scheme == provider.scheme) {
                let text = format!("there is already a provider of `{}`", provider.scheme);
                self.warn(&item.shown, text);
            } else {
                found.push(Arc::new(provider))
            }
        }
        self.orphans(&listing, |_, _| false);
        found
    }

    fn provider(&mut self, item: &Item, sidecars: &[&Item]) -> Option<Provider> {
        let mut script = self.script(item)?;
        let inline = script.inline.take();
        let meta = self.describe(item, sidecars, inline, fields::PROVIDER)?;
        if self.disabled(item, &meta) {
            return None;
        }
        let scheme = item.stem().to_ascii_lowercase();
        if !uri::is_scheme(&scheme) {
            let text = format!("`{scheme}` cannot be the scheme of an address");
            self.error(&item.shown, text);
            return None;
        }
        let program = self.program(item, &script)?;
        let run = self.settings(&meta, item);
        if !self.trusts(item, &program, &run) {
            return None;
        }
        Some(Provider {
            scheme,
            source: item.path.clone(),
            program,
            run,
        })
    }
}

#[cfg(test)]
#[path = "completions_tests.rs"]
mod tests;
