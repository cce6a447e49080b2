//! Who sends a request, as far as views and rules tell senders apart.

use crate::glob::Glob;

/// The sender of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sender {
    /// The user of this machine, over stdio.
    Local,
    /// A request over HTTP without verified credentials.
    Anonymous,
    /// The holder of verified credentials.
    Verified {
        /// What tells it from all others.
        id: Vec<u8>,
        /// The name of its API key.
        key: Option<String>,
        /// Names and values of its claims; a claim with several values is there several times.
        claims: Vec<(String, String)>,
        /// The views that its API key is limited to; empty for all.
        views: Vec<String>,
    },
}

/// What tells a sender from all others, whatever its claims are at the moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum SenderId {
    Local,
    Anonymous,
    Verified(Box<[u8]>),
}

impl Sender {
    pub(super) fn id(&self) -> SenderId {
        match self {
            Self::Local => SenderId::Local,
            Self::Anonymous => SenderId::Anonymous,
            Self::Verified { id, .. } => SenderId::Verified(id.as_slice().into()),
        }
    }

    /// The views that its API key is limited to; empty for all.
    pub(super) fn views(&self) -> &[String] {
        match self {
            Self::Verified { views, .. } => views,
            _ => &[],
        }
    }
}

/// Which senders a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// The user of this machine.
    Local,
    /// Requests without verified credentials.
    Anonymous,
    /// Holders of verified credentials.
    Named(Named),
}

impl Who {
    /// Whether the sender is one of them.
    pub fn matches(&self, sender: &Sender) -> bool {
        match self {
            Self::Local => *sender == Sender::Local,
            Self::Anonymous => *sender == Sender::Anonymous,
            Self::Named(named) => named.matches(sender),
        }
    }
}

/// Senders with one of these keys, or with all of these claims.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Named {
    /// Patterns for the name of an API key.
    pub keys: Vec<Glob>,
    /// Names of claims, and patterns of which one fits a value.
    pub claims: Vec<(String, Vec<Glob>)>,
}

impl Named {
    /// Whether the sender is one of them.
    pub fn matches(&self, sender: &Sender) -> bool {
        let Sender::Verified { key, claims, .. } = sender else {
            return false;
        };
        let fits = |globs: &[Glob], text: &str| globs.iter().any(|glob| glob.matches(text));
        let has = |(name, globs): &(String, Vec<Glob>)| {
            let mut values = claims.iter().filter(|(one, _)| one == name);
            values.any(|(_, value)| fits(globs, value))
        };
        let has_key = key.as_ref().is_some_and(|key| fits(&self.keys, key));
        has_key || !self.claims.is_empty() && self.claims.iter().all(has)
    }
}
