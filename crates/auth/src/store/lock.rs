//! Locks between processes. The system releases them when a process dies, so there are no leases and no clocks.

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use url::Url;

use super::credential::{CredentialKey, ServerName};
use super::error::StoreError;
use super::folder::{Folder, io_error};
use crate::random;

type Result<T> = std::result::Result<T, StoreError>;

/// The first and the longest pause between two attempts.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// The digits of a process id, and more.
const LONGEST_PID: usize = 20;

/// What a lock is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockName(String);

impl LockName {
    /// The way from a server's URL to a credential key, if no record is known yet.
    pub fn server(server: &Url, profile: &str) -> Self {
        let name = ServerName::of(server);
        Self(format!("server-{}", hash(&format!("{name}\n{profile}"))))
    }

    /// The rewriting of the whole file.
    pub(super) fn store() -> Self {
        Self("store".to_owned())
    }

    fn file(&self) -> String {
        format!("lock-{}", self.0)
    }
}

/// A sign-in or a refresh.
impl From<&CredentialKey> for LockName {
    fn from(key: &CredentialKey) -> Self {
        Self(key.to_string())
    }
}

fn hash(text: &str) -> String {
    data_encoding::HEXLOWER.encode(&random::sha256(text.as_bytes()))
}

/// A lock that is held until it is dropped or the process ends. Two locks of one process exclude each other as well.
#[derive(Debug)]
pub struct CredentialLock {
    file: File,
}

impl Drop for CredentialLock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        // Closing the file is not enough: a child process may have inherited it and not reached `exec` yet.
        let _ = self.file.unlock();
    }
}

/// Waits for a lock without a limit.
pub(super) fn lock(folder: &Folder, name: &LockName) -> Result<CredentialLock> {
    let (file, path) = open(folder, name)?;
    file.lock().map_err(io_error("lock", &path))?;
    Ok(held(file))
}

/// Takes a lock if it is free.
pub(super) fn try_lock(folder: &Folder, name: &LockName) -> Result<Option<CredentialLock>> {
    let (file, path) = open(folder, name)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(held(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(io_error("lock", &path)(error)),
    }
}

/// Waits for a lock until a time. `File::lock` has no limit, and a thread that waits in it cannot be called back: it
/// would take the lock after its caller has gone. So this asks again and again, with pauses of at most 100 ms, which
/// is little against a sign-in or a token request.
pub(super) fn lock_within(
    folder: &Folder,
    name: &LockName,
    patience: Duration,
) -> Result<CredentialLock> {
    let (file, path) = open(folder, name)?;
    let start = Instant::now();
    let mut pause = SHORTEST_PAUSE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(held(file)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(io_error("lock", &path)(error)),
        }
        let left = patience.saturating_sub(start.elapsed());
        if left.is_zero() {
            let holder = holder(folder, name);
            return Err(StoreError::Locked { path, holder });
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// The process that holds a lock, if the lock was just found to be taken: a process that was killed leaves its number
/// behind. Windows does not let other processes read a locked file.
pub(super) fn holder(folder: &Folder, name: &LockName) -> Option<u32> {
    let pid = folder.read(&name.file(), LONGEST_PID).ok()??;
    std::str::from_utf8(&pid).ok()?.parse().ok()
}

fn open(folder: &Folder, name: &LockName) -> Result<(File, PathBuf)> {
    folder.ensure()?;
    let name = name.file();
    Ok((folder.open_lock(&name)?, folder.at(&name)))
}

/// Notes who holds the lock. Without the note the lock is as good.
fn held(mut file: File) -> CredentialLock {
    let pid = std::process::id().to_string();
    let _ = file
        .set_len(0)
        .and_then(|()| file.write_all(pid.as_bytes()));
    CredentialLock { file }
}
