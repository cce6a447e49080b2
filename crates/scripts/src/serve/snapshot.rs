//! A catalogue with its lists, rendered in pages.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use linkspan_mcp::Revision;
use linkspan_wire::RpcError;
use serde_json::Value;

use super::cursor::Cursor;
use crate::folder::{Catalogue, Mode};

/// The lists of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Collection {
    Tools,
    Resources,
    Templates,
    Prompts,
}

impl Collection {
    /// The member of the result with the list, and its name in cursors.
    pub(crate) fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }
}

/// A rendered list.
#[derive(Debug)]
pub(crate) struct Listed {
    entries: Vec<String>,
    hash: String,
}

impl Listed {
    fn new(entries: impl Iterator<Item = Value>, revision: Revision) -> Self {
        let mut hasher = DefaultHasher::new();
        let entries: Vec<String> = entries
            .map(|mut entry| {
                reduce(&mut entry, revision);
                let text = entry.to_string();
                let size = entry.as_object_mut().and_then(|e| e.shift_remove("size"));
                match size {
                    // Without the size: a growing log must not change the list.
                    Some(_) => entry.to_string().hash(&mut hasher),
                    None => text.hash(&mut hasher),
                }
                text
            })
            .collect();
        Self {
            hash: format!("{:016x}", hasher.finish()),
            entries,
        }
    }

    /// One page: its entries as a JSON array, and the cursor of the next page if there is one.
    pub(crate) fn page(
        &self,
        collection: Collection,
        cursor: Option<&str>,
        size: usize,
        now: impl FnOnce() -> String,
    ) -> Result<(String, Option<String>), RpcError> {
        let places = Cursor {
            collection: collection.member(),
            hash: &self.hash,
        };
        let from = cursor.map_or(Ok(0), |cursor| places.read(cursor))?;
        let from = from.min(self.entries.len());
        let to = from.saturating_add(size.max(1)).min(self.entries.len());
        let page = format!("[{}]", self.entries[from..to].join(","));
        let next = (to < self.entries.len()).then(|| places.write(to, &now()));
        Ok((page, next))
    }
}

/// A catalogue with its rendered lists.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) catalogue: Catalogue,
    /// The lists for the newest revision; other revisions are rendered on demand.
    newest: [OnceLock<Listed>; 4],
}

impl Snapshot {
    pub(crate) fn new(catalogue: Catalogue) -> Self {
        Self {
            catalogue,
            newest: Default::default(),
        }
    }

    /// Passes a list to `show`.
    pub(crate) fn listed<T>(
        &self,
        collection: Collection,
        revision: Revision,
        show: impl FnOnce(&Listed) -> T,
    ) -> T {
        if revision.has_icons() {
            let at = collection as usize;
            return show(self.newest[at].get_or_init(|| self.list(collection, revision)));
        }
        show(&self.list(collection, revision))
    }

    /// Whether servers are mounted, so the list of tools differs by client.
    pub(crate) fn has_mounts(&self) -> bool {
        self.catalogue
            .tools
            .iter()
            .any(|t| matches!(t.mode, Mode::Mcp(_)))
    }

    /// The tools, including those of mounted servers.
    pub(crate) fn tools_with(&self, mut others: Vec<Value>, revision: Revision) -> Listed {
        let ours = self
            .catalogue
            .tools
            .iter()
            .filter(|t| !matches!(t.mode, Mode::Mcp(_)));
        let mut all: Vec<Value> = ours.map(|tool| tool.shown.clone()).collect();
        let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
        // The folder's tools have priority over mounted tools with the same name.
        others.retain(|other| !all.iter().any(|tool| name(tool) == name(other)));
        all.extend(others);
        all.sort_by_key(name);
        all.dedup_by_key(|tool| name(tool));
        Listed::new(all.into_iter(), revision)
    }

