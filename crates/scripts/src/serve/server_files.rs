//! The files that a server writes before it reads its folder.

use crate::os::{DirBuilderExt, SUPPORTED};
use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

use crate::run::random_name;
use crate::sdk::{self, Installed};
use crate::serve::OpenError;

/// The SDK, and a private folder for the files of calls, which is removed on drop.
#[derive(Debug)]
pub struct ServerFiles {
    /// The SDK for tools.
    pub installed: Installed,
    run_folder: RunFolder,
}

impl ServerFiles {
    /// Writes them below `temp`; `exe` is our own program. Where scripts cannot be run, nothing is written.
    pub fn prepare(exe: &Path, temp: &Path) -> Result<Self, OpenError> {
        if !SUPPORTED {
            return Err(OpenError::Unsupported);
        }
        Ok(Self {
            installed: sdk::install(exe, temp)?,
            run_folder: RunFolder::create(temp)?,
        })
    }

    /// The private folder.
    pub fn run_folder(&self) -> &Path {
        &self.run_folder.0
    }
}

/// Removed with its contents on drop.
#[derive(Debug)]
struct RunFolder(PathBuf);

impl RunFolder {
    fn create(temp: &Path) -> io::Result<Self> {
        let path = temp.join(format!("linkspan-{}", random_name()));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
