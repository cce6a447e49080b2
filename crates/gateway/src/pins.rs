//! Pins: what servers tell the model is trusted when it is seen first, and every difference from that is found.
//!
//! A pin is the blake3 digest of the canonical text of a definition: a tool, a prompt, or the instructions of a server.
//! Definitions themselves are kept, within limits, so that a difference can be shown. What a server offers now is kept
//! beside what was accepted, so that it can be shown and accepted by another process.

mod change;
mod diff;
mod error;
mod file;
mod item;
mod server;
mod suspicion;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use change::{Change, Definition, Difference};
pub use diff::diff;
pub use error::PinsError;
pub use item::{ItemId, ItemKind};
pub use suspicion::Suspicion;

use crate::digest::Digest;
use crate::list::{ListKind, ServerList};
use server::{Offer, ServerPins};

/// The pins of all servers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pins {
    servers: BTreeMap<Box<str>, ServerPins>,
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checked {
    /// What differs from what was accepted. Empty at the first use.
    pub changes: Vec<Change>,
    /// Texts that deserve a look, of items that were not seen before.
    pub suspicions: Vec<(ItemId, Suspicion)>,
    /// It was the first use: all of it was accepted.
    pub is_first: bool,
    /// The pins are not the same as before, so they should be written.
    pub is_altered: bool,
}

impl Checked {
    /// The server's own names of the items that clients must not see; for the instructions it is empty.
    pub fn hidden(&self, hide_changed: bool, hide_new: bool) -> impl Iterator<Item = &str> {
        let changes = self.changes.iter();
        let hidden = changes.filter(move |change| change.is_hidden(hide_changed, hide_new));
        hidden.map(|change| &*change.item.name)
    }
}

/// The pins of a server in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview<'a> {
    /// The server.
    pub server: &'a str,
    /// Accepted tools.
    pub tools: usize,
    /// Accepted prompts.
    pub prompts: usize,
    /// Whether it has accepted instructions.
    pub instructions: bool,
    /// Items that differ from what was accepted.
    pub changes: usize,
    /// Changes with every accepted definition, and with the names of the items.
    pub digest: Digest,
}

impl Pins {
    /// Compares a whole list of a server with what was accepted. The first list that is not empty is accepted. Lists of
    /// other kinds than tools and prompts are not pinned.
    pub fn check_list(&mut self, server: &str, kind: ListKind, list: &ServerList) -> Checked {
        match ItemKind::of_list(kind) {
            Some(kind) => self.check(server, kind, Offer::list(kind, list)),
            None => Checked::default(),
        }
    }

    /// The same for the instructions. A server that had none at its first use has them added later.
    pub fn check_instructions(&mut self, server: &str, instructions: Option<&str>) -> Checked {
        let offer = Offer::instructions(instructions);
        self.check(server, ItemKind::Instructions, offer)
    }

    fn check(&mut self, server: &str, kind: ItemKind, mut offer: Offer) -> Checked {
        let unpinned = std::mem::take(&mut offer.unpinned);
        let before = self.servers.get(server).cloned().unwrap_or_default();
        let mut pins = before.clone();
        let is_first = pins.check(kind, offer);
        let is_altered = pins != before;
        let unpinned = unpinned.into_iter().map(|item| Change {
            item,
            difference: Difference::Unpinned,
        });
        let changes = change::changes(&pins, kind).into_iter().chain(unpinned);
        let checked = Checked {
            changes: changes.collect(),
            suspicions: suspicion::of_news(&before, &pins),
            is_first,
            is_altered,
        };
        if is_altered {
            self.servers.insert(server.into(), pins);
        }
        checked
    }

    /// How the last offers of a server differ from what was accepted.
    pub fn changes(&self, server: &str) -> Vec<Change> {
        self.servers
            .get(server)
            .map_or_else(Vec::new, ServerPins::changes)
    }

    /// Accepts what a server offers of one item, or of all; returns what has been accepted. A renamed item is accepted
    /// by its new name.
    pub fn accept(&mut self, server: &str, item: Option<&ItemId>) -> Vec<Change> {
        let Some(pins) = self.servers.get_mut(server) else {
            return Vec::new();
        };
        let mut changes = pins.changes();
        changes.retain(|change| item.is_none_or(|item| *item == change.item));
        for change in &changes {
            pins.accept(change);
        }
        changes
    }

    /// Whether there are pins of this server.
    pub fn has(&self, server: &str) -> bool {
        self.servers.contains_key(server)
    }

    /// All servers, by name.
    pub fn overview(&self) -> impl Iterator<Item = Overview<'_>> {
        self.servers.iter().map(|(server, pins)| {
            let count = |kind| pins.accepted.keys().filter(|id| id.kind == kind).count();
            Overview {
                server,
                tools: count(ItemKind::Tool),
                prompts: count(ItemKind::Prompt),
                instructions: count(ItemKind::Instructions) > 0,
                changes: pins.changes().len(),
                digest: pins.digest(),
            }
        })
    }
}
