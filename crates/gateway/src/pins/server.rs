//! The pins of one server.

use std::collections::{BTreeMap, BTreeSet};

use linkspan_wire::{Json, quote};

use super::change::{Change, Difference, changes};
use super::item::{ItemId, ItemKind};
use crate::digest::{Digest, Fields};
use crate::list::ServerList;

/// Items of one kind that are pinned. A server with more has those of the first names pinned.
const MOST_ITEMS: usize = 4096;
/// Bytes of a name, as JSON.
const LONGEST_NAME: usize = 256;
/// Bytes of a definition that is kept. Of a longer one there is the digest only.
const LONGEST_DEFINITION: usize = 256 << 10;
/// Bytes of the definitions of one server that are kept: those that were accepted, and those that are offered.
const MOST_KEPT: usize = 4 << 20;

/// A definition that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pin {
    pub(super) digest: Digest,
    /// The canonical text, to show what has changed.
    pub(super) definition: Option<Box<str>>,
}

impl Pin {
    pub(super) fn of(definition: &str) -> Self {
        Self {
            digest: Digest::of(definition),
            definition: (definition.len() <= LONGEST_DEFINITION).then(|| definition.into()),
        }
    }

    fn kept(&self) -> usize {
        self.definition.as_ref().map_or(0, |text| text.len())
    }
}

/// What one server offers of one kind.
#[derive(Debug, Default)]
pub(super) struct Offer {
    pub(super) pins: BTreeMap<ItemId, Pin>,
    /// Items that cannot be pinned.
    pub(super) unpinned: Vec<ItemId>,
}

impl Offer {
    pub(super) fn instructions(text: Option<&str>) -> Self {
        let pin = text.map(|text| (ItemId::instructions(), Pin::of(&quote(text))));
        Self {
            pins: pin.into_iter().collect(),
            unpinned: Vec::new(),
        }
    }

    pub(super) fn list(kind: ItemKind, list: &ServerList) -> Self {
        let mut offer = Self::default();
        for item in &list.items {
            let id = ItemId::new(kind, &item.own);
            let is_short = id.name.len() <= LONGEST_NAME && quote(&id.name).len() <= LONGEST_NAME;
            match Json::parse(&item.text) {
                Ok(json) if is_short => {
                    offer.pins.insert(id, Pin::of(&kind.definition(json)));
                }
                _ => offer.unpinned.push(id),
            }
        }
        while offer.pins.len() > MOST_ITEMS
            && let Some((id, _)) = offer.pins.pop_last()
        {
            offer.unpinned.push(id);
        }
        offer
    }
}

/// What was accepted of a server, and how its offers differ from that.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ServerPins {
    /// The kinds that were seen before.
    pub(super) known: BTreeSet<ItemKind>,
    pub(super) accepted: BTreeMap<ItemId, Pin>,
    /// Items that differ; `None` if they are not offered any more.
    pub(super) offered: BTreeMap<ItemId, Option<Pin>>,
}

impl ServerPins {
    /// Compares an offer with what was accepted, or accepts it if it is the first one. Says whether it is.
    pub(super) fn check(&mut self, kind: ItemKind, offer: Offer) -> bool {
        let is_first = !self.known.contains(&kind);
        if is_first {
            // A server may list its tools only after a sign-in.
            if offer.pins.is_empty() && kind != ItemKind::Instructions {
                return false;
            }
            self.known.insert(kind);
            self.accepted.extend(offer.pins);
        } else {
            let accepted = self.accepted.iter().filter(|(id, _)| id.kind == kind);
            let gone = accepted.filter(|(id, _)| !offer.pins.contains_key(id));
            let mut offered: BTreeMap<_, _> = gone.map(|(id, _)| (id.clone(), None)).collect();
            let digest = |id: &ItemId| self.accepted.get(id).map(|pin| pin.digest);
            let pins = offer.pins.into_iter();
            let others = pins.filter(|(id, pin)| digest(id) != Some(pin.digest));
            offered.extend(others.map(|(id, pin)| (id, Some(pin))));
            self.offered.retain(|id, _| id.kind != kind);
            self.offered.extend(offered);
        }
        self.forget_definitions();
        is_first
    }

    /// Keeps the definitions of the first items only if all together are too long.
    fn forget_definitions(&mut self) {
        let mut kept = 0;
        let offered = self.offered.values_mut().flatten();
        for pin in self.accepted.values_mut().chain(offered) {
            kept += pin.kept();
            if kept > MOST_KEPT {
                kept -= pin.kept();
                pin.definition = None;
            }
        }
    }

    /// How the last offers differ from what was accepted.
    pub(super) fn changes(&self) -> Vec<Change> {
        let kinds = ItemKind::ALL.into_iter();
        kinds.flat_map(|kind| changes(self, kind)).collect()
    }

    /// Accepts what is offered of the items of this change.
    pub(super) fn accept(&mut self, change: &Change) {
        self.accept_item(&change.item);
        if let Difference::Renamed { from } = &change.difference {
            self.accept_item(&ItemId::new(change.item.kind, from));
        }
    }

    fn accept_item(&mut self, id: &ItemId) {
        match self.offered.remove(id) {
            Some(Some(pin)) => {
                self.accepted.insert(id.clone(), pin);
            }
            Some(None) => {
                self.accepted.remove(id);
            }
            None => {}
        }
    }

    /// The digest of all that was accepted, names included.
    pub(super) fn digest(&self) -> Digest {
        let mut fields = Fields::new("pins");
        for (id, pin) in &self.accepted {
            fields.text(&id.to_string());
            fields.text(&pin.digest.to_string());
        }
        fields.finish()
    }
}
