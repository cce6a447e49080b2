//! The differences between two catalogues that clients are notified of.

use std::sync::Arc;

use serde_json::Value;

use super::catalogue::{Catalogue, Resource};

/// What changed for clients.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changed {
    /// The list of tools changed.
    pub tools: bool,
    /// The list of prompts changed.
    pub prompts: bool,
    /// The list of resources or templates changed.
    pub resources: bool,
    /// Resources with changed contents, including removed and new ones.
    pub resource_uris: Vec<String>,
}

impl Changed {
    /// Whether anything changed.
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }
}

/// Compares the entries as clients see them. A tool with an edited script counts as unchanged.
pub fn changes(old: &Catalogue, new: &Catalogue) -> Changed {
    let tools = differ(&old.tools, &new.tools, |t| &t.shown);
    let prompts = differ(&old.prompts, &new.prompts, |p| &p.shown);
    let resources = differ(&old.resources, &new.resources, |r| &r.shown)
        || differ(&old.templates, &new.templates, |t| &t.shown);
    let resource_uris = others(&old.resources, &new.resources);
    Changed {
        tools,
        prompts,
        resources,
        resource_uris,
    }
}

/// URIs with changed contents, including removed and added ones: a client that subscribed to a file that was
/// removed and restored has to read it again. Both lists are sorted.
fn others(old: &[Arc<Resource>], new: &[Arc<Resource>]) -> Vec<String> {
    let mut uris = Vec::new();
    let mut before = old.iter().peekable();
    for resource in new {
        while let Some(gone) = before.next_if(|old| old.uri < resource.uri) {
            uris.push(gone.uri.clone());
        }
        let same = before
            .next_if(|old| old.uri == resource.uri)
            .is_some_and(|old| old.stamp == resource.stamp && old.read == resource.read);
        if !same {
            uris.push(resource.uri.clone());
        }
    }
    uris.extend(before.map(|gone| gone.uri.clone()));
    uris
}

fn differ<T>(old: &[Arc<T>], new: &[Arc<T>], shown: impl Fn(&T) -> &Value) -> bool {
    let mut pairs = old.iter().zip(new);
    old.len() != new.len() || !pairs.all(|(a, b)| is_same(shown(a), shown(b)))
}

/// Whether two list entries are equal. The size of a resource does not count: changes of contents are announced
/// to subscribers.
fn is_same(one: &Value, other: &Value) -> bool {
    let (Value::Object(one), Value::Object(other)) = (one, other) else {
        return one == other;
    };
    let count = |name: &&String| name.as_str() != "size";
    one.keys().filter(count).count() == other.keys().filter(count).count()
        && one
            .iter()
            .all(|(name, value)| name == "size" || other.get(name) == Some(value))
}

#[cfg(test)]
#[path = "changes_tests.rs"]
mod tests;
