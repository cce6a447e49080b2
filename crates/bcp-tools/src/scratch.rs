//! A folder for one test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of one test's own, gone when the test is over.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("linkspan-bcp-{}-{count}", std::process::id());
        // The real path: on some systems the folder for such things is a link.
        let path = fs::canonicalize(std::env::temp_dir()).unwrap().join(name);
        // Left behind by a process that had the same number.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, and the folders that it lies in.
    pub(super) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// The names of what lies directly in it.
    pub(super) fn names(&self) -> Vec<String> {
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry.unwrap().file_name().into_string().unwrap()
        };
        let mut names: Vec<_> = fs::read_dir(&self.0).unwrap().map(name).collect();
        names.sort();
        names
    }

    /// A named pipe that nobody writes into.
    #[cfg(unix)]
    pub(super) fn fifo(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
