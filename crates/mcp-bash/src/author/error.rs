//! Why a verb fails.

use std::io;
use std::path::{Path, PathBuf};

use linkspan_scripts::author::names::NameError;
use linkspan_wire::{escape_line, replace_unprintable};

/// Why a verb of mcp-bash's command line fails.
#[derive(Debug, thiserror::Error)]
pub enum AuthorError {
    /// A file cannot be written.
    #[error("cannot write {}: {source}", shown(path))]
    Write {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A new file or folder is there already.
    #[error("{} already exists", shown(.0))]
    Exists(PathBuf),
    /// A name is refused.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A UI is to be added to a tool that does not exist.
    #[error("{} is no tool", shown(folder))]
    NoTool {
        /// Where the tool would be.
        folder: PathBuf,
        /// Its name.
        name: String,
    },
    /// `register.json` is not an object with a list of completions.
    #[error("{} is no list of registrations", shown(.0))]
    Registrations(PathBuf),
    /// A project without `server.meta.json` is not bundled.
    #[error("{} is missing", shown(.0))]
    NoServerMeta(PathBuf),
    /// A name or version has characters that a file name must not have.
    #[error("`{}` cannot be part of a file's name", replace_unprintable(.0))]
    FileName(String),
    /// The platform is not one of the format's.
    #[error("`{}` is not a platform", replace_unprintable(.0))]
    Platform(String),
    /// The file that `MCPB_USER_CONFIG_FILE` names is not JSON, or not in the project.
    #[error("MCPB_USER_CONFIG_FILE: `{0}` is no JSON file of the project")]
    SettingsFile(String),
    /// `user_config` is not an object.
    #[error("user_config must be an object")]
    Settings,
    /// An entry of `user_config` is incomplete.
    #[error("user_config: `{key}` needs a title and a type ({})", kinds.join(", "))]
    Setting {
        /// Which one.
        key: String,
        /// The types of the format.
        kinds: &'static [&'static str],
    },
    /// A map names an entry that `user_config` does not have.
    #[error("user_config has no `{0}`")]
    UnknownSetting(String),
    /// A path that clients cannot be told.
    #[error("{} is not UTF-8", shown(.0))]
    NotUtf8(PathBuf),
}

impl AuthorError {
    pub(super) fn write(path: &Path, source: io::Error) -> Self {
        Self::Write {
            path: path.to_owned(),
            source,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Write { .. } => "is it a folder of yours, on a disk with room?",
            Self::Exists(_) => "remove it, or take another name",
            Self::Name(_) => NameError::HINT,
            Self::NoTool { name, .. } => return format!("mcp-bash scaffold tool {name} makes one"),
            Self::Registrations(_) => "fix it, and add the completion to its `completions`",
            Self::NoServerMeta(_) => "mcp-bash init makes it",
            Self::FileName(_) => {
                "letters, digits, dot, dash and underscore; --name and --version say others"
            }
            Self::Platform(_) => "--platform is darwin, linux, win32 or all",
            Self::SettingsFile(_) => "fix it in mcpb.conf",
            Self::Settings | Self::Setting { .. } | Self::UnknownSetting(_) => {
                "fix it in server.d/server.meta.json or mcpb.conf"
            }
            Self::NotUtf8(_) => "clients cannot name it; rename it, or make a link to it",
        }
        .to_owned()
    }
}

pub(super) fn shown(path: &Path) -> String {
    escape_line(&path.to_string_lossy()).into_owned()
}
