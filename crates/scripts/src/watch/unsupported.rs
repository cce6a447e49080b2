//! The watch on systems without support for serving folders.

use std::io;
use std::path::Path;

/// Uninhabited: `start` always fails.
#[derive(Debug)]
pub enum Watch {}

impl Watch {
    /// Fails as unsupported.
    pub fn start(_root: &Path, _on_change: impl FnMut() + Send + 'static) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
