//! The dialects of proxies: five were released, one was drafted, and a chain may mix them.
//!
//! They differ in the request that assigns a proxy its role, and in the envelope for messages to its
//! successor. [`docs/acp.md`](../../../docs/acp.md) has the table.

/// How a proxy and its conductor exchange messages with the proxy's successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `proxy/initialize`, `proxy/successor`: agent-client-protocol 5 (D5).
    Current,
    /// `_proxy/initialize`, `_proxy/successor`: sacp 5 to agent-client-protocol 3 (D2, D3, D4).
    Underscore,
    /// `initialize` with `_meta.symposium.proxy`, `_proxy/successor/request`: sacp 0.1 to 4 (D1).
    Symposium,
    /// `_proxy/successor/send/request` with a whole message inside: the draft (D0).
    Draft,
}

impl Dialect {
    /// From the newest to the oldest, the order in which a proxy is tried.
    pub const ALL: [Self; 4] = [
        Self::Current,
        Self::Underscore,
        Self::Symposium,
        Self::Draft,
    ];

    /// The word that selects the dialect on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Current => "proxy",
            Self::Underscore => "_proxy",
            Self::Symposium => "symposium",
            Self::Draft => "draft",
        }
    }

    /// The dialect with that word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.word() == word)
    }
}
