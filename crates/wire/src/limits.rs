//! Limits of the size and depth of one message.

/// The deepest nesting of a received message. Messages that we make from it may be a little deeper.
pub const MAX_DEPTH: usize = 128;

/// Levels that envelopes may add to a message in a chain: two for the oldest dialect's own, two for that of an MCP
/// message inside.
const ENVELOPES: usize = 4;

/// The longest id that a request may have. The id of a waiting request is kept, so thousands of ids must not need more
/// memory than the requests themselves.
pub const MAX_ID: usize = 1024;

/// The limits of a reader. Every reader of a peer's bytes has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    max_bytes: usize,
    ahead: Option<usize>,
    max_depth: usize,
    null_ids: bool,
}

impl Limits {
    /// The most that spans of 32 bits can name.
    pub const MOST: Self = Self {
        max_bytes: u32::MAX as usize - 1,
        ahead: None,
        max_depth: MAX_DEPTH,
        null_ids: false,
    };

    /// A message of more than `max_bytes` is refused, without ending the stream.
    ///
    /// Spans are 32 bits wide, so the limit is capped just below 4 GiB.
    pub fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes: max_bytes.clamp(1, Self::MOST.max_bytes),
            ..Self::MOST
        }
    }

    /// Limits the messages that are read ahead to `bytes`, or to one message.
    #[must_use]
    pub fn with_ahead(self, bytes: usize) -> Self {
        Self {
            ahead: Some(bytes),
            ..self
        }
    }

    /// The same, for a reader of peers that put messages into envelopes: a message that is allowed without
    /// an envelope is allowed in one.
    #[must_use]
    pub fn with_envelopes(self) -> Self {
        Self {
            max_depth: MAX_DEPTH + ENVELOPES,
            ..self
        }
    }

    /// Allows `null` as the id of a request, which is legal in ACP but not in MCP.
    #[must_use]
    pub fn with_null_ids(self) -> Self {
        Self {
            null_ids: true,
            ..self
        }
    }

    /// Whether a request may have the id `null`.
    pub fn null_ids(&self) -> bool {
        self.null_ids
    }

    /// The deepest nesting of a message.
    pub fn max_depth(&self) -> usize {
        self.max_depth
    }

    /// The limit of bytes that are read ahead, if there is one.
    pub fn ahead(&self) -> Option<usize> {
        self.ahead
    }

    /// The largest message in bytes.
    pub fn max_bytes(&self) -> usize {
        self.max_bytes
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new(256 * 1024 * 1024)
    }
}
