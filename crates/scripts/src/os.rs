//! The parts of Unix that this crate uses: descriptors, owners and permissions, process groups.
//!
//! On other systems the same names exist, so that everything compiles, but no program can run: [`SUPPORTED`] is
//! false, [`Folder::open`](crate::Folder::open) refuses, and no program is found or started.

#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod unsupported;

#[cfg(unix)]
pub use unix::*;
#[cfg(not(unix))]
pub use unsupported::*;

/// Whether scripts can be run on this system.
pub const SUPPORTED: bool = cfg!(unix);

/// Why scripts cannot be run, for systems without support.
pub const UNSUPPORTED: &str = "a folder of scripts needs Linux or macOS: scripts are run through inherited \
     descriptors, and checked by owner and permissions";
