//! The file `store`: read whole, replaced whole, under a lock that is held for milliseconds.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use zeroize::Zeroizing;

use super::content::Content;
use super::error::StoreError;
use super::folder::Folder;
use super::key::KeySource;
use super::key_choice::{Chosen, Places};
use super::keyring::Keyring;
use super::lock::{self, LockName};
use super::seal::{self, Header, Unreadable};

type Result<T> = std::result::Result<T, StoreError>;

const STORE: &str = "store";
/// Some thousand records.
const LARGEST: usize = 16 << 20;
/// How long another process may take to rewrite the file. It waits for the keyring at most twice meanwhile.
const PATIENCE: Duration = Duration::from_secs(15);

/// One version of the store. Another one has other content, up to the resolution of the file system's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Version(Option<(SystemTime, u64)>);

pub(super) struct StoreFile {
    pub(super) folder: Folder,
    source: KeySource,
    keyring: Arc<dyn Keyring>,
    /// The key, once it was needed.
    chosen: Mutex<Option<Chosen>>,
}

impl StoreFile {
    pub(super) fn new(folder: Folder, source: KeySource, keyring: Arc<dyn Keyring>) -> Self {
        Self {
            folder,
            source,
            keyring,
            chosen: Mutex::new(None),
        }
    }

    /// The key that is used, once one was needed.
    pub(super) fn chosen(&self) -> Option<Chosen> {
        self.chosen.lock().clone()
    }

    /// What is in the store. No lock is needed, because the file is replaced whole.
    pub(super) fn load(&self) -> Result<Content> {
        if !self.folder.exists()? {
            return Ok(Content::default());
        }
        let mut read = self.read();
        if let Err(Failure::Unreadable(Unreadable::Damaged)) = read {
            // Under the lock it may turn out that another process has moved it aside already.
            let _lock = lock::lock_within(&self.folder, &LockName::store(), PATIENCE)?;
            read = self.read();
            return Ok(self.explain(read)?.unwrap_or_default());
        }
        Ok(self.explain(read)?.unwrap_or_default())
    }

    /// Which version of the file there is, without reading it.
    pub(super) fn version(&self) -> Version {
        Version(self.folder.version(STORE))
    }

    /// Changes what is in the store. Nothing is written if the change fails.
    pub(super) fn update<T>(&self, change: impl FnOnce(&mut Content) -> Result<T>) -> Result<T> {
        let _lock = lock::lock_within(&self.folder, &LockName::store(), PATIENCE)?;
        let read = self.read();
        let content = self.explain(read)?;
        let is_new = content.is_none();
        let mut content = content.unwrap_or_default();
        let result = change(&mut content)?;
        let chosen = self.key_to_write(is_new)?;
        let text = serde_json::to_vec(&content).expect("a record can be written as JSON");
        let file = seal::seal(&chosen.key, chosen.place, Zeroizing::new(text));
        if file.len() > LARGEST {
            // It could not be read again.
            return Err(StoreError::TooLarge {
                path: self.folder.at(STORE),
                limit: LARGEST,
            });
        }
        self.folder.replace(STORE, &file)?;
        Ok(result)
    }

    /// `None` if there is no store yet.
    fn read(&self) -> std::result::Result<Option<Content>, Failure> {
        let Some(file) = self.folder.read(STORE, LARGEST)? else {
            return Ok(None);
        };
        let header = Header::of(&file)?;
        let key = self.key_of(&header)?.key;
        let text = seal::open(&key, &file)?;
        // The text is what was written, so another form of it is not damage. The error of serde_json is not passed
        // on because it may show a part of the text.
        let content = serde_json::from_slice(&text).map_err(|_| Unreadable::Newer)?;
        Ok(Some(content))
    }

    /// Turns a failure into an error that says what to do. A damaged file is moved aside; the caller holds the lock.
    fn explain<T>(&self, read: std::result::Result<T, Failure>) -> Result<T> {
        let path = self.folder.at(STORE);
        read.map_err(|failure| match failure {
            Failure::Store(error) => error,
            Failure::Unreadable(Unreadable::Newer) => StoreError::Newer { path },
            Failure::Unreadable(Unreadable::Damaged) => match self.folder.set_aside(STORE) {
                Ok(kept) => StoreError::Damaged { path, kept },
                Err(error) => error,
            },
        })
    }

    /// The key of the store that is there.
    fn key_of(&self, header: &Header) -> Result<Chosen> {
        let mut chosen = self.chosen.lock();
        if let Some(known) = chosen.as_ref().filter(|it| it.key.id() == header.key) {
            return Ok(known.clone());
        }
        let found = self.places().find(STORE, header)?;
        *chosen = Some(found.clone());
        Ok(found)
    }

    /// The key for the file that is written now.
    fn key_to_write(&self, is_new: bool) -> Result<Chosen> {
        let mut chosen = self.chosen.lock();
        match &*chosen {
            // It has just opened the file. For a new file it may be gone from its place meanwhile.
            Some(known) if !is_new => Ok(known.clone()),
            _ => {
                let made = self.places().find_or_make()?;
                *chosen = Some(made.clone());
                Ok(made)
            }
        }
    }

    fn places(&self) -> Places<'_> {
        Places {
            source: &self.source,
            folder: &self.folder,
            keyring: &self.keyring,
        }
    }
}

/// Why the file could not be read.
enum Failure {
    Unreadable(Unreadable),
    Store(StoreError),
}

impl From<Unreadable> for Failure {
    fn from(unreadable: Unreadable) -> Self {
        Self::Unreadable(unreadable)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
