//! The folder of the store: real files of this user, replaced whole.
//!
//! On Unix the folder has mode 0700 and its files 0600, and both must belong to this user. On Windows the caller
//! chooses a folder below `%LOCALAPPDATA%`, whose access list admits the user, the system and administrators; files
//! inherit it.

mod platform;

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use zeroize::Zeroizing;

use super::error::StoreError;

type Result<T> = std::result::Result<T, StoreError>;

/// How many damaged files are kept.
const MOST_ASIDE: u32 = 1000;

pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(super) fn new(path: &Path) -> Self {
        // Without a trailing slash, which would make the system follow a symbolic link.
        let path = path.components().collect();
        Self { path }
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether the folder is there. One that cannot be trusted is an error.
    pub(super) fn exists(&self) -> Result<bool> {
        let path = &self.path;
        let metadata = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(io_error("open", path)(error)),
        };
        check(path, &metadata, metadata.is_dir(), "folder")?;
        platform::close_folder(path, &metadata).map_err(io_error("restrict", path))?;
        Ok(true)
    }

    /// Makes the folder if it is not there.
    pub(super) fn ensure(&self) -> Result<()> {
        if self.exists()? {
            return Ok(());
        }
        let mut builder = DirBuilder::new();
        platform::private_folder(builder.recursive(true))
            .create(&self.path)
            .map_err(io_error("create", &self.path))?;
        // Another user may have been faster.
        self.exists().map(drop)
    }

    /// The content of a file, or `None` if there is none.
    pub(super) fn read(&self, name: &str, limit: usize) -> Result<Option<Zeroizing<Vec<u8>>>> {
        let path = self.at(name);
        let Some(file) = open(&path, OpenOptions::new().read(true))? else {
            return Ok(None);
        };
        let mut bytes = Zeroizing::new(Vec::new());
        let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        file.take(most)
            .read_to_end(&mut bytes)
            .map_err(io_error("read", &path))?;
        if bytes.len() > limit {
            return Err(StoreError::TooLarge { path, limit });
        }
        Ok(Some(bytes))
    }

    /// What tells one version of a file from the next; `None` if it is not there.
    pub(super) fn version(&self, name: &str) -> Option<(SystemTime, u64)> {
        let metadata = fs::metadata(self.at(name)).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    }

    /// Replaces a file whole: after a crash there is either the old content or the new one. The caller holds the
    /// lock of the store, so that one name is enough for the temporary file, and a leftover is overwritten.
    pub(super) fn replace(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let temporary = self.write_temporary(name, bytes)?;
        let path = self.at(name);
        fs::rename(&temporary, &path).map_err(io_error("replace", &path))?;
        platform::sync_folder(&self.path);
        Ok(())
    }

    /// Makes a file that must not be there yet; `false` if it is. It appears with its whole content. The caller
    /// holds the lock of the store.
    pub(super) fn create(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        let temporary = self.write_temporary(name, bytes)?;
        let path = self.at(name);
        let is_new = match fs::hard_link(&temporary, &path) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            // A file system without links. The lock of the store keeps other processes away.
            Err(_) => {
                fs::rename(&temporary, &path).map_err(io_error("create", &path))?;
                platform::sync_folder(&self.path);
                return Ok(true);
            }
        };
        fs::remove_file(&temporary).map_err(io_error("remove", &temporary))?;
        platform::sync_folder(&self.path);
        Ok(is_new)
    }

    /// Moves a file away, under a name that is free.
    pub(super) fn set_aside(&self, name: &str) -> Result<PathBuf> {
        let path = self.at(name);
        let mut names = (1..=MOST_ASIDE).map(|number| self.at(&format!("{name}.damaged-{number}")));
        let is_free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
        let Some(kept) = names.find(is_free) else {
            let full = io::Error::other("there are too many damaged files");
            return Err(io_error("move", &path)(full));
        };
        fs::rename(&path, &kept).map_err(io_error("move", &path))?;
        platform::sync_folder(&self.path);
        Ok(kept)
    }

    /// A file for a lock. It is made if it is not there, and never removed: a process that waits for a removed file
    /// would not exclude one that makes it again.
    pub(super) fn open_lock(&self, name: &str) -> Result<File> {
        let path = self.at(name);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = open(&path, &mut options)?;
        let missing = || io_error("open", &path)(io::ErrorKind::NotFound.into());
        file.ok_or_else(missing)
    }

    fn write_temporary(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.at(&format!("{name}.new"));
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(io_error("remove", &path)(error));
            }
            _ => {}
        }
        let mut options = OpenOptions::new();
        let mut file = platform::private_file(options.write(true).create_new(true))
            .open(&path)
            .map_err(io_error("create", &path))?;
        file.write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(io_error("write", &path))?;
        Ok(path)
    }
}

/// Opens a file of this user; `None` if there is none.
fn open(path: &Path, options: &mut OpenOptions) -> Result<Option<File>> {
    let file = match platform::private_file(options).open(path) {
        Ok(file) => file,
        Err(_) if fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink()) => {
            let path = path.to_owned();
            return Err(StoreError::Symlink { path });
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error("open", path)(error)),
    };
    let metadata = file.metadata().map_err(io_error("open", path))?;
    check(path, &metadata, metadata.is_file(), "file")?;
    platform::close_file(&file, &metadata).map_err(io_error("restrict", path))?;
    Ok(Some(file))
}

/// Whether what was opened can be trusted.
fn check(path: &Path, metadata: &Metadata, is_right: bool, expected: &'static str) -> Result<()> {
    let path = path.to_owned();
    if metadata.is_symlink() {
        return Err(StoreError::Symlink { path });
    }
    if !is_right {
        return Err(StoreError::WrongKind { path, expected });
    }
    match platform::other_owner(metadata) {
        Some(owner) => Err(StoreError::NotOurs { path, owner }),
        None => Ok(()),
    }
}

pub(super) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io {
        action,
        path,
        source,
    }
}
