//! A folder of originals: BCP files that only their owner may read.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use linkspan_shrink::original;

use super::Bytes;

/// The file with the secret that ids are derived from, for the next process that uses the folder.
const KEY: &str = ".key";
/// The extension of an original.
const ENDING: &str = "bcp";
/// No original is larger.
const LARGEST: u64 = 256 << 20;

/// A folder for originals.
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Opens or creates the folder. If other users can read it and it holds only originals, their access is removed;
    /// with other files in it the folder is refused.
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        match fs::metadata(&path) {
            Ok(about) if !about.is_dir() => return Err(io::ErrorKind::NotADirectory.into()),
            Ok(about) => private::close(&path, &about)?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => private::make(&path)?,
            Err(e) => return Err(e),
        }
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The secret of this folder: created once, and the same for every process.
    pub(super) fn key(&self) -> io::Result<Bytes> {
        let path = self.0.join(KEY);
        if !path.exists() {
            let temporary = self.temporary(KEY);
            private::create(&temporary)?.write_all(&random()?)?;
            // If another process was faster, its key wins.
            let linked = fs::hard_link(&temporary, &path);
            fs::remove_file(&temporary)?;
            match linked {
                Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
                _ => {}
            }
        }
        let mut key = Bytes::default();
        File::open(path)?.read_exact(&mut key)?;
        Ok(key)
    }

    /// The text of an original, if it exists and is not damaged.
    pub(super) fn read(&self, id: &str) -> Option<String> {
        let path = self.0.join(id).with_extension(ENDING);
        let mut bytes = Vec::new();
        let file = File::open(&path).ok()?;
        file.take(LARGEST).read_to_end(&mut bytes).ok()?;
        match original(&bytes) {
            Ok(text) => Some(text),
            Err(why) => {
                tracing::warn!("{}: {why}", path.display());
                None
            }
        }
    }

    /// Writes an original, unless it exists.
    pub(super) fn write(&self, id: &str, bytes: impl FnOnce() -> Vec<u8>) -> io::Result<()> {
        let path = self.0.join(id).with_extension(ENDING);
        if path.exists() {
            return Ok(());
        }
        // Another process may read the file at any time, or write the same one.
        let temporary = self.temporary(id);
        let mut file = private::create(&temporary)?;
        let written = file
            .write_all(&bytes())
            .and_then(|()| fs::rename(&temporary, &path));
        written.inspect_err(|_| drop(fs::remove_file(&temporary)))
    }

    fn temporary(&self, name: &str) -> PathBuf {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        self.0
            .join(format!("{name}.{}-{next}.tmp", std::process::id()))
    }
}

/// Random bytes.
pub(super) fn random() -> io::Result<Bytes> {
    let mut bytes = Bytes::default();
    getrandom::fill(&mut bytes).map_err(|e| io::Error::other(e.to_string()))?;
    Ok(bytes)
}

/// Files and folders that only their owner may read.
#[cfg(unix)]
mod private {
    use std::fs::{self, DirBuilder, File, Metadata, Permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    use super::{ENDING, KEY};

    const OTHERS: u32 = 0o077;
    /// Sticky and world-writable bits: every user may put files there, as into `/tmp`.
    const SHARED: u32 = 0o1002;

    pub(super) fn make(path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    pub(super) fn create(path: &Path) -> io::Result<File> {
        let mut options = File::options();
        options.write(true).create_new(true).mode(0o600).open(path)
    }

    pub(super) fn close(path: &Path, about: &Metadata) -> io::Result<()> {
        let us = rustix::process::geteuid().as_raw();
        if about.uid() != us {
            return Err(io::Error::other("it belongs to another user"));
        }
        if about.mode() & OTHERS == 0 {
            return Ok(());
        }
        if about.mode() & SHARED != 0 {
            return Err(io::Error::other("every user can create files in it"));
        }
        let mut ours = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let (name, about) = (entry.file_name(), entry.metadata()?);
            let name = name.to_string_lossy();
            let is_ours = name == KEY || name.ends_with(ENDING) || name.ends_with(".tmp");
            if !is_ours || !about.is_file() || about.uid() != us {
                let why = format!("other users can read it, and `{name}` in it is not an original");
                return Err(io::Error::other(why));
            }
            ours.push(entry.path());
        }
        fs::set_permissions(path, Permissions::from_mode(0o700))?;
        for file in ours {
            fs::set_permissions(file, Permissions::from_mode(0o600))?;
        }
        Ok(())
    }
}

/// Access rights are those that a new folder or file inherits.
#[cfg(not(unix))]
mod private {
    use std::fs::{self, File, Metadata};
    use std::io;
    use std::path::Path;

    pub(super) fn make(path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    pub(super) fn create(path: &Path) -> io::Result<File> {
        File::options().write(true).create_new(true).open(path)
    }

    #[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
    pub(super) fn close(_: &Path, _: &Metadata) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn only_the_owner_may_read_originals() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path().join("a/b")).unwrap();
        folder.key().unwrap();
        folder.write("id", || b"x".to_vec()).unwrap();
        assert_eq!(mode(folder.path()), 0o700);
        for entry in fs::read_dir(folder.path()).unwrap().flatten() {
            assert_eq!(mode(&entry.path()), 0o600, "{entry:?}");
        }
    }

    #[test]
    fn access_of_other_users_to_existing_originals_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("store");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("aa.bcp"), "x").unwrap();
        set(&path, 0o755);
        set(&path.join("aa.bcp"), 0o644);
        Folder::open(path.clone()).unwrap();
        assert_eq!((mode(&path), mode(&path.join("aa.bcp"))), (0o700, 0o600));
    }

    #[test]
    fn a_readable_folder_with_other_files_is_refused_and_not_changed() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("notes.txt"), "x").unwrap();
        set(place.path(), 0o755);
        assert!(Folder::open(place.path().to_owned()).is_err());
        assert_eq!(mode(place.path()), 0o755);
        set(place.path(), 0o700);
        assert!(Folder::open(place.path().to_owned()).is_ok());
    }

    #[test]
    fn a_world_writable_folder_is_refused() {
        let place = tempfile::tempdir().unwrap();
        for open in [0o1777, 0o777] {
            set(place.path(), open);
            assert!(Folder::open(place.path().to_owned()).is_err());
            assert_eq!(mode(place.path()), open);
        }
    }

    #[test]
    fn every_process_has_the_same_key() {
        let place = tempfile::tempdir().unwrap();
        let open = || {
            Folder::open(place.path().join("store"))
                .unwrap()
                .key()
                .unwrap()
        };
        assert_eq!(open(), open());
    }
}
