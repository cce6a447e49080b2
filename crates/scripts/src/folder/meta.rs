//! The metadata of one entry: fields from files beside it and from inside it, each with its position.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use super::fields;
use super::node::{Data, Member, Node};
use super::units;

/// Metadata from one source.
#[derive(Debug)]
pub(super) struct Layer {
    /// Relative to the root.
    pub(super) path: PathBuf,
    pub(super) node: Node,
}

/// Metadata from all sources.
#[derive(Debug, Default)]
pub(super) struct Meta {
    fields: Vec<Found>,
}

#[derive(Debug)]
struct Found {
    member: Member,
    path: PathBuf,
}

impl Meta {
    /// Merges layers; the earlier layer wins.
    pub(super) fn merge(layers: Vec<Layer>) -> Self {
        let mut meta = Self::default();
        for layer in layers {
            let Data::Map(members) = layer.node.data else {
                continue;
            };
            for member in members {
                if meta.fields.iter().any(|f| f.member.name == member.name) {
                    continue;
                }
                let path = layer.path.clone();
                meta.fields.push(Found { member, path });
            }
        }
        meta
    }

    /// A field that is not null.
    pub(super) fn node(&self, name: &str) -> Option<&Node> {
        debug_assert!(fields::is_known(name), "{name} is not in the table");
        let found = self.fields.iter().find(|f| f.member.name == name)?;
        let value = &found.member.value;
        (value.data != Data::Null).then_some(value)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.node(name).is_some()
    }

    /// The file and line of a field.
    pub(super) fn place(&self, name: &str) -> Option<(&Path, usize)> {
        let found = self.fields.iter().find(|f| f.member.name == name)?;
        Some((&found.path, found.member.line))
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.node(name)?.text()
    }

    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.node(name)?.flag()
    }

    pub(super) fn count(&self, name: &str) -> Option<u64> {
        units::count(self.node(name)?).ok()
    }

    pub(super) fn seconds(&self, name: &str) -> Option<Duration> {
        units::seconds(self.node(name)?).ok()
    }

    pub(super) fn bytes(&self, name: &str) -> Option<u64> {
        units::bytes(self.node(name)?).ok()
    }

    pub(super) fn texts(&self, name: &str) -> Option<Vec<String>> {
        Some(texts(self.node(name)?))
    }

    pub(super) fn value(&self, name: &str) -> Option<Value> {
        Some(self.node(name)?.to_value())
    }

    /// All fields as a value, without positions.
    pub(super) fn to_value(&self) -> Value {
        let pairs = self.fields.iter().map(|f| &f.member);
        let pairs = pairs.map(|m| (m.name.clone(), m.value.to_value()));
        Value::Object(pairs.collect::<Map<_, _>>())
    }

    /// Copies fields to what clients see.
    pub(super) fn show(&self, names: &[&str], shown: &mut Map<String, Value>) {
        for name in names {
            if let Some(value) = self.value(name) {
                shown.insert((*name).to_owned(), value);
            }
        }
    }
}

/// The texts of a list.
pub(super) fn texts(node: &Node) -> Vec<String> {
    let items = node.list().unwrap_or_default().iter();
    items.filter_map(Node::scalar).map(str::to_owned).collect()
}
