//! Builds one resource or template, with its list entry.

use std::fs::File;
use std::path::Path;

use serde_json::{Map, Value};

use super::catalogue::{
    Completion, CompletionTarget, Program, Read, Resource, Severity, Stamp, Template,
};
use super::declared::completions;
use super::files::read_up_to;
use super::listing::Item;
use super::meta::Meta;
use super::mime;
use super::reader::Reader;
use super::uri;
use crate::os::MetadataExt as _;

/// All resources and templates.
#[derive(Default)]
pub(super) struct Readable {
    pub(super) resources: Vec<Resource>,
    pub(super) templates: Vec<Template>,
    pub(super) completions: Vec<Completion>,
}

/// Defaults for missing metadata.
pub(super) struct Defaults {
    pub(super) name: String,
    pub(super) uri: String,
    pub(super) comment: Option<String>,
}

impl Reader<'_> {
    /// Adds a resource or a template.
    pub(super) fn readable(
        &mut self,
        item: &Item,
        meta: &Meta,
        read: Read,
        defaults: Defaults,
        readable: &mut Readable,
    ) {
        if self.disabled(item, meta) {
            return;
        }
        let Some((field, address)) = self.address(item, meta, &defaults) else {
            return;
        };
        let mut shown = Map::new();
        shown.insert(field.to_owned(), Value::String(address.clone()));
        let name = meta.text("name").unwrap_or(&defaults.name).to_owned();
        shown.insert("name".to_owned(), Value::String(name));
        meta.show(&["title", "description"], &mut shown);
        if let (false, Some(comment)) = (meta.has("description"), defaults.comment) {
            shown.insert("description".to_owned(), Value::String(comment));
        }
        if let Some(mime) = self.mime(item, meta, &read, &defaults.name) {
            shown.insert("mimeType".to_owned(), Value::String(mime));
        }
        let size = match &read {
            Read::File(_) => Some(item.metadata.len()),
            Read::Text(text) => Some(text.len() as u64),
            Read::Run(_) | Read::Provider(_) => None,
        };
        let size = meta.bytes("size").or(size);
        if let (Some(size), "uri") = (size, field) {
            shown.insert("size".to_owned(), size.into());
        }
        meta.show(&["annotations", "icons", "_meta"], &mut shown);
        let run = self.settings(meta, item);
        if let Read::Run(program) = &read
            && !self.trusts(item, program, &run)
        {
            return;
        }
        let source = item.path.clone();
        let shown = Value::Object(shown);
        if field == "uriTemplate" {
            let template = Template {
                uri_template: address,
                shown,
                source,
                read,
                run,
            };
            self.template(item, meta, template, readable);
            return;
        }
        if meta.has("arguments") {
            let text = "`arguments` are for a template".to_owned();
            self.tell_field(Severity::Warning, meta, "arguments", item, text);
        }
        readable.resources.push(Resource {
            uri: address,
            shown,
            source,
            read,
            run,
            stamp: Some(stamp(item)),
        });
    }

    /// The field with the URI or the URI template, and its value.
    fn address(
        &mut self,
        item: &Item,
        meta: &Meta,
        defaults: &Defaults,
    ) -> Option<(&'static str, String)> {
        if meta.has("uri") && meta.has("uriTemplate") {
            let text = "both `uri` and `uriTemplate` are set".to_owned();
            self.tell_field(Severity::Error, meta, "uriTemplate", item, text);
            return None;
        }
        let field = if meta.has("uriTemplate") {
            "uriTemplate"
        } else {
            "uri"
        };
        let address = meta.text(field).unwrap_or(&defaults.uri).to_owned();
        if let Err(wrong) = uri::scheme(&address) {
            let text = format!("`{field}` {address:?} {wrong}");
            self.tell_field(Severity::Error, meta, field, item, text);
            return None;
        }
        Some((field, address))
    }

    /// Adds a template and the completions of its variables.
    fn template(&mut self, item: &Item, meta: &Meta, template: Template, readable: &mut Readable) {
        let address = &template.uri_template;
        let variables = match uri::variables(address) {
            Ok(variables) => variables,
            Err(wrong) => {
                let text = format!("`uriTemplate` {address:?} {wrong}");
                self.tell_field(Severity::Error, meta, "uriTemplate", item, text);
                return;
            }
        };
        let Some(declared) = self.declared(item, meta) else {
            return;
        };
        for one in &declared {
            let name = one.argument.name.as_str();
            if !variables.contains(&name) {
                let text = format!("the template has no variable `{name}`");
                self.tell_field(Severity::Warning, meta, "arguments", item, text);
            }
        }
        let target = CompletionTarget::Resource(address.clone());
        readable
            .completions
            .extend(completions(&declared, &target, item, &template.run));
        readable.templates.push(template);
    }

    fn mime(&mut self, item: &Item, meta: &Meta, read: &Read, name: &str) -> Option<String> {
        if let Some(mime) = meta.text("mimeType") {
            return Some(mime.to_owned());
        }
        let extension = Path::new(name).extension().unwrap_or_default();
        let known = mime::by_extension(extension.to_str().unwrap_or_default());
        match (known, read) {
            (Some(known), _) => Some(known.to_owned()),
            (None, Read::Text(_)) => Some("text/plain".to_owned()),
            (None, Read::File(_)) => Some(sniff(item)),
            (None, Read::Run(Program::Argv(_) | Program::Template(_)) | Read::Provider(_)) => None,
        }
    }
}

/// The media type of a file by its first bytes.
pub(super) fn sniff(item: &Item) -> String {
    let mut head = [0; 1024];
    let length = File::open(&item.path).and_then(|mut file| read_up_to(&mut file, &mut head));
    let length = length.unwrap_or(0);
    mime::by_contents(&head[..length], length < head.len()).to_owned()
}

/// The state of a file.
pub(super) fn stamp(item: &Item) -> Stamp {
    Stamp {
        size: item.metadata.len(),
        modified: (item.metadata.mtime(), item.metadata.mtime_nsec()),
        inode: item.metadata.ino(),
    }
}
