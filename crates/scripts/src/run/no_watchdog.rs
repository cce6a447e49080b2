//! Where no program can be run, none is left over.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use linkspan_spawn::Spawner;

/// There is none.
pub(super) enum Watchdog {}

impl Watchdog {
    /// Says that it is unsupported.
    pub(super) async fn start(
        _spawner: &Spawner,
        _exe: &Path,
        _beginning: &str,
        _folder: &Path,
    ) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// `linkspan __watch` is never started.
pub fn watch(_words: &[OsString]) -> ExitCode {
    ExitCode::from(2)
}
