//! Errors in files, with their positions.

use std::fmt;

/// An error at a byte of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The kind of error.
    pub reason: Reason,
    /// The index of the block, counted from zero over all blocks.
    pub block: Option<u64>,
    /// The offset in bytes.
    pub offset: u64,
    /// The data that the offset counts in.
    pub within: Within,
    /// Whether only this block is damaged: the position of the next one is known.
    pub local: bool,
}

/// The data that an offset counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// The file.
    File,
    /// The file with its payload inflated.
    Payload,
    /// The body of a block, inflated or resolved.
    Body,
}

/// The kind of error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The file does not start with the magic number.
    Magic,
    /// An unsupported major version.
    Version(u8, u8),
    /// The last byte of the header is not zero.
    Reserved(u8),
    /// The input ends in the middle of an element.
    Truncated {
        /// The element.
        what: &'static str,
        /// The size in bytes that the element declares, if it does.
        says: Option<u64>,
        /// The bytes that are left.
        has: u64,
    },
    /// A body ends in the middle of an element.
    Beyond {
        /// The element.
        what: &'static str,
        /// The size in bytes that the element declares, if it does.
        says: Option<u64>,
        /// The bytes that are left.
        has: u64,
    },
    /// The input ends without an END block.
    NoEnd,
    /// Data follows the END block.
    AfterEnd,
    /// A varint of more than ten bytes.
    VarintTooLong,
    /// A varint of more than 64 bits.
    VarintOverflow,
    /// A block type that does not fit into a byte.
    BlockType(u64),
    /// An unknown wire type.
    WireType(u64),
    /// A known field with the wrong wire type.
    WrongWireType {
        /// The name of the field.
        field: &'static str,
        /// Its wire type.
        got: u64,
    },
    /// A required field is missing.
    Missing(&'static str),
    /// A number outside a vocabulary.
    Value {
        /// The vocabulary.
        what: &'static str,
        /// The number.
        value: u64,
    },
    /// A size exceeds a limit.
    TooLarge {
        /// The element with that size.
        what: &'static str,
        /// The limit in bytes.
        limit: u64,
    },
    /// The number of blocks exceeds a limit.
    TooMany(u64),
    /// The depth of a tree exceeds the limit.
    TooDeep(usize),
    /// Invalid zstd data.
    Zstd(String),
    /// A reference that does not have the 32 bytes of a hash.
    ReferenceSize(u64),
    /// Neither the file nor the store has a body with this hash.
    Unresolved([u8; 32]),
    /// There is nothing to write.
    NoBlocks,
    /// An error of the operating system.
    Io(std::io::ErrorKind, String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(block) = self.block {
            write!(f, "block {block}: ")?;
        }
        write!(f, "{}", self.reason)?;
        match (&self.reason, self.within) {
            // An I/O error has no position in the file.
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
                    "the file ends within {what}: it declares {says} bytes, {has} are left"
                )
            }
            Self::Truncated { what, .. } => write!(f, "the file ends within {what}"),
            Self::Beyond {
                what,
                says: Some(says),
                has,
            } => write!(
                f,
                "{what} declares {says} bytes, but {has} are left of the body"
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
            Self::Value { what, value } => write!(f, "0x{value:02X} is not a valid {what}"),
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

/// An error at a byte of a body. The reader, which knows the body's position, turns it into an [`Error`].
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
