//! Errors of the `mcp-bash` commands.

use std::io;
use std::path::{Path, PathBuf};

use linkspan_scripts::author::names::NameError;
use linkspan_wire::{escape_line, replace_unprintable};

use super::UsageError;

/// Why a verb of mcp-bash's command line fails.
#[derive(Debug, thiserror::Error)]
pub enum AuthorError {
    /// A file cannot be written.
    #[error("cannot write {}: {source}", shown(path))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The new file or folder already exists.
    #[error("{} already exists", shown(.0))]
    Exists(PathBuf),
    /// The command line is wrong.
    #[error(transparent)]
    Usage(#[from] UsageError),
    /// The name is not allowed.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The tool of a new UI does not exist.
    #[error("{} is no tool", shown(folder))]
    NoTool {
        /// The folder of that tool.
        folder: PathBuf,
        /// Its name.
        name: String,
    },
    /// `register.json` is not an object with a list of completions.
    #[error("{} is not a list of registrations", shown(.0))]
    Registrations(PathBuf),
    /// A project without `server.meta.json` is not bundled.
    #[error("{} is missing", shown(.0))]
    NoServerMeta(PathBuf),
    /// The name or version has characters that are not allowed in a file name.
    #[error("`{}` cannot be part of a file's name", replace_unprintable(.0))]
    FileName(String),
    /// The platform is unknown to the bundle format.
    #[error("`{}` is not a platform", replace_unprintable(.0))]
    Platform(String),
    /// The file of `MCPB_USER_CONFIG_FILE` is not JSON, or outside the project.
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
        /// The types that the format allows.
        kinds: &'static [&'static str],
    },
    /// A map names a setting that `user_config` does not declare.
    #[error("user_config has no `{0}`")]
    UnknownSetting(String),
    /// A path that is not UTF-8, which JSON cannot represent.
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

    /// What the user can do about the error.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Usage(error) => return error.hint(),
            Self::Write { .. } => {
                "check that you can write to the folder and that the disk has space"
            }
            Self::Exists(_) => "remove it, or choose another name",
            Self::Name(_) => NameError::HINT,
            Self::NoTool { name, .. } => {
                return Some(format!("mcp-bash scaffold tool {name} makes one"));
            }
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
            Self::NotUtf8(_) => "clients cannot refer to it; rename it, or create a link to it",
        };
        Some(hint.to_owned())
    }
}

pub(super) fn shown(path: &Path) -> String {
    escape_line(&path.to_string_lossy()).into_owned()
}
