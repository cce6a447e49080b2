//! Credentials on disk, one for all processes of a user.
//!
//! ```text
//! auth/            0700
//!   store          all records, encrypted (AES-256-GCM), replaced whole
//!   key            its key, if the keyring of the system cannot keep it
//!   lock-…         one per credential and server, and one for the file
//!   store.damaged-1  a store that could not be read
//! ```
//!
//! A process that refreshes or signs in goes this way, and others wait for it and find its result:
//! lock ([`Store::lock_within`]) → read → still needed? → network → write → unlock. A process that dies loses its lock
//! and nothing else.
//!
//! All calls block for the time of a file access, the first one for up to six seconds if a keyring hangs.

mod content;
mod credential;
mod error;
mod file;
mod folder;
pub mod import;
mod key;
mod key_choice;
mod keyring;
mod lock;
mod record;
#[cfg(test)]
pub(crate) mod sample;
mod seal;
mod storm;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

pub use credential::{CredentialKey, NotKey};
pub use error::StoreError;
pub use file::Version;
pub use key::{KeyPlace, KeySource};
pub use lock::{CredentialLock, LockName};
pub use record::{ClientAuth, Record, Registration, Status, Tokens};
pub use storm::Storm;

use crate::{Secret, Timestamp};
use file::StoreFile;
use folder::Folder;
use keyring::Keyring;

type Result<T> = std::result::Result<T, StoreError>;

/// Where the store is, and where its key is.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// A folder of its own, in the state folder of this user. It is made by the first write.
    pub folder: PathBuf,
    /// Where the key is.
    pub key: KeySource,
}

/// The credentials of a user. Any number of processes and threads may use one folder.
pub struct Store {
    file: StoreFile,
}

impl Store {
    /// Opens the store of a folder. Nothing is made, and the key is not looked for until it is needed.
    pub fn open(options: StoreOptions) -> Result<Self> {
        Self::with_keyring(options, keyring::of_system())
    }

    fn with_keyring(options: StoreOptions, keyring: Arc<dyn Keyring>) -> Result<Self> {
        let folder = Folder::new(&options.folder);
        folder.exists()?;
        let file = StoreFile::new(folder, options.key, keyring);
        Ok(Self { file })
    }

    /// Where the key is kept; `None` as long as there is no store.
    pub fn key_place(&self) -> Option<KeyPlace> {
        self.file.chosen().map(|chosen| chosen.place)
    }

    /// Whether this process has made the key: the moment to say where it is kept.
    pub fn is_key_new(&self) -> bool {
        self.file.chosen().is_some_and(|chosen| chosen.is_new)
    }

    /// Why the key of a new store was not put into the keyring, if it was not.
    pub fn keyring_problem(&self) -> Option<String> {
        self.file.chosen()?.keyring_problem
    }

    /// Which version of the store there is. Much cheaper than reading it.
    pub fn version(&self) -> Version {
        self.file.version()
    }

    /// The record of a credential.
    pub fn read(&self, key: &CredentialKey) -> Result<Option<Record>> {
        Ok(self.file.load()?.into_record(key))
    }

    /// Writes a record and returns its generation, `expected` + 1. Fails with [`StoreError::Conflict`] if the record is
    /// not of the generation `expected` any more; a record that is not there has generation 0. The time of the write
    /// is `record.written`.
    pub fn write(&self, key: &CredentialKey, expected: u64, record: Record) -> Result<u64> {
        self.file
            .update(|content| content.write(key, expected, record))
    }

    /// Changes the status of a record, as [`Store::write`] does. Tokens of a record that is signed out are removed.
    pub fn mark(
        &self,
        key: &CredentialKey,
        expected: u64,
        status: Status,
        now: Timestamp,
    ) -> Result<u64> {
        self.file
            .update(|content| content.mark(key, expected, status, now))
    }