    fn list(&self, collection: Collection, revision: Revision) -> Listed {
        let all = &self.catalogue;
        let shown: Box<dyn Iterator<Item = Value>> = match collection {
            Collection::Tools => {
                // A mounted server is not a tool itself.
                let tools = all.tools.iter().filter(|t| !matches!(t.mode, Mode::Mcp(_)));
                Box::new(tools.map(|e| e.shown.clone()))
            }
            Collection::Resources => Box::new(all.resources.iter().map(|e| e.shown.clone())),
            Collection::Templates => Box::new(all.templates.iter().map(|e| e.shown.clone())),
            Collection::Prompts => Box::new(all.prompts.iter().map(|e| e.shown.clone())),
        };
        Listed::new(shown, revision)
    }
}

/// Removes members that a revision does not know.
fn reduce(entry: &mut Value, revision: Revision) {
    let Some(entry) = entry.as_object_mut() else {
        return;
    };
    let mut drop = |names: &[&str]| {
        for name in names {
            entry.shift_remove(*name);
        }
    };
    if !revision.has_icons() {
        drop(&["icons"]);
    }
    if !revision.has_structured_content() {
        drop(&["title", "outputSchema", "_meta"]);
    }
    // Annotations of resources existed before those of tools.
    if !revision.has_completions() && entry.contains_key("inputSchema") {
        entry.shift_remove("annotations");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn listed(n: usize) -> Listed {
        Listed::new(
            (0..n).map(|n| json!({"name": n, "title": "t", "icons": []})),
            Revision::LAST_LEGACY,
        )
    }

    fn walk(list: &Listed, size: usize) -> Vec<String> {
        let (mut cursor, mut pages) = (None, Vec::new());
        loop {
            let page = list.page(Collection::Tools, cursor.as_deref(), size, || {
                "now".to_owned()
            });
            let (entries, next) = page.unwrap();
            pages.push(entries);
            match next {
                Some(_) => cursor = next,
                None => return pages,
            }
        }
    }

    #[test]
    fn pages_together_are_the_list() {
        assert_eq!(walk(&listed(5), 2).len(), 3);
        assert_eq!(walk(&listed(4), 2).len(), 2);
        assert_eq!(walk(&listed(0), 2), ["[]"]);
        assert_eq!(walk(&listed(3), usize::MAX).len(), 1);
    }

    #[test]
    fn a_growing_file_keeps_cursors_valid() {
        let of = |size: u64, name: &str| {
            let one = json!({"uri": "file:///a", "name": name, "size": size});
            let two = json!({"uri": "file:///b", "name": "b"});
            Listed::new([one, two].into_iter(), Revision::LAST_LEGACY)
        };
        let page = |list: &Listed, cursor: Option<&str>| {
            list.page(Collection::Resources, cursor, 1, || "now".to_owned())
        };
        let (first, next) = page(&of(1, "a"), None).unwrap();
        assert!(first.contains(r#""size":1"#), "{first}");
        assert!(page(&of(2, "a"), next.as_deref()).is_ok());
        assert!(page(&of(1, "other"), next.as_deref()).is_err());
    }

    #[test]
    fn older_revisions_see_known_members_only() {
        let of = |revision| {
            let entry = json!({"name": "x", "title": "t", "icons": [], "inputSchema": {}, "annotations": {}, "outputSchema": {}});
            Listed::new(std::iter::once(entry), revision)
                .entries
                .remove(0)
        };
        assert_eq!(
            of(Revision::V2024_11_05),
            r#"{"name":"x","inputSchema":{}}"#
        );
        assert_eq!(
            of(Revision::V2025_03_26),
            r#"{"name":"x","inputSchema":{},"annotations":{}}"#
        );
        assert_eq!(
            of(Revision::V2025_06_18),
            r#"{"name":"x","title":"t","inputSchema":{},"annotations":{},"outputSchema":{}}"#
        );
        assert!(of(Revision::V2025_11_25).contains("icons"));
        let resource = json!({"uri": "x:", "annotations": {"audience": ["user"]}});
        let listed = Listed::new(std::iter::once(resource), Revision::V2024_11_05);
        assert!(listed.entries[0].contains("audience"));
    }
}
