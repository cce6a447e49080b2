//! Systems without seccomp, or processors without a filter of ours.

use std::io;
use std::path::{Path, PathBuf};

use super::profile::Reach;
use crate::os::OwnedFd;

/// Fails: no call can be refused.
pub(super) fn forbid(_reach: &Reach) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// No call is delegated to the server.
pub(crate) fn decide(_allowed: Vec<PathBuf>, _folder: &Path) -> io::Result<Option<OwnedFd>> {
    Ok(None)
}
