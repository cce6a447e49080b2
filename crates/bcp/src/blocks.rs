//! Reads a file that is in memory, without copying it.
//!
//! It agrees with [`Reader`] on every input, errors included, as long as all bodies together are not more than
//! [`Limits::kept`]; a property and a fuzz target hold it to that. A payload that is compressed as a whole has nothing
//! to borrow from, and goes through a [`Reader`].

use std::collections::HashSet;

use crate::block::Block;
use crate::bodies::{Bodies, Hash, Keep, Opened};
use crate::error::{Error, Reason, Within};
use crate::frame::{Frame, HEADER, Head, Header};
use crate::limits::Limits;
use crate::reader::{ReadOptions, Reader, truncated_body, truncated_head};

/// The blocks of a file in memory.
pub struct Blocks<'a> {
    from: From<'a>,
}

enum From<'a> {
    Slice(Box<Slice<'a>>),
    Stream(Box<Reader<&'a [u8]>>),
}

impl<'a> Blocks<'a> {
    /// Reads the header.
    pub fn new(bytes: &'a [u8], limits: Limits) -> Result<Self, Error> {
        let read = Header::read(&bytes[..bytes.len().min(HEADER)]);
        let header = read.map_err(|(reason, offset)| Error {
            reason,
            block: None,
            offset,
            within: Within::File,
            local: false,
        })?;
        let from = if header.is_compressed() {
            let options = ReadOptions {
                limits,
                ..ReadOptions::default()
            };
            From::Stream(Box::new(Reader::new(bytes, options)?))
        } else {
            // Bodies without references need not be hashed or kept.
            let keep = Keep::These(Slice::new(bytes, limits, Keep::All).referred_to());
            From::Slice(Box::new(Slice::new(bytes, limits, keep)))
        };
        Ok(Self { from })
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Result<Block<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.from {
            From::Slice(slice) => slice.next().transpose(),
            From::Stream(reader) => match reader.next() {
                Ok(Some(frame)) => Some(frame.block().map(Block::into_owned)),
                Ok(None) => None,
                Err(e) => Some(Err(e)),
            },
        }
    }
}

/// Where a block begins, its head, and its body as it lies in the file.
type Raw<'a> = (u64, Head, &'a [u8]);

struct Slice<'a> {
    bytes: &'a [u8],
    at: usize,
    count: u64,
    limits: Limits,
    bodies: Bodies,
    ended: bool,
}

impl<'a> Slice<'a> {
    fn new(bytes: &'a [u8], limits: Limits, keep: Keep) -> Self {
        Self {
            bytes,
            at: HEADER,
            count: 0,
            limits,
            bodies: Bodies::new(limits, keep, None),
            ended: false,
        }
    }

    /// The hashes of all bodies that are referred to, as far as the file can be read.
    fn referred_to(mut self) -> HashSet<Hash> {
        let mut hashes = HashSet::new();
        while let Ok(Some((_, head, raw))) = self.raw() {
            if head.is_reference()
                && let Ok(hash) = raw.try_into()
            {
                hashes.insert(hash);
            }
        }
        hashes
    }

    fn next(&mut self) -> Result<Option<Block<'a>>, Error> {
        let Some((at, head, raw)) = self.raw()? else {
            return Ok(None);
        };
        let index = self.count - 1;
        let start = (self.at - raw.len()) as u64;
        match self.bodies.open(head, raw, start) {
            Ok(Opened::Raw(body)) => {
                let body = Opened::Raw(body);
                let frame = Frame::new(index, at, head, body, start, Within::File);
                frame.block().map(Some)
            }
            Ok(held) => {
                let frame = Frame::new(index, at, head, held, start, Within::File);
                frame.block().map(|block| Some(block.into_owned()))
            }
            Err(closed) => {
                self.ended |= !closed.local;
                Err(closed.error(index, start, Within::File))
            }
        }
    }

    fn raw(&mut self) -> Result<Option<Raw<'a>>, Error> {
        if self.ended {
            return Ok(None);
        }
        let at = self.at as u64;
        let rest = &self.bytes[self.at..];
        let (head, length) = match Head::read(rest) {
            Ok(Some(read)) => read,
            Ok(None) if rest.is_empty() => return Err(self.fatal(Reason::NoEnd, at, None)),
            Ok(None) => {
                return Err(self.fatal(truncated_head(rest.len()), at, Some(self.count)));
            }
            Err(reason) => return Err(self.fatal(reason, at, Some(self.count))),
        };
        let rest = &rest[length..];
        let start = at + length as u64;
        if head.is_end() {
            self.ended = true;
            if !rest.is_empty() {
                return Err(self.fatal(Reason::AfterEnd, start, None));
            }
            return Ok(None);
        }
        if let Err(reason) = self.limits.admit(head, self.count) {
            return Err(self.fatal(reason, at, Some(self.count)));
        }
        self.count += 1;
        let raw = usize::try_from(head.stored)
            .ok()
            .and_then(|length| rest.get(..length));
        let Some(raw) = raw else {
            let reason = truncated_body(head, rest.len() as u64);
            return Err(self.fatal(reason, start, Some(self.count - 1)));
        };
        self.at += length + raw.len();
        Ok(Some((at, head, raw)))
    }

    fn fatal(&mut self, reason: Reason, offset: u64, block: Option<u64>) -> Error {
        self.ended = true;
        Error {
            reason,
            block,
            offset,
            within: Within::File,
            local: false,
        }
    }
}
