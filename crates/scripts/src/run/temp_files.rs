//! The files of a call in the run folder.

use std::path::PathBuf;

/// Files that are removed on drop, however the call ended.
#[derive(Default)]
pub(crate) struct TempFiles {
    pub(crate) files: Vec<PathBuf>,
    /// A folder that is removed with its contents.
    pub(crate) folder: Option<PathBuf>,
}

impl TempFiles {
    /// Removes the files; a folder is removed on a blocking thread, because it may be large.
    pub(crate) async fn remove(self) {
        if self.folder.is_some() {
            let _ = tokio::task::spawn_blocking(move || drop(self)).await;
        }
    }
}

impl Drop for TempFiles {
    fn drop(&mut self) {
        for file in self.files.drain(..) {
            let _ = std::fs::remove_file(file);
        }
        if let Some(folder) = self.folder.take() {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}
