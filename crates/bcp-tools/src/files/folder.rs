//! A folder that is held open, so that operations in it do not depend on its path.
//!
//! Between the check of a path and its use, a link, a pipe or another folder may replace it. A folder is
//! therefore opened from the root, one component after the other and without following links; files in it are
//! then opened, created, renamed and removed by their names.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::Refused;

/// The type of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Special,
}

/// A folder that is held open.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    #[cfg(unix)]
    handle: std::os::fd::OwnedFd,
}

impl Folder {
    /// Its path when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a regular file for reading; refuses other kinds of files.
    pub fn open_regular(&self, name: &OsStr) -> Result<(File, Metadata), Refused> {
        // Checked before opening, because opening a device may have effects, and again afterwards, because
        // the file may have been replaced in between.
        if self.kind(name)? != Kind::File {
            return Err(Refused::NotAFile);
        }
        let file = self.open_file(name, false)?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(Refused::NotAFile);
        }
        Ok((file, meta))
    }

    /// The metadata of the file that a new one would replace. A file without write permission may not be
    /// replaced either.
    pub(super) fn replaceable(&self, name: &OsStr) -> io::Result<Option<Metadata>> {
        match self.kind(name) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
            Ok(Kind::File) => self.open_file(name, true)?.metadata().map(Some),
            Ok(Kind::Folder) => Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => Err(io::Error::other("it is not a regular file")),
        }
    }
}

#[cfg(unix)]
mod system {
    use std::path::Component;

    use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};

    use super::*;

    /// Enough to traverse a folder; on Linux also one without read permission.
    #[cfg(target_os = "linux")]
    const THROUGH: OFlags = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    const THROUGH: OFlags = OFlags::RDONLY;

    impl Folder {
        /// Opens a folder by an absolute path that contains no link.
        pub fn open(path: &Path) -> io::Result<Self> {
            let flags = THROUGH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let mut handle = fs::open("/", flags, Mode::empty())?;
            for component in path.components() {
                match component {
                    Component::RootDir => {}
                    Component::Normal(name) => {
                        handle = fs::openat(&handle, name, flags, Mode::empty())?;
                    }
                    _ => return Err(io::ErrorKind::InvalidInput.into()),
                }
            }
            let path = path.to_owned();
            Ok(Self { path, handle })
        }

        /// The type of the entry with this name.
        pub fn kind(&self, name: &OsStr) -> io::Result<Kind> {
            let stat = fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Folder,
                FileType::Symlink => Kind::Link,
                _ => Kind::Special,
            })
        }

        /// Opens a file without waiting for the other end of a pipe, and without following a link.
        pub(super) fn open_file(&self, name: &OsStr, write: bool) -> io::Result<File> {
            let access = if write {
                OFlags::WRONLY
            } else {
                OFlags::RDONLY
            };
            let careful = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            let file = fs::openat(&self.handle, name, access | careful, Mode::empty())?;
            Ok(file.into())
        }

        /// Creates a file that did not exist.
        pub(in crate::files) fn create_new(
            &self,
            name: &OsStr,
            old: Option<&Metadata>,
        ) -> io::Result<File> {
            use std::os::unix::fs::MetadataExt;
            // Never readable by more users than the old file.
            let mode = old.map_or(0o666, |old| old.mode() & 0o777);
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            // The type of the mode has 16 bits on some systems.
            let mode = Mode::from_bits_truncate(mode as _);
            let file: File = fs::openat(&self.handle, name, flags, mode)?.into();
            let Some(old) = old else {
                return Ok(file);
            };
            let new = file.metadata()?;
            if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
                let _ = std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()));
            }
            // Some file systems have no modes.
            let _ = file.set_permissions(old.permissions());
            Ok(file)
        }

        pub(in crate::files) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            Ok(fs::renameat(&self.handle, from, &self.handle, to)?)
        }

        pub(in crate::files) fn remove(&self, name: &OsStr) -> io::Result<()> {
            Ok(fs::unlinkat(&self.handle, name, AtFlags::empty())?)
        }
    }
}

