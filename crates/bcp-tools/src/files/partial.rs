//! Files that are being written, and their removal when the process has to stop.
//!
//! A partial file has a name of its own next to its target, and is renamed to the target when it is complete;
//! otherwise its guard removes it. A signal ends the process without dropping guards, so the partial files
//! are listed, and the code that ends the process removes them first. A file without a name (`O_TMPFILE`)
//! would need no removal, but exists only on Linux, only on some file systems, and cannot replace a file.
//! SIGKILL, SIGQUIT and power cuts leave a hidden `.part` file behind.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use super::Folder;

/// The files that are being written. Clones share one list.
#[derive(Debug, Clone)]
pub struct PartialFiles(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    temp: PathBuf,
    files: Mutex<Listed>,
}

#[derive(Debug, Default)]
pub(super) struct Listed {
    by_path: BTreeSet<PathBuf>,
    /// Files of [`super::within::Within`], by their unique names.
    pub(super) in_folders: BTreeMap<OsString, Arc<Folder>>,
}

/// While this exists, no file is created, renamed or removed.
#[derive(Debug)]
pub struct Cleared<'p> {
    _files: MutexGuard<'p, Listed>,
}

impl PartialFiles {
    /// `temp` is the folder for temporary files of outputs that are not regular files.
    pub fn new(temp: PathBuf) -> Self {
        Self(Arc::new(Shared {
            temp,
            files: Mutex::default(),
        }))
    }

    pub(super) fn temp(&self) -> &Path {
        &self.0.temp
    }

    /// Removes all partial files. Call this before the process ends, because guards on other threads are not
    /// dropped then.
    pub fn clear(&self) -> Cleared<'_> {
        let mut files = self.lock();
        while let Some(path) = files.by_path.pop_first() {
            let _ = fs::remove_file(path);
        }
        while let Some((part, folder)) = files.in_folders.pop_first() {
            let _ = folder.remove(&part);
        }
        Cleared { _files: files }
    }

    /// Locked while a file is created, renamed or removed, so that [`PartialFiles::clear`] sees these steps
    /// completely or not at all.
    pub(super) fn lock(&self) -> MutexGuard<'_, Listed> {
        self.0.files.lock()
    }
}

/// A file that is removed unless it is finished.
#[derive(Debug)]
pub(super) struct Unfinished {
    path: PathBuf,
    partial: PartialFiles,
}

impl Unfinished {
    /// Creates a file next to `target`, with an unpredictable name.
    pub(super) fn create(
        partial: &PartialFiles,
        target: &Path,
        options: &mut OpenOptions,
    ) -> io::Result<(Self, File)> {
        let mut files = partial.lock();
        loop {
            let path = target.with_file_name(name(target)?);
            match options.write(true).create_new(true).open(&path) {
                Ok(file) => {
                    files.by_path.insert(path.clone());
                    let partial = partial.clone();
                    return Ok((Self { path, partial }, file));
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Renames it to its target.
    pub(super) fn finish(self, target: &Path) -> io::Result<()> {
        let mut files = self.partial.lock();
        fs::rename(&self.path, target)?;
        files.by_path.remove(&self.path);
        drop(files);
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.partial.lock().by_path.remove(&self.path) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn name(target: &Path) -> io::Result<OsString> {
    let random = getrandom::u64().map_err(io::Error::other)?;
    let mut name = OsString::from(".");
    // Only a part of a long name, otherwise the new name would be too long.
    let stem: String = target
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .chars()
        .take(32)
        .collect();
    name.push(format!("{stem}.{random:016x}.part"));
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn all_partial_files_can_be_removed_at_once() {
        let scratch = Scratch::new();
        let partial = scratch.partial();
        let create = |name: &str| {
            let target = scratch.path().join(name);
            Unfinished::create(&partial, &target, &mut OpenOptions::new()).unwrap()
        };
        let (first, _second) = (create("a"), create("b"));
        assert_eq!(scratch.names().len(), 2);
        fs::remove_file(first.0.path()).unwrap();
        drop(partial.clear());
        assert!(scratch.names().is_empty());
        // Its guard does not remove a later file of that name.
        fs::write(first.0.path(), "").unwrap();
        let path = first.0.path().to_owned();
        drop(first);
        assert!(path.exists());
    }
}
