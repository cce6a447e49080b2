//! The locations of configuration files on a system.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The location of a client's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// In this file.
    File(PathBuf),
    /// In a file whose location is unknown; the text describes the file.
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

/// The properties of a system that determine the locations of configuration files.
#[derive(Debug, Clone, Default)]
pub struct System {
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// `%APPDATA%`, or `$XDG_CONFIG_HOME`.
    pub config: Option<PathBuf>,
    /// `%LOCALAPPDATA%`.
    pub local: Option<PathBuf>,
    /// `$XDG_STATE_HOME`.
    pub state: Option<PathBuf>,
    /// `$CLAUDE_CONFIG_DIR`, the folder of Claude Code.
    pub claude: Option<PathBuf>,
    /// `$CODEX_HOME`, the folder of Codex.
    pub codex: Option<PathBuf>,
    /// macOS.
    pub is_mac: bool,
    /// Windows.
    pub is_windows: bool,
}

impl System {
    /// This system, with the folders that its variables name; `look` reads a variable.
    pub fn this(look: impl Fn(&str) -> Option<OsString>) -> Self {
        let path = |name| {
            let value = look(name).filter(|value| !value.is_empty());
            value.map(PathBuf::from)
        };
        let is_windows = cfg!(windows);
        let (home, config) = if is_windows {
            ("USERPROFILE", "APPDATA")
        } else {
            ("HOME", "XDG_CONFIG_HOME")
        };
        Self {
            home: path(home),
            config: path(config),
            local: path("LOCALAPPDATA").filter(|_| is_windows),
            state: path("XDG_STATE_HOME"),
            claude: path("CLAUDE_CONFIG_DIR"),
            codex: path("CODEX_HOME"),
            is_mac: cfg!(target_os = "macos"),
            is_windows,
        }
    }

    /// The folder for the state of linkspan.
    pub fn state_folder(&self) -> Option<PathBuf> {
        let folder = if self.is_windows {
            self.local.clone()
        } else if self.is_mac {
            self.in_home("Library/Application Support")
        } else {
            self.state.clone().or_else(|| self.in_home(".local/state"))
        };
        Some(folder?.join("linkspan"))
    }

    pub(crate) fn in_home(&self, path: &str) -> Option<PathBuf> {
        Some(self.home.as_ref()?.join(path))
    }

    /// In the folder for the settings of programs.
    pub(crate) fn in_config(&self, path: &str) -> Option<PathBuf> {
        if self.is_mac {
            return self.in_home(&format!("Library/Application Support/{path}"));
        }
        match &self.config {
            Some(config) => Some(config.join(path)),
            None if self.is_windows => None,
            None => self.in_home(".config").map(|config| config.join(path)),
        }
    }

    /// In the folder for the settings of programs that use the conventions of Linux on every system.
    pub(crate) fn in_unix_config(&self, path: &str) -> Option<PathBuf> {
        let config = self.config.as_ref().filter(|_| !self.is_windows);
        match config {
            Some(config) => Some(config.join(path)),
            None => self.in_home(".config").map(|config| config.join(path)),
        }
    }
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_in_its_own_folder_or_in_the_home_of_the_user() {
        let system = System {
            home: Some("/home/me".into()),
            ..System::default()
        };
        let state = Path::new("/home/me/.local/state/linkspan");
        assert_eq!(system.state_folder().as_deref(), Some(state));
        let system = System {
            state: Some("/state".into()),
            ..system
        };
        let state = Path::new("/state/linkspan");
        assert_eq!(system.state_folder().as_deref(), Some(state));
        assert_eq!(System::default().state_folder(), None);
    }

    #[test]
    fn an_empty_variable_names_no_folder() {
        let system = System::this(|name| match name {
            "HOME" => Some("/home/me".into()),
            _ => Some(OsString::new()),
        });
        assert_eq!(system.home.as_deref(), Some(Path::new("/home/me")));
        assert_eq!(system.config, None);
        assert!(!system.is_windows);
    }
}
