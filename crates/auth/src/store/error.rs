//! What can go wrong with the credential store, and what to do about it.

use std::io;
use std::path::PathBuf;

use super::key::KeyPlace;
use super::record::Record;
use super::storm::Storm;

/// Why the store could not do what was asked. Nothing is lost with any of them: a store that cannot be read is
/// never overwritten.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The system refused an operation on a file.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A symbolic link could lead to a file of another user.
    #[error("{} is a symbolic link; credentials are kept in real files only: remove the link, or choose another state folder", path.display())]
    Symlink {
        /// The link.
        path: PathBuf,
    },
    /// Another user could read or replace what is in it.
    #[error("{} belongs to another user (uid {owner}): choose another state folder", path.display())]
    NotOurs {
        /// The folder or file.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// There is something else in its place.
    #[error("{} is not a {expected}: remove it, or choose another state folder", path.display())]
    WrongKind {
        /// What is in the way.
        path: PathBuf,
        /// What should be there.
        expected: &'static str,
    },
    /// More than any use of the store explains.
    #[error("{} is larger than {limit} bytes: move it away and sign in again with `linkspan login URL`", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How large it may be.
        limit: usize,
    },
    /// The file was changed or cut off. It was moved aside; the next call finds an empty store.
    #[error("the credential store {} was damaged and is kept as {}: sign in again with `linkspan login URL`", path.display(), kept.display())]
    Damaged {
        /// Where the store is.
        path: PathBuf,
        /// Where the damaged file is now.
        kept: PathBuf,
    },
    /// The file is whole but of a form that this version does not know. It was not touched.
    #[error("the credential store {} was written by a newer linkspan: update this one", path.display())]
    Newer {
        /// Where the store is.
        path: PathBuf,
    },
    /// The file was encrypted with another key. It was not touched.
    #[error("the credential store {} was encrypted with another key than {used}; it was written with {wanted}: use that key, or move the file away and sign in again with `linkspan login URL`", path.display())]
    WrongKey {
        /// Where the store is.
        path: PathBuf,
        /// Where the key that was tried is from.
        used: KeyPlace,
        /// Where the key was when the file was written.
        wanted: KeyPlace,
    },
    /// There is a store, but its key is gone. No other key was made.
    #[error("the credential store {} was written with {wanted}, which is not there: bring it back, or move the file away and sign in again with `linkspan login URL`", path.display())]
    KeyMissing {
        /// Where the store is.
        path: PathBuf,
        /// Where the key was when the file was written.
        wanted: KeyPlace,
    },
    /// The key is or should be in the keyring, and the keyring cannot be used.
    #[error(
        "the key of the credential store is in the OS keyring, which cannot be used ({why}): unlock or start it and try again"
    )]
    KeyringAbsent {
        /// What the keyring said.
        why: String,
    },
    /// The key that was given is not one.
    #[error(
        "the key that was given for the credential store is not 32 bytes as base64 or as hexadecimal digits"
    )]
    BadKey,
    /// The key file does not hold a key.
    #[error("{} does not hold a key (32 bytes as base64): restore it, or move it and the file `store` away and sign in again with `linkspan login URL`", path.display())]
    BadKeyFile {
        /// The key file.
        path: PathBuf,
    },
    /// Another process did not let go of a lock in time.
    #[error("the lock {} is held by another linkspan{}", path.display(), pid(*holder))]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The process that holds the lock, if it is known.
        holder: Option<u32>,
    },
    /// Another process has written the record since it was read.
    #[error("the credential was changed by another process (generation {})", current.generation)]
    Conflict {
        /// What is there now.
        current: Box<Record>,
    },
    /// There is no record under this key.
    #[error("there is no such credential")]
    NoRecord,
    /// Sign-ins or token requests go in circles.
    #[error(transparent)]
    Storm(#[from] Storm),
}

fn pid(holder: Option<u32>) -> String {
    holder.map_or_else(String::new, |pid| format!(" (pid {pid})"))
}
