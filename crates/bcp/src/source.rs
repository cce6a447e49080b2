//! A file that can be read more than once.
//!
//! Some questions need a second pass: which body a reference means, what fits into a budget. A second
//! pass is cheaper than memory: bodies that are not needed are not even read.

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

/// Where a file lies.
#[derive(Debug, Clone)]
pub enum Source {
    /// On a disk. Several readers do not disturb each other.
    File(Arc<File>),
    /// In memory.
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

/// A place in a source.
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
    /// Bytes.
    pub fn length(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => Ok(file.metadata()?.len()),
            Self::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }
}

/// Text becomes a tenth of its size by compression; all blocks of a file may become more than the limit
/// if they are not more than so many times the file.
const RATIO: u64 = 32;

/// Bodies that are kept of a file that cannot be sought in.
const KEPT: u64 = 32 << 20;

/// A file, and where else the bodies may lie that it refers to.
#[derive(Clone)]
pub struct Document {
    source: Source,
    limits: Limits,
    store: Option<Rc<dyn Store>>,
}

impl Document {
    /// Reads nothing yet.
    pub fn new(source: impl Into<Source>, limits: Limits) -> Self {
        Self {
            source: source.into(),
            limits,
            store: None,
        }
    }

    /// Looks there, too, for the bodies of references.
    #[must_use]
    pub fn with_store(mut self, store: Rc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// The file itself.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Begins at the beginning. References are looked up in the whole file.
    pub fn reader(&self) -> Result<Reader<Input>, Error> {
        let look_back = LookBack {
            document: self.clone(),
            found: OnceCell::new(),
        };
        self.reader_with(Keep::These(HashSet::new()), Some(Box::new(look_back)))
    }

    /// A reader that opens nothing but references.
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

    /// The limits depend on the size of the file, too: more than a thousand blocks in a kilobyte, or a
    /// gigabyte in a megabyte, is an attack.
    fn limits_for_this_file(&self) -> Limits {
        let length = self.source.length().unwrap_or_default();
        Limits {
            kept: self.limits.kept.min(KEPT),
            blocks: self.limits.blocks.min(length.saturating_add(1000)),
            total: self.limits.total.max(length.saturating_mul(RATIO)),
            ..self.limits
        }
    }

    /// Looks whether the blocks follow each other up to the END block. What they say is not read; in
    /// a file whose payload is compressed this is not done, because it would have to be inflated.
    pub fn check_frames(&self) -> Result<(), Error> {
        let mut reader = self.skim()?;
        if reader.header().is_compressed() {
            return Ok(());
        }
        while reader.next_head()?.is_some() {}
        Ok(())
    }

    /// Where the bodies are that blocks of this file refer to, as far as the file can be read: if it is
    /// damaged, the reader reports that as well.
    fn referred_to(&self) -> Result<Found, Error> {
        let mut wanted = HashSet::new();
        let mut reader = self.skim()?;
        while let Ok(Some(head)) = reader.next_head() {
            // Nothing is kept, so that each reference is reported as not resolved.
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

    /// The body of the block that begins at this byte of a plain file.
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

/// Bodies that are referred to.
struct Found {
    /// Where they begin. Each is read again when it is needed: sixteen of them may be 256 MiB.
    places: HashMap<Hash, u64>,
    /// What they are, of a file that cannot be sought in.
    kept: Option<HashMap<Hash, Vec<u8>>>,
}

/// Finds bodies in the same file. Nothing is done before the first reference: most files have none.
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
