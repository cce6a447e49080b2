//! The outermost layer: the header of a file, and the heads of its blocks.

use crate::block::Block;
use crate::bodies::Opened;
use crate::body;
use crate::error::{Error, Reason, Within};
use crate::names::{END, Kind};
use crate::varint;

/// The size of the header in bytes.
pub(crate) const HEADER: usize = 8;

/// The maximum size of a block's head in bytes.
pub(crate) const MAX_HEAD: usize = 2 * varint::MAX + 1;

/// The END block.
pub(crate) const END_FRAME: [u8; 4] = [0xFF, 0x01, 0x00, 0x00];

/// The body starts with a summary.
pub const HAS_SUMMARY: u8 = 1;
/// The body is a zstd stream.
pub const COMPRESSED: u8 = 1 << 1;
/// The body is the hash of the referenced body.
pub const IS_REFERENCE: u8 = 1 << 2;

/// The header of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The minor version; the major one is 1.
    pub minor: u8,
    /// Flags: bit 0 is compression of everything that follows.
    pub flags: u8,
}

impl Header {
    /// Everything after the header is one zstd stream.
    pub const COMPRESSED: u8 = 1;

    /// Whether everything after the header is one zstd stream.
    pub fn is_compressed(self) -> bool {
        self.flags & Self::COMPRESSED != 0
    }

    pub(crate) fn bytes(flags: u8) -> [u8; HEADER] {
        [b'B', b'C', b'P', 0, 1, 0, flags, 0]
    }

    /// Reads a header; an error has the offset of the wrong byte.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, (Reason, u64)> {
        let &[m0, m1, m2, m3, major, minor, flags, reserved] = bytes else {
            // A short text that does not start with the magic number is not a truncated file.
            let reason = if b"BCP\0".starts_with(&bytes[..bytes.len().min(4)]) {
                Reason::Truncated {
                    what: "the header",
                    says: Some(HEADER as u64),
                    has: bytes.len() as u64,
                }
            } else {
                Reason::Magic
            };
            return Err((reason, 0));
        };
        if [m0, m1, m2, m3] != *b"BCP\0" {
            return Err((Reason::Magic, 0));
        }
        if major != 1 {
            return Err((Reason::Version(major, minor), 4));
        }
        if reserved != 0 {
            return Err((Reason::Reserved(reserved), 7));
        }
        Ok(Self { minor, flags })
    }
}

/// The head of a block, which precedes its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The byte of the type.
    pub kind: u8,
    /// [`HAS_SUMMARY`], [`COMPRESSED`], [`IS_REFERENCE`]; the other bits are reserved.
    pub flags: u8,
    /// The size of the stored body in bytes.
    pub stored: u64,
}

impl Head {
    /// Reads a head and its length; `None` if the bytes end too early.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<(Self, usize)>, Reason> {
        let Some((kind, used)) = varint::read(bytes)? else {
            return Ok(None);
        };
        let kind = u8::try_from(kind).map_err(|_| Reason::BlockType(kind))?;
        let Some(&flags) = bytes.get(used) else {
            return Ok(None);
        };
        let Some((stored, more)) = varint::read(&bytes[used + 1..])? else {
            return Ok(None);
        };
        let head = Self {
            kind,
            flags,
            stored,
        };
        Ok(Some((head, used + 1 + more)))
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        varint::write(u64::from(self.kind), out);
        out.push(self.flags);
        varint::write(self.stored, out);
    }

    pub(crate) fn is_end(self) -> bool {
        self.kind == END
    }

    /// The type, if it is known.
    pub fn known(self) -> Option<Kind> {
        Kind::from_byte(self.kind)
    }

    /// Whether the body starts with a summary.
    pub fn has_summary(self) -> bool {
        self.flags & HAS_SUMMARY != 0
    }

    /// Whether the body is a zstd stream.
    pub fn is_compressed(self) -> bool {
        self.flags & COMPRESSED != 0
    }

    /// Whether the body is the hash of the referenced body.
    pub fn is_reference(self) -> bool {
        self.flags & IS_REFERENCE != 0
    }
}

/// A block with its position.
#[derive(Debug, Clone)]
pub struct Frame<'a> {
    /// The index, counted from zero over all blocks.
    pub index: u64,
    /// The offset of its head, in bytes of the file with its payload inflated.
    pub offset: u64,
    /// Its head.
    pub head: Head,
    /// Its opened body: resolved and inflated.
    pub body: &'a [u8],
    /// The position of the body, for errors.
    start: u64,
    within: Within,
}

impl<'a> Frame<'a> {
    /// `start` and `within` are the position of the stored body.
    pub(crate) fn new<'r: 'a, 'h: 'a>(
        index: u64,
        offset: u64,
        head: Head,
        body: Opened<'r, 'h>,
        start: u64,
        within: Within,
    ) -> Self {
        let (body, start, within) = match body {
            Opened::Raw(body) => (body, start, within),
            Opened::Held(body) => (body, 0, Within::Body),
        };
        Self {
            index,
            offset,
            head,
            body,
            start,
            within,
        }
    }

    /// Parses the body.
    pub fn block(&self) -> Result<Block<'a>, Error> {
        body::read(self.head.kind, self.head.has_summary(), self.body).map_err(|flaw| Error {
            reason: flaw.reason,
            block: Some(self.index),
            offset: self.start + flaw.at as u64,
            within: self.within,
            local: true,
        })
    }
}
