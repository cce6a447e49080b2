//! Which key a store uses: the one it was written with, and for a new store the first place that has or takes one.

use std::sync::Arc;

use super::error::StoreError;
use super::folder::Folder;
use super::key::{Key, KeyPlace, KeySource};
use super::keyring::{self, Keyring};
use super::seal::Header;

type Result<T> = std::result::Result<T, StoreError>;

/// The file that holds the key, beside the store.
const KEY_FILE: &str = "key";
const LONGEST_KEY_FILE: usize = 1024;

/// A key, and what the caller may want to say about it.
#[derive(Clone)]
pub(super) struct Chosen {
    pub(super) key: Key,
    pub(super) place: KeyPlace,
    /// Whether it was made just now.
    pub(super) is_new: bool,
    /// Why the keyring was passed over.
    pub(super) keyring_problem: Option<String>,
}

/// Where keys can be.
pub(super) struct Places<'a> {
    pub(super) source: &'a KeySource,
    pub(super) folder: &'a Folder,
    pub(super) keyring: &'a Arc<dyn Keyring>,
}

impl Places<'_> {
    /// The key of a store that exists. No key is made: a second one would not open the store.
    pub(super) fn find(&self, store: &str, header: &Header) -> Result<Chosen> {
        let wanted = header.place;
        let missing = || StoreError::KeyMissing {
            path: self.folder.at(store),
            wanted,
        };
        let place = match self.source {
            KeySource::Given(_) => KeyPlace::Given,
            KeySource::Keyring => KeyPlace::Keyring,
            KeySource::File => KeyPlace::File,
            KeySource::Auto => wanted,
        };
        let key = match (place, self.source) {
            (KeyPlace::Given, KeySource::Given(text)) => {
                Some(Key::parse(text.expose()).ok_or(StoreError::BadKey)?)
            }
            (KeyPlace::Given, _) => None,
            (KeyPlace::Keyring, _) => self.in_keyring().map_err(absent)?,
            (KeyPlace::File, _) => self.in_file()?,
        };
        let key = key.ok_or_else(missing)?;
        if key.id() != header.key {
            return Err(StoreError::WrongKey {
                path: self.folder.at(store),
                used: place,
                wanted,
            });
        }
        Ok(Chosen::found(key, place))
    }

    /// The key for a new store. The caller holds the lock of the store, so that of two processes the second finds
    /// the key of the first.
    pub(super) fn find_or_make(&self) -> Result<Chosen> {
        match self.source {
            KeySource::Given(text) => {
                let key = Key::parse(text.expose()).ok_or(StoreError::BadKey)?;
                Ok(Chosen::found(key, KeyPlace::Given))
            }
            KeySource::Keyring => self.keyring_or_make().map_err(absent),
            KeySource::File => self.file_or_make(),
            KeySource::Auto => match self.keyring_or_make() {
                Ok(chosen) => Ok(chosen),
                Err(problem) => {
                    let mut chosen = self.file_or_make()?;
                    chosen.keyring_problem = Some(problem);
                    Ok(chosen)
                }
            },
        }
    }

    fn keyring_or_make(&self) -> std::result::Result<Chosen, String> {
        if let Some(key) = self.in_keyring()? {
            return Ok(Chosen::found(key, KeyPlace::Keyring));
        }
        let made = keyring::save(self.keyring, Key::generate().text())?;
        let key = made.and_then(|text| Key::parse(text.expose()));
        let key = key.ok_or("it did not keep the key")?;
        Ok(Chosen::made(key, KeyPlace::Keyring))
    }

    /// An item that is not a key is not ours to replace.
    fn in_keyring(&self) -> std::result::Result<Option<Key>, String> {
        let Some(text) = keyring::load(self.keyring)? else {
            return Ok(None);
        };
        let key = Key::parse(text.expose());
        key.map(Some).ok_or("its item is not a key".to_owned())
    }

    fn file_or_make(&self) -> Result<Chosen> {
        if let Some(key) = self.in_file()? {
            return Ok(Chosen::found(key, KeyPlace::File));
        }
        let key = Key::generate();
        let text = key.text();
        if self.folder.create(KEY_FILE, text.expose().as_bytes())? {
            return Ok(Chosen::made(key, KeyPlace::File));
        }
        let key = self.in_file()?.ok_or_else(|| self.bad_file())?;
        Ok(Chosen::found(key, KeyPlace::File))
    }

    fn in_file(&self) -> Result<Option<Key>> {
        let Some(bytes) = self.folder.read(KEY_FILE, LONGEST_KEY_FILE)? else {
            return Ok(None);
        };
        let text = std::str::from_utf8(&bytes).ok();
        let key = text.and_then(Key::parse);
        key.map(Some).ok_or_else(|| self.bad_file())
    }

    fn bad_file(&self) -> StoreError {
        let path = self.folder.at(KEY_FILE);
        StoreError::BadKeyFile { path }
    }
}

impl Chosen {
    fn found(key: Key, place: KeyPlace) -> Self {
        Self {
            key,
            place,
            is_new: false,
            keyring_problem: None,
        }
    }

    fn made(key: Key, place: KeyPlace) -> Self {
        Self {
            is_new: true,
            ..Self::found(key, place)
        }
    }
}

fn absent(why: String) -> StoreError {
    StoreError::KeyringAbsent { why }
}
