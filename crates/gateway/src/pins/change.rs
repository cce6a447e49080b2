//! Differences between what was accepted of a server and what it offers.

use std::collections::{BTreeMap, HashMap};

use linkspan_wire::{Json, Object};

use super::item::{ItemId, ItemKind};
use super::server::{Pin, ServerPins};

/// A definition as canonical JSON; `None` if it was too long to be kept.
pub type Definition = Option<Box<str>>;

/// An item that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The item. For a rename, the new one.
    pub item: ItemId,
    /// How it differs.
    pub difference: Difference,
}

/// How an item differs from what was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// There was none of that name.
    Added {
        /// What is offered.
        after: Definition,
    },
    /// It has another definition.
    Changed {
        /// The members that differ, if both definitions are known and are objects.
        members: Vec<Box<str>>,
        /// What was accepted.
        before: Definition,
        /// What is offered.
        after: Definition,
    },
    /// It is not offered any more.
    Removed {
        /// What was accepted.
        before: Definition,
    },
    /// It has the definition of an item that is not offered any more, except for the name.
    Renamed {
        /// The name that was accepted.
        from: Box<str>,
    },
    /// It cannot be pinned: its name is too long, or there are too many items.
    Unpinned,
}

impl Change {
    /// Whether clients must not see the item, in the mode that hides what has changed, and in the mode that hides what
    /// is new. Later instructions count as changed, because they change the server as a whole.
    pub fn is_hidden(&self, hide_changed: bool, hide_new: bool) -> bool {
        match self.difference {
            Difference::Added { .. } if self.item.kind == ItemKind::Instructions => hide_changed,
            Difference::Added { .. } => hide_new,
            Difference::Changed { .. } => hide_changed,
            Difference::Renamed { .. } | Difference::Unpinned => hide_changed || hide_new,
            Difference::Removed { .. } => false,
        }
    }

    /// The difference as one word.
    pub fn word(&self) -> &'static str {
        match self.difference {
            Difference::Added { .. } => "new",
            Difference::Changed { .. } => "changed",
            Difference::Removed { .. } => "removed",
            Difference::Renamed { .. } => "renamed",
            Difference::Unpinned => "unpinned",
        }
    }
}

/// The changes of one kind of items, by name.
pub(super) fn changes(pins: &ServerPins, kind: ItemKind) -> Vec<Change> {
    let offered = || pins.offered.iter().filter(|(id, _)| id.kind == kind);
    let mut renames = Renames::default();
    for (id, _) in offered().filter(|(_, pin)| pin.is_none()) {
        renames.note_removed(id, pins.accepted.get(id));
    }
    let mut found = BTreeMap::new();
    for (id, pin) in offered() {
        let Some(pin) = pin else { continue };
        let after = pin.definition.clone();
        let difference = match pins.accepted.get(id) {
            Some(accepted) => changed(accepted, pin),
            None => match renames.take(pin) {
                Some(from) => Difference::Renamed { from },
                None => Difference::Added { after },
            },
        };
        found.insert(id, difference);
    }
    for id in renames.left() {
        let before = pins.accepted.get(id).and_then(|pin| pin.definition.clone());
        found.insert(id, Difference::Removed { before });
    }
    let of = |(id, difference): (&ItemId, _)| Change {
        item: id.clone(),
        difference,
    };
    found.into_iter().map(of).collect()
}

fn changed(before: &Pin, after: &Pin) -> Difference {
    let members = match (&before.definition, &after.definition) {
        (Some(before), Some(after)) => differing(before, after),
        _ => Vec::new(),
    };
    Difference::Changed {
        members,
        before: before.definition.clone(),
        after: after.definition.clone(),
    }
}

/// The members of two objects that differ.
fn differing(before: &str, after: &str) -> Vec<Box<str>> {
    let members = |text| {
        let mut members = BTreeMap::<_, Vec<&str>>::new();
        for (key, value) in Json::parse(text).into_iter().flat_map(Json::members) {
            members.entry(key).or_default().push(value.text());
        }
        members
    };
    let (before, after) = (members(before), members(after));
    let mut keys: Vec<_> = before.keys().chain(after.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.retain(|key| before.get(*key) != after.get(*key));
    keys.into_iter().map(|key| key.as_ref().into()).collect()
}

/// The items that are not offered any more, by their definition without the name.
#[derive(Default)]
struct Renames<'a> {
    removed: HashMap<String, Vec<&'a ItemId>>,
    unknown: Vec<&'a ItemId>,
}

impl<'a> Renames<'a> {
    fn note_removed(&mut self, id: &'a ItemId, pin: Option<&Pin>) {
        match pin.and_then(nameless) {
            Some(content) => self.removed.entry(content).or_default().push(id),
            None => self.unknown.push(id),
        }
    }

    /// The removed item that a new one replaces.
    fn take(&mut self, new: &Pin) -> Option<Box<str>> {
        let same = self.removed.get_mut(&nameless(new)?)?;
        (!same.is_empty()).then(|| same.remove(0).name.clone())
    }

    fn left(self) -> impl Iterator<Item = &'a ItemId> {
        self.removed.into_values().flatten().chain(self.unknown)
    }
}

fn nameless(pin: &Pin) -> Option<String> {
    let json = Json::parse(pin.definition.as_deref()?).ok()?;
    Some(Object::of(Some(json)).without(&["name"]).text())
}
