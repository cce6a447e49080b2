//! What can be wrong with a file, and where.

use std::fmt;

/// Something is wrong with a file at a certain byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub reason: Reason,
    /// The block that it happened in, counted from zero over all blocks.
    pub block: Option<u64>,
    /// The byte, counted from the beginning of the file.
    pub offset: u64,
    /// What the offset counts, if it is not the file as it lies on the disk.
    pub within: Within,
    /// Whether only this block is damaged: where the next one begins is known.
    pub local: bool,
}

/// What an offset counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// Bytes of the file.
    File,
    /// Bytes of the file as it would be without compression of its payload.
    Payload,
    /// Bytes of a block's body after it was inflated or looked up.
    Body,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The file does not begin as a BCP file does.
    Magic,
    /// A major version that we do not know.
    Version(u8, u8),
    /// The last byte of the header is not zero.
    Reserved(u8),
    /// The input ends in the middle of something.
    Truncated {
        /// In the middle of what.
        what: &'static str,
        /// How many bytes it says it has, if it says so.
        says: Option<u64>,
        /// How many there are.
        has: u64,
    },
    /// A body ends in the middle of something.
    Beyond {
        /// In the middle of what.
        what: &'static str,
        /// How many bytes it says it has, if it says so.
        says: Option<u64>,
        /// How many there are.
        has: u64,
    },
    /// The input ends without an END block.
    NoEnd,
    /// Something follows the END block.
    AfterEnd,
    /// More than ten bytes.
    VarintTooLong,
    /// More than 64 bits.
    VarintOverflow,
    /// A block type that does not fit into a byte.
    BlockType(u64),
    /// A field of a kind that does not exist.
    WireType(u64),
    /// A field that we know, of another kind than it has to be.
    WrongWireType {
        /// Its name.
        field: &'static str,
        /// The kind that it has.
        got: u64,
    },
    /// A field that must be there is not.
    Missing(&'static str),
    /// A number that stands for nothing.
    Value {
        /// What it should stand for.
        what: &'static str,
        /// The number.
        value: u64,
    },
    /// More than a limit allows.
    TooLarge {
        /// Of what.
        what: &'static str,
        /// The limit in bytes.
        limit: u64,
    },
    /// More blocks than a limit allows.
    TooMany(u64),
    /// Directories within directories beyond the limit.
    TooDeep(usize),
    /// What should be a zstd stream is none.
    Zstd(String),
    /// A reference must have the 32 bytes of a hash.
    ReferenceSize(u64),
    /// Nothing in the file or in the store has this hash.
    Unresolved([u8; 32]),
    /// There is nothing to write.
    NoBlocks,
    /// The operating system.
    Io(std::io::ErrorKind, String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(block) = self.block {
            write!(f, "block {block}: ")?;
        }
        write!(f, "{}", self.reason)?;
        match (&self.reason, self.within) {
            // Trouble with the disk has no place in the file.
            (Reason::Io(..) | Reason::NoBlocks, _) => Ok(()),
            (_, Within::File) => write!(f, " (at byte {})", self.offset),
            (_, Within::Payload) => {
                write!(
                    f,
                    " (at byte {} of the file without compression)",
                    self.offset
                )
            }
            (_, Within::Body) => write!(f, " (at byte {} of the inflated body)", self.offset),
        }
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => write!(f, "not a BCP file: it does not begin with \"BCP\\0\""),
            Self::Version(major, minor) => {
                write!(f, "version {major}.{minor} is not supported, only 1.x is")
            }
            Self::Reserved(byte) => {
                write!(
                    f,
                    "the reserved byte of the header is 0x{byte:02X} instead of 0x00"
                )
            }
            Self::Truncated {
                what,
                says: Some(says),
                has,
            } => {
                write!(
                    f,
                    "the file ends within {what}: it says {says} bytes, {has} are left"
                )
            }
            Self::Truncated { what, .. } => write!(f, "the file ends within {what}"),
            Self::Beyond {
                what,
                says: Some(says),
                has,
            } => write!(
                f,
                "{what} says {says} bytes, but {has} are left of the body"
            ),
            Self::Beyond { what, .. } => write!(f, "the body ends within {what}"),
            Self::NoEnd => write!(f, "the END block is missing: the file may be cut off"),
            Self::AfterEnd => write!(f, "data follows the END block"),
            Self::VarintTooLong => write!(f, "a number has more than 10 bytes"),
            Self::VarintOverflow => write!(f, "a number has more than 64 bits"),
            Self::BlockType(value) => write!(f, "block type {value} is above 255"),
            Self::WireType(value) => write!(f, "wire type {value} does not exist"),
            Self::WrongWireType { field, got } => {
                write!(f, "field {field} has the wrong wire type {got}")
            }
            Self::Missing(field) => write!(f, "the required field {field} is missing"),
            Self::Value { what, value } => write!(f, "0x{value:02X} is no {what}"),
            Self::TooLarge { what, limit } => {
                write!(f, "{what} has more than {limit} bytes, which is the limit")
            }
            Self::TooMany(limit) => write!(f, "more than {limit} blocks, which is the limit"),
            Self::TooDeep(limit) => {
                write!(
                    f,
                    "the tree is more than {limit} levels deep, which is the limit"
                )
            }
            Self::Zstd(why) => write!(f, "zstd cannot inflate it: {why}"),
            Self::ReferenceSize(size) => {
                write!(f, "a reference has 32 bytes (a BLAKE3 hash), not {size}")
            }
            Self::Unresolved(hash) => {
                write!(f, "nothing with the hash ")?;
                for byte in &hash[..8] {
                    write!(f, "{byte:02x}")?;
                }
                write!(f, "… precedes this reference")
            }
            Self::NoBlocks => write!(f, "there are no blocks to write"),
            Self::Io(_, why) => f.write_str(why),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(e: std::io::Error) -> Self {
        Self {
            reason: Reason::Io(e.kind(), e.to_string()),
            block: None,
            offset: 0,
            within: Within::File,
            local: false,
        }
    }
}

/// Something is wrong at a byte of a body. The reader, which knows where the body is, makes an
/// [`Error`] of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) reason: Reason,
    pub(crate) at: usize,
}

impl Reason {
    pub(crate) fn at(self, at: usize) -> Flaw {
        Flaw { reason: self, at }
    }
}
