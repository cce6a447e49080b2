//! Resources: plain files, program output, and metadata alone.

use std::path::Path;

use super::catalogue::{Read, Severity};
use super::fields;
use super::listing::{Item, Listing};
use super::programs::interpreter;
use super::readable::{Defaults, Readable};
use super::reader::{MOST, Reader};
use super::script::Kind;
use super::uri;

/// Depth limit of resources.
const DEEPEST: usize = 8;

/// Schemes that need no provider of the folder.
const BUILT_IN: [&str; 3] = ["file", "git", "https"];

impl Reader<'_> {
    /// Reads the resources; `schemes` are those of the folder's providers.
    pub(super) fn resources(&mut self, schemes: &[String]) -> Readable {
        let mut readable = Readable::default();
        if let Some(listing) = self.enter_top("resources") {
            self.resources_of(&listing, 1, schemes, &mut readable);
            let count = readable.resources.len() + readable.templates.len();
            self.crowd("resources", count);
        }
        readable
    }

    fn resources_of(
        &mut self,
        listing: &Listing,
        depth: usize,
        schemes: &[String],
        readable: &mut Readable,
    ) {
        for item in &listing.files {
            if readable.resources.len() + readable.templates.len() >= MOST {
                return;
            }
            if !self.trusted(&item.shown, &item.path, &item.metadata) {
                continue;
            }
            let sidecars = listing.sidecars_of(item);
            self.or_lose(item, |reader| {
                reader.resource_of_file(item, &sidecars, readable);
            });
        }
        for (base, items) in listing.orphans() {
            let Some(item) = items.first() else { continue };
            self.or_lose(item, |reader| {
                reader.resource_alone(base, items, schemes, readable);
            });
        }
        for folder in &listing.folders {
            let Some(inner) = self.enter(&folder.path, &folder.metadata) else {
                continue;
            };
            if depth < DEEPEST {
                self.resources_of(&inner, depth + 1, schemes, readable)
            } else {
                self.too_deep(folder, &inner, DEEPEST)
            }
        }
    }

    /// Runs `work`; if it reports an error, the entry counts as lost.
    fn or_lose(&mut self, item: &Item, work: impl FnOnce(&mut Self)) {
        let before = self.errors();
        work(self);
        if self.errors() > before {
            self.lose(item);
        }
    }

    fn resource_of_file(&mut self, item: &Item, sidecars: &[&Item], readable: &mut Readable) {
        let mut read = Read::File(item.path.clone());
        let mut comment = None;
        let mut inline = None;
        let mut name = below(&item.shown, "resources");
        if item.is_executable() {
            let Some(mut script) = self.script(item) else {
                return;
            };
            // After a copy from another system all files may be executable.
            if script.kind != Kind::Other {
                let Some(program) = self.program(item, &script) else {
                    return;
                };
                read = Read::Run(program);
                inline = script.inline.take();
                comment = script.comment.take();
                let extension = item.extension().len();
                name.truncate(name.len() - extension - usize::from(extension > 0));
            } else if interpreter(item.extension()).is_some() {
                let text = "has no #! line, so its contents are served".to_owned();
                let hint = "with one, its output is served".to_owned();
                self.warn(&item.shown, text).hint = Some(hint);
            }
        }
        let Some(meta) = self.describe(item, sidecars, inline, fields::RESOURCE) else {
            return;
        };
        for field in ["text", "provider"] {
            if meta.has(field) {
                let text = format!("`{field}` has no effect beside a file");
                self.tell_field(Severity::Warning, &meta, field, item, text);
            }
        }
        if meta.has("uriTemplate") && matches!(read, Read::File(_)) {
            let text = "a plain file cannot be a template".to_owned();
            let hint = "make it a program, or give it a `uri`".to_owned();
            let problem = self.tell_field(Severity::Error, &meta, "uriTemplate", item, text);
            problem.hint = Some(hint);
            return;
        }
        let uri = match &read {
            Read::File(path) => uri::of_file(path),
            _ => {
                let mut uri = String::from("script:///");
                uri::encode(name.as_bytes(), &mut uri);
                uri
            }
        };
        self.readable(item, &meta, read, Defaults { name, uri, comment }, readable);
    }

    /// A resource that consists of metadata only.
    fn resource_alone(
        &mut self,
        base: &str,
        items: &[Item],
        schemes: &[String],
        readable: &mut Readable,
    ) {
        let Some(item) = items.first() else { return };
        let sidecars: Vec<&Item> = items.iter().collect();
        let Some(meta) = self.describe(item, &sidecars, None, fields::RESOURCE) else {
            return;
        };
        let address = meta.text("uri").or(meta.text("uriTemplate"));
        let scheme = address.and_then(|address| uri::scheme(address).ok());
        let provider = meta.text("provider");
        let known =
            |scheme: &str| BUILT_IN.contains(&scheme) || schemes.iter().any(|s| s == scheme);
        let read = match (meta.text("text"), provider, scheme) {
            (Some(text), None, _) => Read::Text(text.to_owned()),
            (Some(_), Some(_), _) => {
                let text = "both `text` and `provider` define its contents".to_owned();
                self.tell_field(Severity::Error, &meta, "provider", item, text);
                return;
            }
            (None, Some(provider), _) => {
                if !known(provider) {
                    let text = format!("there is no provider `{provider}`");
                    let hint = format!("put an executable `{provider}` into `providers/`");
                    let problem = self.tell_field(Severity::Error, &meta, "provider", item, text);
                    problem.hint = Some(hint);
                    return;
                }
                Read::Provider(provider.to_owned())
            }
            (None, None, Some(scheme)) if known(scheme) => Read::Provider(scheme.to_owned()),
            (None, None, _) => {
                let text = format!("there is no file `{base}`, and no field defines its contents");
                let hint = "add `text`, or a `uri` and its `provider`".to_owned();
                self.warn(&item.shown, text).hint = Some(hint);
                return;
            }
        };
        let folder = below(&item.shown, "resources");
        let folder = Path::new(&folder).parent().unwrap_or(Path::new(""));
        let name = folder.join(base).to_string_lossy().into_owned();
        let mut uri = String::from("text:///");
        uri::encode(name.as_bytes(), &mut uri);
        let comment = None;
        self.readable(item, &meta, read, Defaults { name, uri, comment }, readable);
    }
}

/// The path below a folder of entries.
pub(super) fn below(shown: &Path, folder: &str) -> String {
    let inner = shown.strip_prefix(folder).unwrap_or(shown);
    inner.to_string_lossy().into_owned()
}

#[cfg(test)]
#[path = "resources_tests.rs"]
mod tests;
