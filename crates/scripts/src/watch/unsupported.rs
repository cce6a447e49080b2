//! Where a folder cannot be served, it is not watched.

use std::io;
use std::path::Path;

/// There is none.
#[derive(Debug)]
pub enum Watch {}

impl Watch {
    /// Says that it is unsupported.
    pub fn start(_root: &Path, _on_change: impl FnMut() + Send + 'static) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
