//! What a call leaves in our folder.

use std::path::PathBuf;

/// Removed when this is dropped, whatever became of the call: there are more of them than there is room.
#[derive(Default)]
pub(crate) struct TempFiles {
    pub(crate) files: Vec<PathBuf>,
    /// With everything that a program has put there.
    pub(crate) folder: Option<PathBuf>,
}

impl TempFiles {
    /// Removes it. A folder may hold more than we have time for, so that another thread does it.
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
