//! A file that can be read more than once.
//!
//! Some questions need a second look: which body does this reference mean, what fits into a budget.
//! A second look is cheaper than memory: bodies that nobody needs are not even read.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::sync::Arc;

use crate::bodies::{Hash, Keep};
use crate::error::{Error, Reason};
use crate::limits::Limits;
use crate::reader::{ReadOptions, Reader};
use crate::store::Store;

/// Where a file lies.
#[derive(Debug, Clone)]
pub enum Source {
    /// On a disk. Several readers do not disturb each other.
    File(Arc<File>),
    /// In memory.
    Memory(Arc<[u8]>),
}

impl From<File> for Source {
    fn from(file: File) -> Self {
        Self::File(Arc::new(file))
    }
}

impl From<Vec<u8>> for Source {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Memory(bytes.into())
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

    fn reader_with(
        &self,
        keep: Keep,
        store: Option<Box<dyn Store>>,
    ) -> Result<Reader<Input>, Error> {
        let input = Input {
            source: self.source.clone(),
            at: 0,
        };
        let options = ReadOptions {
            limits: self.limits,
            keep,
            store,
        };
        Reader::seeking(input, options)
    }

    /// Looks whether the blocks follow each other up to the END block. What they say is not read; in
    /// a file whose payload is compressed this is not done, because it would have to be inflated.
    pub fn check_frames(&self) -> Result<(), Error> {
        let mut reader = self.reader_with(Keep::These(HashSet::new()), None)?;
        if reader.header().is_compressed() {
            return Ok(());
        }
        while reader.next_head()?.is_some() {}
        Ok(())
    }

    /// All bodies of this file that blocks of this file refer to.
    fn referred_to(&self) -> Result<HashMap<Hash, Vec<u8>>, Error> {
        let mut wanted = HashSet::new();
        let mut reader = self.reader_with(Keep::These(HashSet::new()), None)?;
        while let Some(head) = reader.next_head()? {
            // Nothing is kept, so that each reference is reported as not resolved.
            if head.is_reference()
                && let Err(e) = reader.open()
            {
                match e.reason {
                    Reason::Unresolved(hash) => {
                        wanted.insert(hash);
                    }
                    _ if e.local => {}
                    _ => return Err(e),
                }
            }
        }
        let mut reader = self.reader_with(Keep::These(wanted), None)?;
        while let Some(head) = reader.next_head()? {
            if !head.is_reference()
                && let Err(e) = reader.open()
                && !e.local
            {
                return Err(e);
            }
        }
        Ok(reader.into_kept())
    }
}

/// Finds bodies in the same file. Nothing is done before the first reference: most files have none.
struct LookBack {
    document: Document,
    found: OnceCell<HashMap<Hash, Vec<u8>>>,
}

impl Store for LookBack {
    fn get(&self, hash: &Hash, limit: u64) -> Option<Vec<u8>> {
        // If the file is damaged, whoever reads it will notice that as well.
        let here = self
            .found
            .get_or_init(|| self.document.referred_to().unwrap_or_default());
        match here.get(hash) {
            Some(body) => (body.len() as u64 <= limit).then(|| body.clone()),
            None => self.document.store.as_ref()?.get(hash, limit),
        }
    }
}
