//! The watchdog on systems where the server starts no scripts: unsupported.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use linkspan_spawn::Spawner;

/// Uninhabited: `start` always fails.
pub(super) enum Watchdog {}

impl Watchdog {
    /// Fails with `Unsupported`.
    pub(super) async fn start(
        _spawner: &Spawner,
        _exe: &Path,
        _beginning: &str,
        _folder: &Path,
    ) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Why [`watch`] did not clean up.
#[derive(Debug, thiserror::Error)]
pub enum NotWatched {
    /// This system has no watchdog.
    #[error("`__watch` is supported on Unix only")]
    Unsupported,
}

/// Refuses: this system never starts `linkspan __watch`.
pub fn watch(_words: &[OsString]) -> Result<(), NotWatched> {
    Err(NotWatched::Unsupported)
}
