//! Reads and writes files: bounded reads, no blocking on a pipe without a writer, and no partial files.

mod folder;
mod input;
mod input_path;
mod named;
mod open_ended;
mod output;
mod partial;
mod roots;
mod within;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

pub use folder::{Folder, Kind};
pub use input::{Stream, buffered, open_source};
pub use input_path::{InputPath, Stdin};
pub use named::{confined_reader, read_named};
pub use output::Output;
pub use partial::{Cleared, PartialFiles};
pub use roots::{Denied, Opened, OutputPath, Roots};

/// The input that means stdin, and the output that means stdout.
pub const DASH: &str = "-";

/// Why a path was not opened.
#[derive(Debug)]
pub enum Refused {
    /// It is a folder, a pipe, a socket or a device.
    NotAFile,
    /// An error of the operating system.
    Io(io::Error),
}

impl From<io::Error> for Refused {
    fn from(e: io::Error) -> Self {
        Self::Io(e)
    }
}

/// Whether a link at the end of a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// The link is followed.
    Follow,
    /// The link is refused.
    Refuse,
}

/// Opens a regular file for reading; refuses other kinds of files.
pub fn open_regular(path: &Path, links: Links) -> Result<(File, Metadata), Refused> {
    // Checked before opening, because opening a device may have effects, and again afterwards, because the
    // file may have been replaced in between.
    let seen = match links {
        Links::Follow => fs::metadata(path)?,
        Links::Refuse => fs::symlink_metadata(path)?,
    };
    if !seen.is_file() {
        return Err(Refused::NotAFile);
    }
    let file = without_waiting(OpenOptions::new().read(true), links).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(Refused::NotAFile);
    }
    Ok((file, meta))
}

/// Reads to the end, unless that exceeds `limit` bytes. `expected` is the initial capacity.
pub fn read_bounded(from: impl Read, expected: u64, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let room = expected.min(limit).saturating_add(1);
    let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or(0));
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Opens a pipe without waiting for its other end. The flag has no effect on regular files.
#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions, links: Links) -> &mut OpenOptions {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if links == Links::Refuse {
        flags |= OFlags::NOFOLLOW;
    }
    options.custom_flags(flags.bits().cast_signed())
}

#[cfg(not(unix))]
fn without_waiting(options: &mut OpenOptions, _: Links) -> &mut OpenOptions {
    options
}

/// Identifies a file independently of its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity(
    #[cfg(unix)] (u64, u64),
    #[cfg(not(unix))] std::path::PathBuf,
);

impl Identity {
    /// The identity of the file at this path, if it exists.
    #[cfg(unix)]
    pub fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let meta = fs::metadata(path).ok()?;
        Some(Self((meta.dev(), meta.ino())))
    }

    /// The identity of the file at this path, if it exists.
    #[cfg(not(unix))]
    pub fn of(path: &Path) -> Option<Self> {
        fs::canonicalize(path).ok().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_read_has_a_limit() {
        assert_eq!(read_bounded(&b"four"[..], 4, 4).unwrap().unwrap(), b"four");
        assert_eq!(read_bounded(&b"fives"[..], 0, 4).unwrap(), None);
        assert_eq!(read_bounded(io::repeat(0), u64::MAX, 4).unwrap(), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_without_a_writer_is_refused_at_once() {
        let scratch = Scratch::new();
        let fifo = scratch.fifo("fifo");
        for links in [Links::Follow, Links::Refuse] {
            let refused = open_regular(&fifo, links).unwrap_err();
            assert!(matches!(refused, Refused::NotAFile));
        }
        // Also if the pipe replaces a file after the check.
        let options = &mut OpenOptions::new();
        assert!(
            without_waiting(options.read(true), Links::Refuse)
                .open(fifo)
                .is_ok()
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_only_with_links_follow() {
        let scratch = Scratch::new();
        let file = scratch.file("file", "x");
        let link = scratch.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(open_regular(&link, Links::Follow).is_ok());
        assert!(open_regular(&link, Links::Refuse).is_err());
        assert_eq!(Identity::of(&link), Identity::of(&file));
    }

    #[test]
    fn different_files_have_different_identities() {
        let scratch = Scratch::new();
        let (a, b) = (scratch.file("a", "same"), scratch.file("b", "same"));
        assert_ne!(Identity::of(&a), Identity::of(&b));
        assert_eq!(Identity::of(&scratch.path().join("none")), None);
    }
}
