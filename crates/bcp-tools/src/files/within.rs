//! A file in a folder that is held open, which gets its name when it is complete.
//!
//! Like [`super::partial::Unfinished`], but without paths: a server writes where other processes may move
//! folders and create links.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use super::{Folder, PartialFiles};

/// A file that is removed unless it is finished.
#[derive(Debug)]
pub(super) struct Within {
    partial: PartialFiles,
    folder: Arc<Folder>,
    /// Its temporary name, which is unique across folders.
    part: OsString,
    name: OsString,
    file: Option<BufWriter<File>>,
}

impl Within {
    pub(super) fn create(
        partial: &PartialFiles,
        folder: Arc<Folder>,
        name: &OsStr,
        buffer: usize,
    ) -> io::Result<Self> {
        let old = folder.replaceable(name)?;
        let mut files = partial.lock();
        loop {
            let random = getrandom::u64().map_err(io::Error::other)?;
            let part = OsString::from(format!(".linkspan.{random:016x}.part"));
            match folder.create_new(&part, old.as_ref()) {
                Ok(file) => {
                    files.in_folders.insert(part.clone(), folder.clone());
                    return Ok(Self {
                        partial: partial.clone(),
                        folder,
                        part,
                        name: name.to_owned(),
                        file: Some(BufWriter::with_capacity(buffer, file)),
                    });
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// Renames the file to its target. A link with that name is replaced, not followed.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        // Some systems cannot rename an open file.
        self.file = None;
        let partial = self.partial.clone();
        let mut files = partial.lock();
        self.folder.rename(&self.part, &self.name)?;
        files.in_folders.remove(&self.part);
        Ok(())
    }

    fn file(&mut self) -> io::Result<&mut BufWriter<File>> {
        let closed = || io::Error::other("the file is closed");
        self.file.as_mut().ok_or_else(closed)
    }
}

impl Write for Within {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file()?.flush()
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        if self.partial.lock().in_folders.remove(&self.part).is_some() {
            let _ = self.folder.remove(&self.part);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::scratch::Scratch;

    fn begin(scratch: &Scratch, name: &str) -> Within {
        let folder = Arc::new(Folder::open(scratch.path()).unwrap());
        let mut file = Within::create(&scratch.partial(), folder, name.as_ref(), 10).unwrap();
        file.write_all(b"new").unwrap();
        file
    }

    #[test]
    fn a_file_appears_when_it_is_complete_and_otherwise_not_at_all() {
        let scratch = Scratch::new();
        let old = scratch.file("a", "old");
        let half = begin(&scratch, "a");
        assert_eq!(scratch.names().len(), 2);
        drop(half);
        assert_eq!(fs::read(&old).unwrap(), b"old");
        begin(&scratch, "a").finish().unwrap();
        assert_eq!(fs::read(&old).unwrap(), b"new");
        assert_eq!(scratch.names(), ["a"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::new();
        let path = scratch.file("a", "old");
        for wanted in [0o600, 0o666, 0o755] {
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
            begin(&scratch, "a").finish().unwrap();
            let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, wanted);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_appears_meanwhile_is_replaced_and_not_followed() {
        let scratch = Scratch::new();
        let victim = scratch.file("out/victim", "kept");
        let file = begin(&scratch, "a");
        let link = scratch.path().join("a");
        std::os::unix::fs::symlink(&victim, &link).unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(victim).unwrap(), b"kept");
        assert!(!link.is_symlink());
    }
}
