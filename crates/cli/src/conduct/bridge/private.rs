//! A socket that nobody but our own user can reach.

use std::fs::File;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use linkspan_spawn::{Watched, remove_after};
use tokio::net::{UnixListener, UnixStream};

use super::keys::Secret;
use super::sweep;

/// What fits into a socket's address on every system, with its end.
const LONGEST: usize = 103;
const NAME: &str = "mcp.sock";
/// If neither the user's own folder nor the one for temporary files is fit for it.
const LAST_RESORT: &str = "/tmp";

/// A folder of our own with a socket in it. Both go with this.
pub(super) struct PrivateSocket {
    dir: PathBuf,
    path: String,
    /// Says that we live.
    _lock: File,
    /// Has the folder removed if we are killed.
    _watched: Option<Watched>,
}

impl PrivateSocket {
    pub(super) fn bind() -> io::Result<(Self, UnixListener)> {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let runtime = runtime.filter(|dir| dir.is_absolute());
        let places = runtime.into_iter().chain([std::env::temp_dir()]);
        let mut last = io::Error::other("no folder has a short enough name");
        for place in places.chain([PathBuf::from(LAST_RESORT)]) {
            sweep::sweep(&place, NAME);
            match Self::within(&place) {
                Ok(bound) => return Ok(bound),
                Err(e) => last = e,
            }
        }
        Err(last)
    }

    /// In a fresh folder in `place`.
    pub(super) fn within(place: &Path) -> io::Result<(Self, UnixListener)> {
        let name = Secret::new().ok_or_else(|| io::Error::other("no randomness"))?;
        let dir = place.join(format!("{}{}", sweep::PREFIX, &name.short()[..16]));
        let path = dir.join(NAME);
        let text = path.to_str().filter(|text| text.len() <= LONGEST);
        let Some(text) = text.map(str::to_owned) else {
            return Err(io::Error::other("the name of the folder is too long"));
        };
        // Fails if it is there, so that it is ours and nobody has prepared it.
        std::fs::DirBuilder::new().mode(0o700).create(&dir)?;
        let lock = sweep::lock(&dir).inspect_err(|_| sweep::remove(&dir, NAME))?;
        let watched = remove_after(&dir, &[NAME, sweep::LOCK]).inspect_err(|e| {
            tracing::debug!("the socket's folder will stay if we are killed: {e}");
        });
        // From here on the folder goes with this.
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
        sweep::remove(&self.dir, NAME);
    }
}

/// Whether the other end belongs to our own user.
pub(super) fn is_ours(stream: &UnixStream) -> bool {
    let ours = rustix::process::geteuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == ours)
}
