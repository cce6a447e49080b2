//! A Unix socket to listen on: it appears with its permissions, replaces only what a killed process has left, and is
//! removed at the end.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::time::sleep;

use super::unix_socket_error::UnixSocketError;

/// How often a name is tried that other processes use at the same time.
const TRIES: usize = 4;
/// How long to wait for a process that is giving a socket of the same folder its name, and how often to look.
const TURN: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(10);

/// A bound Unix socket. It is removed when this is dropped.
#[derive(Debug)]
pub struct UnixSocket {
    pub(super) listener: UnixListener,
    path: PathBuf,
    file: FileId,
}

/// Which file a path names.
#[derive(Debug, PartialEq, Eq)]
struct FileId(u64, u64);

impl UnixSocket {
    /// Listens at `path` with these permissions.
    ///
    /// The socket is bound in a private folder beside it, so that there is no moment at which other users can connect
    /// to a socket without its permissions.
    pub async fn bind(path: &Path, mode: u32) -> Result<Self, UnixSocketError> {
        let failed = |source| UnixSocketError::Io {
            path: path.to_owned(),
            source,
        };
        let path = std::path::absolute(path).map_err(failed)?;
        // A link may have a longer name than a client can connect to.
        SocketAddr::from_pathname(&path).map_err(failed)?;
        let folder = PrivateFolder::beside(&path).map_err(failed)?;
        let bound = folder.0.join("s");
        let listener = UnixListener::bind(&bound).map_err(failed)?;
        fs::set_permissions(&bound, fs::Permissions::from_mode(mode)).map_err(failed)?;
        let file = FileId::of(&fs::symlink_metadata(&bound).map_err(failed)?);
        let _turn = turn(&path).await;
        for _ in 0..TRIES {
            match publish(&bound, &path) {
                Ok(()) => {
                    return Ok(Self {
                        listener,
                        path,
                        file,
                    });
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    remove_stale(&path, &folder).await?;
                }
                Err(e) => return Err(failed(e)),
            }
        }
        Err(UnixSocketError::InUse(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for UnixSocket {
    fn drop(&mut self) {
        let there = fs::symlink_metadata(&self.path);
        if there.is_ok_and(|there| FileId::of(&there) == self.file) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl FileId {
    fn of(metadata: &Metadata) -> Self {
        Self(metadata.dev(), metadata.ino())
    }
}

/// Lets one process at a time replace sockets in a folder. Any user may hold this lock for ever, so it is not waited
/// for without a limit.
async fn turn(path: &Path) -> Option<File> {
    let folder = File::open(path.parent()?).ok()?;
    let looks = TURN.as_millis() / LOOK.as_millis();
    for _ in 0..looks {
        match folder.try_lock() {
            Err(fs::TryLockError::WouldBlock) => sleep(LOOK).await,
            Err(fs::TryLockError::Error(_)) => return None,
            Ok(()) => return Some(folder),
        }
    }
    None
}

/// Gives the socket its name; fails if that is taken.
fn publish(bound: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(bound, path) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {
            // Not every file system has links.
            match fs::symlink_metadata(path) {
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(_) => fs::rename(bound, path),
            }
        }
        linked => linked,
    }
}

/// Removes a socket of this user that no process listens on.
async fn remove_stale(path: &Path, folder: &PrivateFolder) -> Result<(), UnixSocketError> {
    let failed = |source| UnixSocketError::Io {
        path: path.to_owned(),
        source,
    };
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(failed(e)),
    };
    if !found.file_type().is_socket() {
        return Err(UnixSocketError::OtherFile(path.to_owned()));
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(UnixSocketError::OtherUser(path.to_owned()));
    }
    match UnixStream::connect(path).await {
        Err(e) if e.kind() == io::ErrorKind::ConnectionRefused => {}
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        _ => return Err(UnixSocketError::InUse(path.to_owned())),
    }
    // A program that does not wait for its turn may have replaced it, so it is looked at again where it stays.
    let old = folder.0.join("old");
    match fs::rename(path, &old) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        renamed => renamed.map_err(failed)?,
    }
    let moved = fs::symlink_metadata(&old).map_err(failed)?;
    if FileId::of(&moved) != FileId::of(&found) {
        publish(&old, path).map_err(failed)?;
        return Err(UnixSocketError::InUse(path.to_owned()));
    }
    Ok(())
}

/// A folder that only this user can enter, for as long as the socket is being made.
struct PrivateFolder(PathBuf);

impl PrivateFolder {
    fn beside(path: &Path) -> io::Result<Self> {
        let parent = path.parent().unwrap_or(Path::new("/"));
        for _ in 0..TRIES {
            // Short, because the path of a socket has about a hundred bytes.
            let number = getrandom::u32().map_err(|_| io::Error::other("no randomness"))?;
            let folder = parent.join(format!(".{:06x}", number & 0x00ff_ffff));
            match fs::DirBuilder::new().mode(0o700).create(&folder) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                created => return created.map(|()| Self(folder)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        for name in ["s", "old"] {
            let _ = fs::remove_file(self.0.join(name));
        }
        let _ = fs::remove_dir(&self.0);
    }
}

#[cfg(test)]
#[path = "unix_socket_tests.rs"]
mod tests;
