//! Opens stored bodies: resolves references and inflates, within the limits.
//!
//! The reference implementation never writes its store to a file, so it cannot read its own deduplicated
//! files. But the file contains the first copy of each body, before the blocks that refer to it, so
//! references are resolved in the file.

use std::collections::{HashMap, HashSet};

use crate::deflate::{Inflater, Inflating};
use crate::error::{Error, Reason, Within};
use crate::frame::Head;
use crate::limits::Limits;
use crate::store::Store;

/// The BLAKE3 hash of a body: inflated, with its summary, without its type.
pub type Hash = [u8; 32];

/// The hash of a body.
pub fn hash(body: &[u8]) -> Hash {
    blake3::hash(body).into()
}

/// The bodies that are kept for references in later blocks.
#[derive(Debug, Clone, Default)]
pub enum Keep {
    /// All bodies, up to [`Limits::kept`]. For a stream that can be read only once.
    #[default]
    All,
    /// The bodies with these hashes. For a file that was searched for references before.
    These(HashSet<Hash>),
}

/// Buffers above this size are released when they are not needed for a while.
const LARGE: usize = 1 << 20;

pub(crate) struct Bodies {
    kept: Kept,
    store: Option<Box<dyn Store>>,
    inflating: Work,
    /// A body from the store.
    looked_up: Vec<u8>,
}

/// An opened body: borrowed from the file, or held in one of our buffers.
pub(crate) enum Opened<'r, 'h> {
    Raw(&'r [u8]),
    Held(&'h [u8]),
}

/// Why a body cannot be opened, and whether the rest of the file is readable.
pub(crate) struct Closed {
    reason: Reason,
    pub(crate) local: bool,
}

impl Closed {
    pub(crate) fn error(self, block: u64, offset: u64, within: Within) -> Error {
        Error {
            reason: self.reason,
            block: Some(block),
            offset,
            within,
            local: self.local,
        }
    }
}

/// An error that damages this block only.
fn local(reason: Reason) -> Closed {
    Closed {
        reason,
        local: true,
    }
}

impl Bodies {
    pub(crate) fn new(limits: Limits, keep: Keep, store: Option<Box<dyn Store>>) -> Self {
        Self {
            kept: Kept {
                keep,
                bodies: HashMap::new(),
                bytes: 0,
                limit: limits.kept,
            },
            store,
            inflating: Work {
                limits,
                done: 0,
                inflater: None,
                inflated: Vec::new(),
            },
            looked_up: Vec::new(),
        }
    }

    /// Opens a stored body at this offset.
    pub(crate) fn open<'r, 'h>(
        &'h mut self,
        head: Head,
        raw: &'r [u8],
        at: u64,
    ) -> Result<Opened<'r, 'h>, Closed> {
        if head.is_reference() {
            return self.look_up(head, raw, at).map(Opened::Held);
        }
        if !head.is_compressed() {
            self.kept.add(raw);
            return Ok(Opened::Raw(raw));
        }
        let body = self.inflating.inflate(raw)?;
        self.kept.add(body);
        Ok(Opened::Held(body))
    }

    pub(crate) fn into_kept(self) -> HashMap<Hash, Vec<u8>> {
        self.kept.bodies
    }

    fn look_up(&mut self, head: Head, raw: &[u8], at: u64) -> Result<&[u8], Closed> {
        let hash: Hash = raw
            .try_into()
            .map_err(|_| local(Reason::ReferenceSize(raw.len() as u64)))?;
        let body = match self.kept.bodies.get(&hash) {
            Some(body) => body,
            None => {
                // Frees the inflated body first: at most two large bodies are held at a time.
                self.looked_up = Vec::new();
                self.inflating.inflated.clear();
                self.inflating.inflated.shrink_to(LARGE);
                let limit = self.inflating.limits.block;
                let store = self.store.as_ref();
                let found = store.and_then(|store| store.get(&hash, limit, at));
                self.looked_up = found.ok_or_else(|| local(Reason::Unresolved(hash)))?;
                &self.looked_up
            }
        };
        // A reference of 36 bytes can expand to 16 MiB.
        self.inflating.count(body.len() as u64)?;
        if head.is_compressed() {
            return self.inflating.inflate(body);
        }
        Ok(body)
    }
}

/// The buffer of inflated bodies, and the total size of inflated and referenced ones.
struct Work {
    limits: Limits,
    done: u64,
    /// Created when needed: most files have no compressed bodies.
    inflater: Option<Inflater>,
    inflated: Vec<u8>,
}

impl Work {
    fn inflate(&mut self, bytes: &[u8]) -> Result<&[u8], Closed> {
        let left = self.limits.total.saturating_sub(self.done);
        let limit = self.limits.block.min(left);
        let inflater = self.inflater.get_or_insert_with(Inflater::new);
        match inflater.inflate(bytes, &mut self.inflated, limit) {
            Ok(()) => {
                self.count(self.inflated.len() as u64)?;
                Ok(&self.inflated)
            }
            Err(Inflating::Broken(reason)) => {
                self.count(self.inflated.len() as u64)?;
                Err(local(reason))
            }
            Err(Inflating::TooLarge) => {
                // Other blocks may be intact, but the inflated bytes count.
                self.count(limit.saturating_add(1))?;
                Err(local(Reason::TooLarge {
                    what: "the inflated body",
                    limit,
                }))
            }
        }
    }

    fn count(&mut self, bytes: u64) -> Result<(), Closed> {
        self.done = self.done.saturating_add(bytes);
        if self.done <= self.limits.total {
            return Ok(());
        }
        Err(Closed {
            reason: Reason::TooLarge {
                what: "the total of inflated and referenced bodies",
                limit: self.limits.total,
            },
            local: false,
        })
    }
}

struct Kept {
    keep: Keep,
    bodies: HashMap<Hash, Vec<u8>>,
    bytes: u64,
    limit: u64,
}

impl Kept {
    fn add(&mut self, body: &[u8]) {
        let bytes = self.bytes + body.len() as u64;
        if bytes > self.limit || matches!(&self.keep, Keep::These(hashes) if hashes.is_empty()) {
            return;
        }
        let hash = hash(body);
        if matches!(&self.keep, Keep::These(hashes) if !hashes.contains(&hash)) {
            return;
        }
        if self.bodies.insert(hash, body.to_vec()).is_none() {
            self.bytes = bytes;
        }
    }
}
