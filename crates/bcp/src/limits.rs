//! Limits on the resources that a file can use.

use crate::error::Reason;
use crate::frame::Head;

/// Limits of a reader. All are checked before inflating or allocating.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one block's body, both stored and inflated.
    pub block: u64,
    /// Bytes of an inflated payload.
    pub payload: u64,
    /// Total bytes of bodies that were inflated or resolved. Bodies that are stored uncompressed do not
    /// count: they cannot make a small file expand to a large one.
    pub total: u64,
    /// Bytes of bodies that are kept for references in later blocks.
    pub kept: u64,
    /// Blocks in a file.
    pub blocks: u64,
}

impl Limits {
    /// The reference implementation writes no larger body, and refuses one that is larger when inflated.
    pub const BLOCK: u64 = 16 << 20;

    /// Nested directories.
    pub const DEPTH: usize = 256;

    /// The base-2 logarithm of the largest zstd window: 16 MiB. The reference implementation uses 2 MiB,
    /// level 19 uses 8.
    pub const WINDOW_LOG: u32 = 24;
}

impl Limits {
    /// Checks the head of the next block, after `others` blocks.
    pub(crate) fn admit(&self, head: Head, others: u64) -> Result<(), Reason> {
        if others >= self.blocks {
            return Err(Reason::TooMany(self.blocks));
        }
        if head.stored > self.block {
            return Err(Reason::TooLarge {
                what: "the body",
                limit: self.block,
            });
        }
        Ok(())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            block: Self::BLOCK,
            payload: 256 << 20,
            total: 256 << 20,
            kept: 256 << 20,
            blocks: 250_000,
        }
    }
}
