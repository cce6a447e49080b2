//! How much a file may ask of us.

use crate::error::Reason;
use crate::frame::Head;

/// Limits of a reader. All are checked before anything is inflated or allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one block's body, before and after it is inflated.
    pub block: u64,
    /// Bytes of a payload that is compressed as a whole, after it is inflated.
    pub payload: u64,
    /// Bytes of all bodies that were inflated or looked up by reference. A body that lies in the
    /// file as it is costs nothing here: a small file cannot become a large one that way.
    pub total: u64,
    /// Bytes of bodies that are kept because a later block may refer to them.
    pub kept: u64,
    /// Blocks in a file.
    pub blocks: u64,
}

impl Limits {
    /// The reference writes no larger body, and refuses one that is larger after inflation.
    pub const BLOCK: u64 = 16 << 20;

    /// Directories within directories.
    pub const DEPTH: usize = 256;

    /// Base-2 logarithm of the window that a zstd stream may ask for: 16 MiB. The reference asks for
    /// 2 MiB, level 19 for 8.
    pub const WINDOW_LOG: u32 = 24;
}

impl Limits {
    /// Whether one more block may follow so many others, by its head.
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
