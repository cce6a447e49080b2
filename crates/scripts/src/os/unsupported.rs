//! Systems without descriptors, owners and process groups: the types of descriptors and pipes have no values,
//! and every file appears to be owned by this user, which suffices to read and validate a folder.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::UNIX_EPOCH;

pub use linkspan_spawn::Fd as OwnedFd;

/// Always 0: there are no user ids.
pub fn user() -> u32 {
    0
}

/// Always 1: the parent is unknown.
pub fn parent_id() -> u32 {
    1
}

/// Does nothing: there are no process groups.
pub fn kill_group(_leader: u32) {}

/// Fails as unsupported.
pub fn symlink(_target: impl AsRef<Path>, _link: impl AsRef<Path>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Fails as unsupported.
pub fn named_pipe(_path: &Path) -> io::Result<(pipe::Receiver, OwnedFd, OwnedFd)> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Every file appears readable and executable by all users, and writable by this user.
const MODE: u32 = 0o755;

/// As on Unix.
#[expect(missing_docs, reason = "documented in the standard library")]
pub trait MetadataExt {
    fn mode(&self) -> u32;
    fn uid(&self) -> u32;
    fn gid(&self) -> u32;
    fn dev(&self) -> u64;
    fn ino(&self) -> u64;
    fn mtime(&self) -> i64;
    fn mtime_nsec(&self) -> i64;
}

impl MetadataExt for Metadata {
    fn mode(&self) -> u32 {
        MODE
    }

    fn uid(&self) -> u32 {
        user()
    }

    fn gid(&self) -> u32 {
        0
    }

    fn dev(&self) -> u64 {
        0
    }

    /// Unknown; two files with the same creation time and length count as one.
    fn ino(&self) -> u64 {
        let made = self.created().ok();
        let made = made.and_then(|made| made.duration_since(UNIX_EPOCH).ok());
        let made = made.map_or(0, |made| made.as_nanos() as u64);
        made.wrapping_mul(31).wrapping_add(self.len())
    }

    fn mtime(&self) -> i64 {
        modified(self).as_secs().cast_signed()
    }

    fn mtime_nsec(&self) -> i64 {
        modified(self).subsec_nanos().into()
    }
}

fn modified(file: &Metadata) -> std::time::Duration {
    let modified = file.modified().ok();
    let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    modified.unwrap_or_default()
}

/// As on Unix.
pub trait PermissionsExt {
    /// The permissions of every file.
    fn mode(&self) -> u32;
}

impl PermissionsExt for Permissions {
    fn mode(&self) -> u32 {
        MODE
    }
}

/// As on Unix.
pub trait DirBuilderExt {
    /// No effect.
    fn mode(&mut self, mode: u32) -> &mut Self;
}

impl DirBuilderExt for DirBuilder {
    fn mode(&mut self, _mode: u32) -> &mut Self {
        self
    }
}

/// As on Unix.
pub trait OpenOptionsExt {
    /// No effect.
    fn mode(&mut self, mode: u32) -> &mut Self;
}

impl OpenOptionsExt for OpenOptions {
    fn mode(&mut self, _mode: u32) -> &mut Self {
        self
    }
}

/// As on Unix.
pub trait CommandExt {
    /// No effect.
    fn arg0(&mut self, name: impl AsRef<OsStr>) -> &mut Self;
    /// No effect.
    fn process_group(&mut self, group: i32) -> &mut Self;
}

impl CommandExt for Command {
    fn arg0(&mut self, _name: impl AsRef<OsStr>) -> &mut Self {
        self
    }

    fn process_group(&mut self, _group: i32) -> &mut Self {
        self
    }
}

/// As on Unix.
pub trait OsStrExt {
    /// The bytes of its text.
    fn as_bytes(&self) -> &[u8];
}

impl OsStrExt for OsStr {
    fn as_bytes(&self) -> &[u8] {
        self.as_encoded_bytes()
    }
}

/// As on Unix.
pub trait OsStringExt {
    /// Replaces invalid UTF-8.
    fn from_vec(bytes: Vec<u8>) -> Self;
    /// The bytes of its text.
    fn into_vec(self) -> Vec<u8>;
}

impl OsStringExt for OsString {
    fn from_vec(bytes: Vec<u8>) -> Self {
        String::from_utf8_lossy(&bytes).into_owned().into()
    }

    fn into_vec(self) -> Vec<u8> {
        self.into_encoded_bytes()
    }
}

/// Uninhabited.
#[derive(Debug)]
pub enum UnixStream {}

#[expect(missing_docs, reason = "documented in tokio, and never called")]
impl UnixStream {
    pub async fn readable(&self) -> io::Result<()> {
        match *self {}
    }

    pub async fn writable(&self) -> io::Result<()> {
        match *self {}
    }

    pub fn try_read_buf(&self, _buffer: &mut impl bytes::BufMut) -> io::Result<usize> {
        match *self {}
    }

    pub fn try_write(&self, _bytes: &[u8]) -> io::Result<usize> {
        match *self {}
    }
}

/// As in tokio.
pub mod pipe {
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

    /// Uninhabited.
    #[derive(Debug)]
    pub enum Receiver {}

    impl AsyncRead for Receiver {
        fn poll_read(
            self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
            _buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            match *self {}
        }
    }

    /// Uninhabited.
    #[derive(Debug)]
    pub enum Sender {}

    #[expect(missing_docs, reason = "documented in tokio, and never called")]
    impl Sender {
        pub async fn writable(&self) -> io::Result<()> {
            match *self {}
        }

        pub fn try_write(&self, _bytes: &[u8]) -> io::Result<usize> {
            match *self {}
        }
    }

    impl AsyncWrite for Sender {
        fn poll_write(
            self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
            _buf: &[u8],
        ) -> Poll<io::Result<usize>> {
            match *self {}
        }

        fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            match *self {}
        }

        fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            match *self {}
        }
    }
}
