//! The number of a request on one leg of its way.

use std::fmt;

use crate::id::Id;

/// The number that a request goes on under. It is ours, and means something on one connection only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hop(pub u64);

impl Hop {
    /// The number as an id.
    pub fn id(self) -> Id {
        Id::number(self.0)
    }

    /// The number after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Hop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
