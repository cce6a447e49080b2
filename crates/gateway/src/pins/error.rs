//! Why a text is not a file of pins.

use linkspan_wire::Syntax;

/// Why a text is not a file of pins.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PinsError {
    /// It is not JSON.
    #[error("it is not JSON: {0}")]
    Syntax(#[from] Syntax),
    /// It is JSON, but not of our kind.
    #[error("it is not a file of pins")]
    NotPins,
    /// A later version of linkspan has written it.
    #[error("it has version {0}, which this linkspan does not know")]
    Newer(i64),
    /// An item has no digest.
    #[error("`{item}` of `{server}` has no valid digest")]
    NoDigest {
        /// The server.
        server: String,
        /// The item.
        item: String,
    },
    /// An item has the digest of another definition.
    #[error("the digest of `{item}` of `{server}` is not that of its definition")]
    OtherDigest {
        /// The server.
        server: String,
        /// The item.
        item: String,
    },
}

impl PinsError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Newer(_) => "use a newer linkspan, or another file",
            Self::NotPins => "name a file that the gateway has written",
            Self::Syntax(_) | Self::NoDigest { .. } | Self::OtherDigest { .. } => {
                "restore the file from a copy; if it is removed, servers are trusted as they are at their next start"
            }
        }
    }
}