    /// Signs a credential out, whatever its generation. `false` if there is no record.
    pub fn sign_out(&self, key: &CredentialKey, now: Timestamp) -> Result<bool> {
        let signed_out = self.file.update(|content| {
            let current = content.record(key).ok_or(StoreError::NoRecord)?;
            content.mark(key, current.generation, Status::SignedOut, now)
        });
        match signed_out {
            Ok(_) => Ok(true),
            Err(StoreError::NoRecord) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// All records, also those that are marked.
    pub fn list(&self) -> Result<Vec<(CredentialKey, Record)>> {
        Ok(self.file.load()?.into_records())
    }

    /// The record that was used last for a server, for a process that knows neither issuer nor client yet. The caller
    /// checks that it fits what the user asks for, for example a client id.
    pub fn find(&self, server: &Url, profile: &str) -> Result<Option<(CredentialKey, Record)>> {
        let content = self.file.load()?;
        let key = content.find(server, profile);
        Ok(key.and_then(|key| Some((key, content.into_record(&key)?))))
    }

    /// Writes the outcome of a sign-in, and lets [`Store::find`] find it. Returns its generation, which is larger than
    /// `floor` and than those of all records that it replaces.
    pub fn keep(
        &self,
        server: &Url,
        profile: &str,
        key: &CredentialKey,
        floor: u64,
        record: Record,
    ) -> Result<u64> {
        self.file
            .update(|content| Ok(content.keep(server, profile, key, floor, record)))
    }

    /// The credentials that were used last for a server, one for each profile.
    pub fn keys_of(&self, server: &Url) -> Result<Vec<CredentialKey>> {
        Ok(self.file.load()?.keys_of(server))
    }

    /// The client that we are at an issuer.
    pub fn registration(&self, issuer: &str) -> Result<Option<Registration>> {
        Ok(self.file.load()?.registration(issuer).cloned())
    }

    /// Keeps the client that we are at an issuer. The last one counts.
    pub fn save_registration(&self, issuer: &str, registration: Registration) -> Result<()> {
        self.file.update(|content| {
            content.save_registration(issuer, registration);
            Ok(())
        })
    }

    /// Forgets the client that we are at an issuer, unless it has been replaced meanwhile.
    pub fn forget_registration(&self, issuer: &str, client_id: &str) -> Result<()> {
        self.file.update(|content| {
            content.forget_registration(issuer, client_id);
            Ok(())
        })
    }

    /// A secret that configurations refer to by its name.
    pub fn secret(&self, name: &str) -> Result<Option<Secret>> {
        Ok(self.file.load()?.secret(name).cloned())
    }

    /// The names of all secrets, in order.
    pub fn secret_names(&self) -> Result<Vec<String>> {
        let content = self.file.load()?;
        Ok(content.secret_names().map(str::to_owned).collect())
    }

    /// Keeps a secret; it replaces one of the same name.
    pub fn save_secret(&self, name: &str, secret: Secret) -> Result<()> {
        self.file.update(|content| {
            content.save_secret(name, secret);
            Ok(())
        })
    }

    /// Removes a secret; `false` if there is none of this name.
    pub fn remove_secret(&self, name: &str) -> Result<bool> {
        self.file.update(|content| Ok(content.remove_secret(name)))
    }

    /// Whether tokens may be requested for a credential; [`StoreError::Storm`] if that goes in circles.
    pub fn check_storm(&self, key: &CredentialKey, now: Timestamp) -> Result<()> {
        self.file.load()?.check_storm(key, now)
    }

    /// Counts a sign-in that is about to begin; [`StoreError::Storm`] if that goes in circles.
    pub fn begin_login(&self, key: &CredentialKey, now: Timestamp) -> Result<()> {
        self.file.update(|content| content.begin_login(key, now))
    }

    /// Notes that a sign-in led to nothing: a person refused or did not finish, or the server refused its tokens.
    pub fn fail_login(&self, key: &CredentialKey, now: Timestamp) -> Result<()> {
        self.file.update(|content| {
            content.fail_login(key, now);
            Ok(())
        })
    }

    /// Notes that a sign-in led to tokens.
    pub fn end_login(&self, key: &CredentialKey) -> Result<()> {
        self.file.update(|content| {
            content.end_login(key);
            Ok(())
        })
    }

    /// For how long no person is to be asked, after sign-ins that led to nothing.
    pub fn login_pause(&self, key: &CredentialKey, now: Timestamp) -> Result<Option<Duration>> {
        Ok(self.file.load()?.login_pause(key, now))
    }

    /// Whether a sign-in has failed since a moment.
    pub fn has_login_failed(&self, key: &CredentialKey, since: Timestamp) -> Result<bool> {
        Ok(self.file.load()?.has_login_failed(key, since))
    }

    /// Waits for a lock without a limit.
    pub fn lock(&self, name: impl Into<LockName>) -> Result<CredentialLock> {
        lock::lock(&self.file.folder, &name.into())
    }

    /// Waits for a lock for at most this long; then [`StoreError::Locked`].
    pub fn lock_within(
        &self,
        name: impl Into<LockName>,
        patience: Duration,
    ) -> Result<CredentialLock> {
        lock::lock_within(&self.file.folder, &name.into(), patience)
    }

    /// Takes a lock if it is free.
    pub fn try_lock(&self, name: impl Into<LockName>) -> Result<Option<CredentialLock>> {
        lock::try_lock(&self.file.folder, &name.into())
    }

    /// The process that holds a lock which was just found to be taken, as far as that is known (never on Windows).
    pub fn holder(&self, name: impl Into<LockName>) -> Option<u32> {
        lock::holder(&self.file.folder, &name.into())
    }
}
