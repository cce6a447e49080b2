//! A file that can be read more than once.
//!
//! Resolving references and fitting a budget need a second pass. A second pass is cheaper than memory: bodies
//! that are not needed are not even read.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::sync::Arc;

use crate::bodies::{Hash, Keep, hash};
use crate::deflate::Inflater;
use crate::error::{Error, Reason};
use crate::frame::Head;
use crate::limits::Limits;
use crate::reader::{ReadOptions, Reader};
use crate::store::Store;

/// The location of a file's bytes.
#[derive(Debug, Clone)]
pub enum Source {
    /// A file on disk. Several readers are independent of each other.
    File(Arc<File>),
    /// Bytes in memory.
    Memory(Arc<Vec<u8>>),
}

impl From<File> for Source {
    fn from(file: File) -> Self {
        Self::File(Arc::new(file))
    }
}

impl From<Vec<u8>> for Source {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Memory(Arc::new(bytes))
    }
}

/// A position in a source.
#[derive(Debug)]
pub struct Input {
    source: Source,
    at: u64,
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = match &self.source {
            Source::File(file) => read_at(file, into, self.at)?,
            Source::Memory(bytes) => {
                let start = usize::try_from(self.at).unwrap_or(usize::MAX);
                let rest = bytes.get(start..).unwrap_or_default();
                let length = rest.len().min(into.len());
                into[..length].copy_from_slice(&rest[..length]);
                length
            }
        };
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, at)
}

#[cfg(windows)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, at)
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.source.length()?.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

impl Source {
    /// The length in bytes.
    pub fn length(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => Ok(file.metadata()?.len()),
            Self::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }
}

/// The maximum expansion: text compresses to about a tenth, so the bodies of a file may together be this many
/// times larger than the file, even above the limit.
const RATIO: u64 = 32;

/// The bytes of bodies that are kept for a file that is not seekable.
const KEPT: u64 = 32 << 20;

/// A file, with an optional store for referenced bodies.
#[derive(Clone)]
pub struct Document {
    source: Source,
    limits: Limits,
    store: Option<Rc<dyn Store>>,
}

impl Document {
    /// Creates a document. Reads nothing yet.
    pub fn new(source: impl Into<Source>, limits: Limits) -> Self {
        Self {
            source: source.into(),
            limits,
            store: None,
        }
    }

    /// Adds a store for the bodies of references.
    #[must_use]
    pub fn with_store(mut self, store: Rc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// The file.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// A reader at the start of the file. It resolves references in the whole file.
    pub fn reader(&self) -> Result<Reader<Input>, Error> {
        let look_back = LookBack {
            document: self.clone(),
            found: OnceCell::new(),
        };
        self.reader_with(Keep::These(HashSet::new()), Some(Box::new(look_back)))
    }

    /// A reader that opens only references.
    fn skim(&self) -> Result<Reader<Input>, Error> {
        let (input, options) = self.begin(Keep::These(HashSet::new()), None);
        Reader::skimming(input, options)
    }

    fn reader_with(
        &self,
        keep: Keep,
        store: Option<Box<dyn Store>>,
    ) -> Result<Reader<Input>, Error> {
        let (input, options) = self.begin(keep, store);
        Reader::seeking(input, options)
    }

    fn begin(&self, keep: Keep, store: Option<Box<dyn Store>>) -> (Input, ReadOptions) {
        let input = Input {
            source: self.source.clone(),
            at: 0,
        };
        let options = ReadOptions {
            limits: self.limits_for_this_file(),
            keep,
            store,
        };
        (input, options)
    }

    /// The limits for the size of this file: more than a thousand blocks in a kilobyte, or a gigabyte in a
    /// megabyte, indicates an attack.
    fn limits_for_this_file(&self) -> Limits {
        let length = self.source.length().unwrap_or_default();
        Limits {
            kept: self.limits.kept.min(KEPT),
            blocks: self.limits.blocks.min(length.saturating_add(1000)),
            total: self.limits.total.max(length.saturating_mul(RATIO)),
            ..self.limits
        }
    }

    /// Checks that the blocks follow each other up to the END block, without reading their bodies. Skipped
    /// for a compressed payload, which would have to be inflated.
    pub fn check_frames(&self) -> Result<(), Error> {
        let mut reader = self.skim()?;
        if reader.header().is_compressed() {
            return Ok(());
        }
        while reader.next_head()?.is_some() {}
        Ok(())
    }

    /// The positions of the bodies that blocks of this file refer to, up to the first error in the file,
    /// which the reader reports as well.
    fn referred_to(&self) -> Result<Found, Error> {
        let mut wanted = HashSet::new();
        let mut reader = self.skim()?;
        while let Ok(Some(head)) = reader.next_head() {
            // This reader keeps no bodies, so each reference is reported as unresolved.
            if head.is_reference()
                && let Err(e) = reader.open()
                && let Reason::Unresolved(hash) = e.reason
            {
                wanted.insert(hash);
            }
        }
        let compressed = reader.header().is_compressed();
        let keep = if compressed {
            wanted.clone()
        } else {
            HashSet::new()
        };
        let mut places = HashMap::new();
        let mut reader = self.reader_with(Keep::These(keep), None)?;
        while places.len() < wanted.len()
            && let Ok(Some(head)) = reader.next_head()
        {
            if head.is_reference() {
                continue;
            }
            match reader.open() {
                Ok(frame) => {
                    let hash = hash(frame.body);
                    if wanted.contains(&hash) {
                        places.entry(hash).or_insert(frame.offset);
                    }
                }
                Err(e) if e.local => {}
                Err(_) => break,
            }
        }
        let kept = compressed.then(|| reader.into_kept());
        Ok(Found { places, kept })
    }

    /// The body of the block at this offset of an uncompressed file.
    fn body_at(&self, at: u64) -> Option<Vec<u8>> {
        let mut input = BufReader::new(Input {
            source: self.source.clone(),
            at,
        });
        let head = input.fill_buf().ok()?;
        let (head, length) = Head::read(head).ok()??;
        input.consume(length);
        let mut raw = Vec::new();
        let stored = head.stored.min(self.limits.block);
        input.take(stored).read_to_end(&mut raw).ok()?;
        if !head.is_compressed() {
            return Some(raw);
        }
        let mut body = Vec::new();
        let inflated = Inflater::new().inflate(&raw, &mut body, self.limits.block);
        inflated.ok().map(|()| body)
    }
}

/// Referenced bodies.
struct Found {
    /// Their offsets. Each body is read again when needed: sixteen bodies may have 256 MiB.
    places: HashMap<Hash, u64>,
    /// The bodies themselves, for a compressed payload, which is not seekable.
    kept: Option<HashMap<Hash, Vec<u8>>>,
}

/// Resolves references in the same file. The search starts with the first reference: most files have none.
struct LookBack {
    document: Document,
    found: OnceCell<Option<Found>>,
}

impl Store for LookBack {
    fn get(&self, hash: &Hash, limit: u64, before: u64) -> Option<Vec<u8>> {
        let found = self.found.get_or_init(|| self.document.referred_to().ok());
        let here = found.as_ref().and_then(|found| {
            let at = found.places.get(hash).filter(|at| **at < before)?;
            match &found.kept {
                Some(bodies) => bodies.get(hash).cloned(),
                None => self.document.body_at(*at),
            }
        });
        match here {
            Some(body) => (body.len() as u64 <= limit).then_some(body),
            None => self.document.store.as_ref()?.get(hash, limit, before),
        }
    }
}
