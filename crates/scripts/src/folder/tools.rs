//! Tools: executable files, folders with a `tool.*`, and command lines in a `*.tool.yaml`.

use std::path::Path;
use std::sync::Arc;

use linkspan_schema::nearest;
use serde_json::{Map, Value, json};

use super::apply;
use super::catalogue::{Program, Severity, Tool};
use super::fields;
use super::listing::{Item, Listing};
use super::meta::Meta;
use super::names;
use super::node::Format;
use super::programs::interpreter;
use super::reader::{MOST, Reader, unique};
use super::script::Kind;
use super::server::Filter;
use super::settings::Mode;

/// Depth limit of tools.
const DEEPEST: usize = 3;

impl Reader<'_> {
    pub(super) fn tools(&mut self, filter: &Filter) -> Vec<Arc<Tool>> {
        let mut tools = Vec::new();
        if let Some(listing) = self.enter_top("tools") {
            self.tools_of(&listing, 1, &mut tools);
            self.crowd("tools", tools.len());
        }
        let tools = unique(self, tools, "tool", |t| &t.name, |t| &t.source);
        let (allowed, others): (Vec<_>, Vec<_>) = tools
            .into_iter()
            .partition(|tool| filter.allows(&tool.name));
        for tool in others {
            let path = self.relative(&tool.source);
            self.ignore(&path, "`allow` and `deny` of the server leave it out");
        }
        allowed
    }

    fn tools_of(&mut self, listing: &Listing, depth: usize, tools: &mut Vec<Tool>) {
        for item in &listing.files {
            if tools.len() < MOST {
                tools.extend(self.tool(item, listing, None));
            }
        }
        self.orphans(listing, |_, _| false);
        self.ignore_helpers(listing);
        for folder in listing.entry_folders() {
            let Some(inner) = self.enter(&folder.path, &folder.metadata) else {
                continue;
            };
            let mains = inner.files.iter().filter(|item| item.stem() == "tool");
            let mains: Vec<&Item> = mains.collect();
            // A `tool.md` beside `tool.sh` is its documentation.
            let runs = |item: &&&Item| item.is_executable() || template_name(item, true).is_some();
            let main = mains.iter().find(runs).or(mains.first()).copied();
            if let Some(main) = main {
                let others = mains.iter().filter(|item| item.name != main.name);
                for other in others.filter(runs) {
                    let text = format!("{} is already the tool of this folder", main.name);
                    self.warn(&other.shown, text);
                }
                self.ignore_parts(main, &inner);
                if tools.len() < MOST {
                    tools.extend(self.tool(main, &inner, Some(&folder.name)));
                }
            } else if depth < DEEPEST {
                self.tools_of(&inner, depth + 1, tools);
            } else if !inner.files.is_empty() {
                let text = format!("lies more than {DEEPEST} folders deep and is ignored");
                self.warn(&folder.shown, text);
            } else {
                let why = format!("it lies more than {DEEPEST} folders deep");
                self.ignore(&folder.shown, why);
            }
        }
    }

    /// Records folders of helper code as ignored.
    pub(super) fn ignore_helpers(&mut self, listing: &Listing) {
        for folder in listing.folders.iter().filter(|f| f.is_for_helpers()) {
            self.ignore(&folder.shown, "a folder for what tools need");
        }
    }

    /// Records the files beside a tool that has a folder of its own as ignored.
    fn ignore_parts(&mut self, main: &Item, inner: &Listing) {
        let why = format!("it belongs to the tool {}", main.shown.display());
        let own: Vec<&Path> = inner
            .sidecars_of(main)
            .into_iter()
            .map(|item| item.path.as_path())
            .collect();
        let sidecars = inner.sidecars.values().flatten();
        let others = inner.files.iter().chain(sidecars).chain(&inner.folders);
        for item in others.filter(|item| item.path != main.path) {
            if !own.contains(&item.path.as_path()) {
                self.ignore(&item.shown, why.clone());
            }
        }
    }

    /// Reports metadata files that describe no file.
    pub(super) fn orphans(&mut self, listing: &Listing, used: impl Fn(&str, &Item) -> bool) {
        for (base, items) in listing.orphans() {
            for item in items.iter().filter(|item| !used(base, item)) {
                let text = format!("there is no file `{base}` or `{base}.*` that it describes");
                let files = listing.files.iter().map(Item::stem);
                let near = nearest(base, files);
                let hint = near.map(|near| format!("did you mean `{near}`?"));
                self.warn(&item.shown, text).hint = hint;
            }
        }
    }

    fn tool(&mut self, item: &Item, listing: &Listing, folder: Option<&str>) -> Option<Tool> {
        let sidecars = listing.sidecars_of(item);
        let template = template_name(item, folder.is_some());
        let name = folder.or(template).unwrap_or(item.stem());
        if template.is_none() && !item.is_executable() {
            self.no_tool(item);
            return None;
        }
        if !self.trusted(&item.shown, &item.path, &item.metadata) {
            return None;
        }
        let before = self.errors();
        let tool = match template {
            Some(_) => self.template_tool(item, &sidecars, name),
            None => self.script_tool(item, &sidecars, name),
        };
        if self.errors() > before {
            self.lose(item);
            return None;
        }
        tool
    }

    /// Reports a file that is not a tool.
    fn no_tool(&mut self, item: &Item) {
        let script = self.script(item);
        let is_script = script.is_some_and(|script| script.kind != Kind::Other);
        if is_script || interpreter(item.extension()).is_some() {
            self.not_executable(item);
        } else {
            let text = "is not executable, so it is not a tool".to_owned();
            self.warn(&item.shown, text);
        }
    }

    fn script_tool(&mut self, item: &Item, sidecars: &[&Item], name: &str) -> Option<Tool> {
        let mut script = self.script(item)?;
        let meta = self.describe(item, sidecars, script.inline.take(), fields::TOOL)?;
        if meta.has("exec") {
            let text = "`exec` is only for files without a program, such as `name.tool.yaml`";
            self.tell_field(Severity::Error, &meta, "exec", item, text.to_owned());
        }
        if self.disabled(item, &meta) {
            return None;
        }
        let program = self.program(item, &script)?;
        self.finish(item, meta, name, program, script.comment)
    }

    pub(super) fn finish(
        &mut self,
        item: &Item,
        meta: Meta,
        name: &str,
        program: Program,
        comment: Option<String>,
    ) -> Option<Tool> {
        let name = self.name(item, &meta, name);
        let mut shown = Map::new();
        shown.insert("name".to_owned(), Value::String(name.clone()));
        meta.show(&["title", "description"], &mut shown);
        let mode = apply::mode(&meta);
        if !meta.has("description") {
            match comment {
                Some(comment) => {
                    shown.insert("description".to_owned(), Value::String(comment));
                }
                // A mounted server describes its own tools.
                None if matches!(mode, Mode::Mcp(_)) => {}
                None => {
                    let text = "has no description; a model cannot know what it is for".to_owned();
                    let hint = match program {
                        Program::Template(_) => "add `description:`",
                        Program::Argv(_) => "begin it with a comment, or add `description`",
                    };
                    self.warn(&item.shown, text).hint = Some(hint.to_owned());
                }
            }
        }
        let input = self.input(item, &meta, &program)?;
        let compiled = match &input {
            Some((schema, field)) => Some(self.schema(item, &meta, field, schema)?),
            None => None,
        };
        let schema = input.map_or_else(|| json!({"type": "object"}), |(schema, _)| schema);
        shown.insert("inputSchema".to_owned(), schema);
        let output = match meta.value("outputSchema") {
            Some(schema) => {
                let schema = self.object_schema(item, &meta, "outputSchema", schema)?;
                let compiled = self.schema(item, &meta, "outputSchema", &schema)?;
                shown.insert("outputSchema".to_owned(), schema);
                Some(compiled)
            }
            None => None,
        };
        meta.show(&["annotations", "icons", "_meta"], &mut shown);
        let run = self.settings(&meta, item);
        if !self.trusts(item, &program, &run) {
            return None;
        }
        let reads_only = shown
            .get("annotations")
            .is_some_and(|hints| hints["readOnlyHint"] == true);
        if reads_only && !run.sandbox.write.is_empty() {
            let text = "`readOnlyHint` is true, but the sandbox lets it write".to_owned();
            self.tell_field(Severity::Warning, &meta, "annotations", item, text);
        }
        for (field, wanted) in [("workers", "worker"), ("prefix", "mcp")] {
            if meta.has(field) && meta.text("mode") != Some(wanted) {
                let text = format!("`{field}` says nothing without `mode: {wanted}`");
                self.tell_field(Severity::Warning, &meta, field, item, text);
            }
        }
        Some(Tool {
            name,
            shown: Value::Object(shown),
            source: item.path.clone(),
            program,
            mode,
            input: compiled,
            output,
            run,
            metadata: meta.to_value(),
        })
    }

    /// The name of a tool or prompt, as clients accept it.
    pub(super) fn name(&mut self, item: &Item, meta: &Meta, from_file: &str) -> String {
        let wanted = meta.text("name").unwrap_or(from_file);
        let name = names::fit(wanted);
        if name != wanted {
            let text = format!("is called `{name}`, because clients do not accept {wanted:?}");
            let hint = "a name has letters, digits, `_` and `-`, and at most 64 of them".to_owned();
            let problem = self.tell_field(Severity::Warning, meta, "name", item, text);
            problem.hint = Some(hint);
        }
        name
    }
}

/// The name of a tool that consists of metadata only: `du` of `du.tool.yaml`; in a folder of its own
/// `tool.yaml` suffices.
fn template_name(item: &Item, has_folder: bool) -> Option<&str> {
    Format::of(Path::new(&item.name))?;
    let stem = item.stem();
    match stem.strip_suffix(".tool") {
        Some(name) if !name.is_empty() => Some(name),
        _ => (has_folder && stem == "tool").then_some(stem),
    }
}

#[cfg(test)]
#[path = "tools_tests.rs"]
mod tests;
