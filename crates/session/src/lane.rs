//! Lanes keep the order of messages during detours.
//!
//! A lane is a direction and the request that a message belongs to. Within a lane, messages keep their order, and an
//! answer is the last message of its lane. A lane is stored only while an envelope of it is on a detour; messages of
//! other lanes do not wait.

use std::collections::{HashMap, VecDeque};

use linkspan_wire::{Hop, IdKey};

use crate::layer::Way;
use crate::port::Envelope;

/// The request of a lane.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Owner {
    /// No request.
    None,
    /// A request of the front, by its id there.
    Id(IdKey),
    /// A request to the back, by its hop number there.
    Hop(Hop),
}

/// The key of a lane.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LaneKey {
    /// The direction.
    pub way: Way,
    /// The request.
    pub owner: Owner,
}

impl LaneKey {
    /// The lane of messages that belong to no request.
    pub fn unowned(way: Way) -> Self {
        let owner = Owner::None;
        Self { way, owner }
    }
}

/// The lanes with a detour.
#[derive(Default)]
pub struct Lanes {
    held: HashMap<LaneKey, VecDeque<Envelope>>,
}

impl Lanes {
    /// Whether no lane has a detour, which is nearly always true.
    pub fn is_free(&self) -> bool {
        self.held.is_empty()
    }

    /// Holds a lane up until [`Lanes::release`].
    pub fn hold(&mut self, key: LaneKey) {
        self.held.entry(key).or_default();
    }

    /// Queues an envelope behind a detour; returns it if its lane is free.
    pub fn queue(&mut self, key: &LaneKey, envelope: Envelope) -> Option<Envelope> {
        match self.held.get_mut(key) {
            Some(queue) => {
                queue.push_back(envelope);
                None
            }
            None => Some(envelope),
        }
    }

    /// Removes a lane and returns the envelopes that waited in it.
    pub fn release(&mut self, key: &LaneKey) -> VecDeque<Envelope> {
        self.held.remove(key).unwrap_or_default()
    }
}
