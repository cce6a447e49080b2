//! Skills: folders with a `SKILL.md`, whose files are read and never run.

use serde_json::{Map, Value};

use super::catalogue::{Read, Resource};
use super::front;
use super::listing::{Item, Listing};
use super::mime;
use super::node::Node;
use super::readable::{sniff, stamp};
use super::reader::{MOST, Reader};
use super::resources::below;
use super::uri;

/// Depth limit of the files of a skill.
const DEEPEST: usize = 8;

impl Reader<'_> {
    pub(super) fn skills(&mut self) -> Vec<Resource> {
        let mut resources = Vec::new();
        let Some(listing) = self.enter_top("skills") else {
            return resources;
        };
        let sidecars = listing.sidecars.values().flatten();
        for item in listing.files.iter().chain(sidecars) {
            self.ignore(&item.shown, "only folders with a SKILL.md are used here");
        }
        for folder in &listing.folders {
            let Some(inner) = self.enter(&folder.path, &folder.metadata) else {
                continue;
            };
            if !inner.files.iter().any(|item| item.name == "SKILL.md") {
                let text = "is not a skill: it has no SKILL.md".to_owned();
                self.warn(&folder.shown, text);
                continue;
            }
            self.skill_files(&inner, 1, &mut resources);
        }
        self.crowd("skills", resources.len());
        resources
    }

    fn skill_files(&mut self, listing: &Listing, depth: usize, resources: &mut Vec<Resource>) {
        // In a skill, files that look like metadata are ordinary files.
        let sidecars = listing.sidecars.values().flatten();
        for item in listing.files.iter().chain(sidecars) {
            if resources.len() >= MOST {
                return;
            }
            if self.trusted(&item.shown, &item.path, &item.metadata) {
                let before = self.errors();
                resources.extend(self.skill_file(item));
                if self.errors() > before {
                    self.lose(item);
                }
            }
        }
        for folder in &listing.folders {
            let Some(inner) = self.enter(&folder.path, &folder.metadata) else {
                continue;
            };
            if depth < DEEPEST {
                self.skill_files(&inner, depth + 1, resources)
            } else {
                self.too_deep(folder, &inner, DEEPEST)
            }
        }
    }

    fn skill_file(&mut self, item: &Item) -> Option<Resource> {
        let path = below(&item.shown, "skills");
        let mut uri = String::from("skill://");
        uri::encode(path.as_bytes(), &mut uri);
        let mut shown = Map::new();
        let mut tell = |name: &str, value: String| {
            shown.insert(name.to_owned(), Value::String(value));
        };
        tell("uri", uri.clone());
        if item.name == "SKILL.md" && path.matches('/').count() == 1 {
            let text = self.text(item)?;
            let front = match front::split(&text).0 {
                Some(Ok(node)) => Some(node),
                // The text is readable even without valid metadata.
                Some(Err(error)) => {
                    let severity = super::catalogue::Severity::Warning;
                    self.tell(severity, &item.shown, Some(error.line), error.text);
                    None
                }
                None => None,
            };
            let field = |name| front.as_ref()?.member(name).and_then(Node::text);
            let folder = path.split('/').next().unwrap_or_default();
            tell("name", field("name").unwrap_or(folder).to_owned());
            if let Some(description) = field("description") {
                tell("description", description.to_owned());
            }
        } else {
            tell("name", path);
        }
        let known = mime::by_extension(item.extension());
        tell("mimeType", known.map_or_else(|| sniff(item), str::to_owned));
        shown.insert("size".to_owned(), item.metadata.len().into());
        Some(Resource {
            uri,
            shown: Value::Object(shown),
            source: item.path.clone(),
            read: Read::File(item.path.clone()),
            run: self.defaults.clone(),
            stamp: Some(stamp(item)),
        })
    }
}
