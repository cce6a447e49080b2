//! A socket that only the user of this process can reach.

use std::fs::File;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use linkspan_spawn::{Watched, remove_after};
use tokio::net::{UnixListener, UnixStream};

use super::stale_folders;
use crate::handshake::Secret;

/// The longest path of a socket on every system, without the NUL.
const MAX_PATH: usize = 103;
const NAME: &str = "mcp.sock";
/// Used if none of the given folders is usable.
const LAST_FOLDER: &str = "/tmp";

/// A private folder with a socket in it. Both are removed when this is dropped.
pub(super) struct PrivateSocket {
    dir: PathBuf,
    path: String,
    /// Locked until the process ends.
    _lock: File,
    /// Removes the folder if the process is killed.
    _watched: Option<Watched>,
}

impl PrivateSocket {
    /// Binds a socket in the first usable folder.
    pub(super) fn bind(folders: &[PathBuf]) -> io::Result<(Self, UnixListener)> {
        let mut last = io::Error::other("no folder has a short enough name");
        for folder in folders
            .iter()
            .map(PathBuf::as_path)
            .chain([Path::new(LAST_FOLDER)])
        {
            stale_folders::sweep(folder, NAME);
            match Self::within(folder) {
                Ok(bound) => return Ok(bound),
                Err(e) => last = e,
            }
        }
        Err(last)
    }

    /// Binds a socket in a new folder in `parent`.
    pub(super) fn within(parent: &Path) -> io::Result<(Self, UnixListener)> {
        let name = Secret::new().ok_or_else(|| io::Error::other("no randomness"))?;
        let dir = parent.join(format!("{}{}", stale_folders::PREFIX, &name.short()[..16]));
        let path = dir.join(NAME);
        let text = path.to_str().filter(|text| text.len() <= MAX_PATH);
        let Some(text) = text.map(str::to_owned) else {
            return Err(io::Error::other("the name of the folder is too long"));
        };
        // Fails if the folder exists, so that no other user can have prepared it.
        std::fs::DirBuilder::new().mode(0o700).create(&dir)?;
        let lock = stale_folders::lock(&dir).inspect_err(|_| stale_folders::remove(&dir, NAME))?;
        let watched = remove_after(&dir, &[NAME, stale_folders::LOCK]).inspect_err(|e| {
            tracing::debug!("the socket's folder will stay if we are killed: {e}");
        });
        // From here on, dropping `socket` removes the folder.
        let socket = Self {
            dir,
            path: text,
            _lock: lock,
            _watched: watched.ok(),
        };
        let listener = UnixListener::bind(&path)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        Ok((socket, listener))
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }
}

impl Drop for PrivateSocket {
    fn drop(&mut self) {
        stale_folders::remove(&self.dir, NAME);
    }
}

/// Whether the peer belongs to the same user.
pub(super) fn is_ours(stream: &UnixStream) -> bool {
    let ours = rustix::process::geteuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == ours)
}
