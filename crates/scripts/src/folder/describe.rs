//! Reads the metadata of an entry and the settings in it.

use std::fs;

use super::catalogue::Severity;
use super::fields::{self, Places};
use super::listing::Item;
use super::meta::{Layer, Meta, texts};
use super::node::{Data, Format, Node, SyntaxError};
use super::reader::Reader;
use super::settings::RunSettings;

impl Reader<'_> {
    /// The metadata of an entry, from a file beside it and from inside it.
    pub(super) fn describe(
        &mut self,
        item: &Item,
        sidecars: &[&Item],
        inline: Option<Result<Node, SyntaxError>>,
        place: Places,
    ) -> Option<Meta> {
        let before = self.errors();
        let mut layers = Vec::new();
        if let [first, second, ..] = sidecars {
            let text = format!("{} describes the same entry", first.name);
            self.error(&second.shown, text).hint = Some("keep one of them".to_owned());
        }
        for sidecar in sidecars.iter().take(1) {
            layers.extend(self.layer(sidecar));
        }
        match inline {
            Some(Ok(node)) => layers.push(Layer {
                path: item.shown.clone(),
                node,
            }),
            Some(Err(error)) => {
                self.tell(Severity::Error, &item.shown, Some(error.line), error.text);
            }
            None => {}
        }
        self.check(&layers, place);
        (self.errors() == before).then(|| Meta::merge(layers))
    }

    /// The metadata in a metadata file.
    pub(super) fn layer(&mut self, item: &Item) -> Option<Layer> {
        let text = self.text(item)?;
        let format = Format::of(&item.path).unwrap_or(Format::Yaml);
        let path = item.shown.clone();
        match format.parse(&text) {
            Ok(node) if matches!(node.data, Data::Map(_)) => Some(Layer { path, node }),
            Ok(node) => {
                let text = format!("a map of fields was expected, not {}", node.kind());
                self.tell(Severity::Error, &path, Some(node.line), text);
                None
            }
            Err(error) => {
                self.tell(Severity::Error, &path, Some(error.line), error.text);
                None
            }
        }
    }

    pub(super) fn check(&mut self, layers: &[Layer], place: Places) {
        for layer in layers {
            let members = layer.node.map().unwrap_or_default();
            for finding in fields::check(members, place) {
                let severity = if finding.fatal {
                    Severity::Error
                } else {
                    Severity::Warning
                };
                let line = Some(finding.line);
                self.tell(severity, &layer.path, line, finding.text).hint = finding.hint;
            }
        }
    }

    /// The settings of an entry.
    pub(super) fn settings(&mut self, meta: &Meta, item: &Item) -> RunSettings {
        let mut run = self.defaults.clone();
        run.apply(meta, &self.root);
        let own = meta.count("concurrency");
        run.concurrency = own.map_or(run.concurrency, |count| Some(count as usize));
        self.cwd(&mut run, meta, item);
        self.unexpanded(meta, item);
        if let Some(least) = self.options.sandbox {
            run.sandbox.level = run.sandbox.level.max(least);
        }
        run
    }

    /// Warns about shell expansion in paths, which are taken literally.
    fn unexpanded(&mut self, meta: &Meta, item: &Item) {
        let Some(sandbox) = meta.node("sandbox") else {
            return;
        };
        for name in ["read", "write"] {
            let Some(paths) = sandbox.member(name) else {
                continue;
            };
            for path in texts(paths)
                .iter()
                .filter(|path| path.starts_with(['~', '$']))
            {
                let text = format!("`{path}` is used literally: no shell expands it");
                let hint = "write the whole path".to_owned();
                let problem = self.tell_field(Severity::Warning, meta, "sandbox", item, text);
                problem.line = Some(paths.line);
                problem.hint = Some(hint);
            }
        }
    }

    /// Sets the working directory, which must be inside the root.
    pub(super) fn cwd(&mut self, run: &mut RunSettings, meta: &Meta, item: &Item) {
        let Some(cwd) = meta.text("cwd") else { return };
        let path = fs::canonicalize(self.root.join(cwd));
        match path {
            Ok(path) if path.starts_with(&self.root) && path.is_dir() => run.cwd = Some(path),
            Ok(_) => {
                let text = format!("`cwd` {cwd:?} is not a folder inside this one");
                self.tell_field(Severity::Error, meta, "cwd", item, text);
            }
            Err(error) => {
                let text = format!("`cwd` {cwd:?}: {error}");
                self.tell_field(Severity::Error, meta, "cwd", item, text);
            }
        }
    }
}