/// Uses paths, for systems without folder handles.
#[cfg(not(unix))]
mod system {
    use std::fs::{self, OpenOptions};

    use super::*;

    impl Folder {
        /// Opens a folder by a path that contains no link.
        pub fn open(path: &Path) -> io::Result<Self> {
            if !fs::metadata(path)?.is_dir() || fs::canonicalize(path)? != path {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            let path = path.to_owned();
            Ok(Self { path })
        }

        /// The type of the entry with this name.
        pub fn kind(&self, name: &OsStr) -> io::Result<Kind> {
            let kind = fs::symlink_metadata(self.path.join(name))?.file_type();
            Ok(match () {
                () if kind.is_file() => Kind::File,
                () if kind.is_dir() => Kind::Folder,
                () if kind.is_symlink() => Kind::Link,
                () => Kind::Special,
            })
        }

        pub(super) fn open_file(&self, name: &OsStr, write: bool) -> io::Result<File> {
            OpenOptions::new()
                .read(!write)
                .write(write)
                .open(self.path.join(name))
        }

        /// Creates a file that did not exist.
        pub(in crate::files) fn create_new(
            &self,
            name: &OsStr,
            _: Option<&Metadata>,
        ) -> io::Result<File> {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            options.open(self.path.join(name))
        }

        pub(in crate::files) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            fs::rename(self.path.join(from), self.path.join(to))
        }

        pub(in crate::files) fn remove(&self, name: &OsStr) -> io::Result<()> {
            fs::remove_file(self.path.join(name))
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn links_in_a_path_are_not_followed() {
        let scratch = Scratch::new();
        scratch.file("real/deep/file", "x");
        symlink("real", scratch.path().join("link")).unwrap();
        assert!(Folder::open(&scratch.path().join("real/deep")).is_ok());
        assert!(Folder::open(&scratch.path().join("link/deep")).is_err());
        assert!(Folder::open(&scratch.path().join("link")).is_err());
        assert!(Folder::open(&scratch.path().join("real/deep/file")).is_err());
    }

    #[test]
    fn an_open_folder_stays_the_same_when_a_link_replaces_it() {
        let scratch = Scratch::new();
        scratch.file("in/file", "ours");
        scratch.file("out/file", "theirs");
        let (inside, moved) = (scratch.path().join("in"), scratch.path().join("moved"));
        let folder = Folder::open(&inside).unwrap();
        fs::rename(&inside, &moved).unwrap();
        symlink(scratch.path().join("out"), &inside).unwrap();

        let (file, _) = folder.open_regular("file".as_ref()).unwrap();
        assert_eq!(std::io::read_to_string(file).unwrap(), "ours");
        folder.create_new("new".as_ref(), None).unwrap();
        folder.rename("new".as_ref(), "newer".as_ref()).unwrap();
        assert!(moved.join("newer").exists());
        folder.remove("file".as_ref()).unwrap();
        assert!(scratch.path().join("out/file").exists());
    }

    #[test]
    fn special_files_are_refused_without_blocking() {
        let scratch = Scratch::new();
        scratch.file("file", "x");
        scratch.fifo("fifo");
        symlink("file", scratch.path().join("link")).unwrap();
        let folder = Folder::open(scratch.path()).unwrap();
        for name in ["fifo", "link", "."] {
            let refused = folder.open_regular(name.as_ref());
            assert!(matches!(refused, Err(Refused::NotAFile)), "{name}");
            assert!(folder.replaceable(name.as_ref()).is_err(), "{name}");
        }
        // Also if the pipe replaces a file after the check.
        assert!(folder.open_file("fifo".as_ref(), false).is_ok());
        assert!(folder.open_file("link".as_ref(), false).is_err());
    }
}
