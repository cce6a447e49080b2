//! Where configuration files are on a system.

use std::path::{Path, PathBuf};

/// Where the configuration of a client is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// In this file.
    File(PathBuf),
    /// In a file that cannot be located, described by these words.
    Unknown(&'static str),
}

impl Location {
    /// The file, if it is known.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Unknown(_) => None,
        }
    }
}

/// The properties of a system that decide where configuration files are.
#[derive(Debug, Clone, Default)]
pub struct System {
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// `%APPDATA%`, or `$XDG_CONFIG_HOME`.
    pub config: Option<PathBuf>,
    /// macOS.
    pub is_mac: bool,
    /// Windows.
    pub is_windows: bool,
}

impl System {
    pub(crate) fn in_home(&self, path: &str) -> Option<PathBuf> {
        Some(self.home.as_ref()?.join(path))
    }

    pub(crate) fn in_config(&self, path: &str) -> Option<PathBuf> {
        match &self.config {
            Some(config) => Some(config.join(path)),
            None if self.is_windows => None,
            None => self.in_home(".config").map(|config| config.join(path)),
        }
    }
}
