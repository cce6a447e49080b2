//! Writes a file, one block at a time, with the same bytes as the reference implementation.

use std::collections::HashSet;
use std::io::{self, Read, Write};

use crate::apart::APART;
use crate::block::{Block, Content};
use crate::bodies::{Hash, hash};
use crate::body;
use crate::deflate::{Deflater, deflate_all};
use crate::error::{Error, Reason, Within};
use crate::frame::{COMPRESSED, END_FRAME, HAS_SUMMARY, HEADER, Head, Header, IS_REFERENCE};
use crate::limits::Limits;
use crate::names::{AnnotationKind, END, Kind, Priority};

/// Smaller bodies are not compressed.
const WORTH_COMPRESSING: usize = 256;

/// Options for writing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Compress each body if that makes it smaller.
    pub compress_blocks: bool,
    /// Write a repeated body as a reference to its first copy.
    pub dedup: bool,
}

/// Writes the blocks of a file.
pub struct Writer<W> {
    out: W,
    options: WriteOptions,
    count: u64,
    bytes: u64,
    /// Bytes that a reader will have to inflate or resolve.
    made: u64,
    /// The hashes of the bodies that were written.
    written: HashSet<Hash>,
    deflater: Option<Deflater>,
    /// The body, after [`APART`] unused bytes.
    body: Vec<u8>,
    deflated: Vec<u8>,
    head: Vec<u8>,
}

/// How a block was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Its index, counted from zero over all blocks.
    pub index: u64,
    /// Its flags: whether it was compressed or written as a reference.
    pub flags: u8,
}

impl<W: Write> Writer<W> {
    /// Writes the header.
    pub fn new(mut out: W, options: WriteOptions) -> Result<Self, Error> {
        out.write_all(&Header::bytes(0))?;
        Ok(Self {
            out,
            options,
            count: 0,
            bytes: HEADER as u64,
            made: 0,
            written: HashSet::new(),
            deflater: options.compress_blocks.then(Deflater::new).transpose()?,
            body: vec![0; APART],
            deflated: Vec::new(),
            head: Vec::new(),
        })
    }

    /// Writes a block.
    pub fn add(&mut self, block: &Block<'_>) -> Result<Written, Error> {
        self.write(block, false)
    }

    /// Adds the hashes of bodies that readers find elsewhere: [`WriteOptions::dedup`] treats them as written.
    pub fn refer_to(&mut self, hashes: impl IntoIterator<Item = Hash>) {
        self.written.extend(hashes);
    }

    /// The body of the last block.
    pub fn body(&self) -> &[u8] {
        &self.body[APART..]
    }

    /// Writes only the hash of a block's body; returns the body, which the caller stores elsewhere.
    pub fn add_reference(&mut self, block: &Block<'_>) -> Result<&[u8], Error> {
        self.write(block, true)?;
        Ok(&self.body[APART..])
    }

    /// Writes a block and an annotation with its priority.
    pub fn add_with_priority(
        &mut self,
        block: &Block<'_>,
        priority: Priority,
    ) -> Result<Written, Error> {
        let written = self.add(block)?;
        self.add_priority(written.index, priority)?;
        Ok(written)
    }

    /// Writes an annotation with the priority of another block.
    pub fn add_priority(&mut self, target: u64, priority: Priority) -> Result<Written, Error> {
        let annotation = Content::Annotation {
            target,
            kind: AnnotationKind::Priority,
            value: vec![priority.byte()].into(),
        };
        self.add(&annotation.into())
    }

    fn write(&mut self, block: &Block<'_>, refer: bool) -> Result<Written, Error> {
        let kind = block.content.byte();
        let hides = matches!(block.content, Content::Unknown { .. })
            && (kind == END || Kind::from_byte(kind).is_some());
        if hides {
            // A reader would take it for another type.
            let value = u64::from(kind);
            let what = "unknown block type";
            return Err(self.wrong(Reason::Value { what, value }));
        }
        self.body.truncate(APART);
        body::write(block, &mut self.body);
        let body = &self.body[APART..];
        let limits = Limits::default();
        if self.count >= limits.blocks {
            return Err(self.wrong(Reason::TooMany(limits.blocks)));
        }
        // A reader has a limit on inflated bytes; bodies stored uncompressed do not count.
        let made = self.made + body.len() as u64;
        let may_make = made <= limits.total;
        if body.len() as u64 > Limits::BLOCK {
            return Err(self.wrong(Reason::TooLarge {
                what: "the body",
                limit: Limits::BLOCK,
            }));
        }
        let mut flags = if block.summary.is_some() {
            HAS_SUMMARY
        } else {
            0
        };
        let mut hashed = None;
        if refer || self.options.dedup {
            let hash = hash(body);
            if refer || (!self.written.insert(hash) && may_make) {
                flags |= IS_REFERENCE;
                hashed = Some(hash);
            }
        }
        let mut stored: &[u8] = hashed.as_ref().map_or(body, |hash| hash.as_slice());
        if let Some(deflater) = &mut self.deflater
            && hashed.is_none()
            && may_make
            && stored.len() >= WORTH_COMPRESSING
        {
            deflater.deflate(stored, &mut self.deflated)?;
            if self.deflated.len() < stored.len() {
                flags |= COMPRESSED;
                stored = &self.deflated;
            }
        }
        if flags & (COMPRESSED | IS_REFERENCE) != 0 {
            self.made = made;
        }
        self.head.clear();
        let length = stored.len() as u64;
        Head {
            kind,
            flags,
            stored: length,
        }
        .write(&mut self.head);
        self.out.write_all(&self.head)?;
        self.out.write_all(stored)?;
        self.bytes += self.head.len() as u64 + length;
        let index = self.count;
        self.count += 1;
        Ok(Written { index, flags })
    }

    /// Writes the END block; returns the output and the number of bytes written.
    pub fn finish(mut self) -> Result<(W, u64), Error> {
        if self.count == 0 {
            return Err(self.wrong(Reason::NoBlocks));
        }
        self.out.write_all(&END_FRAME)?;
        self.out.flush()?;
        Ok((self.out, self.bytes + END_FRAME.len() as u64))
    }

    fn wrong(&self, reason: Reason) -> Error {
        Error {
            block: (reason != Reason::NoBlocks).then_some(self.count),
            reason,
            offset: self.bytes,
            within: Within::File,
            local: true,
        }
    }
}

/// Copies a file with its payload compressed; returns the new size in bytes. If that is not smaller, or the
/// plain file exceeds [`Limits::payload`], callers should keep the plain file: readers would inflate without
/// a benefit, or refuse it.
pub fn compress_payload(plain: &mut impl Read, mut out: impl Write) -> io::Result<u64> {
    let mut header = [0; HEADER];
    plain.read_exact(&mut header)?;
    out.write_all(&Header::bytes(Header::COMPRESSED))?;
    Ok(HEADER as u64 + deflate_all(plain, out)?)
}
