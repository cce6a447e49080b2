//! The number of a request on one connection.

use std::fmt;

use crate::id::Id;

/// The number of a forwarded request. We choose it, and it is valid on one connection only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hop(pub u64);

impl Hop {
    /// The number as an id.
    pub fn id(self) -> Id {
        Id::number(self.0)
    }

    /// The next number.
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
