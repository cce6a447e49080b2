//! Why clients cannot be told a server.

use std::io;
use std::path::PathBuf;

use linkspan_bridge::TargetError;
use linkspan_ports::OptionsError;
use linkspan_wire::escape_line;

use crate::server::shown;

/// A server that clients cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The words do not name a server.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The flags do not fit the URL.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// Flags for a URL, without one.
    #[error("--header, --bearer-env, --aws-… and --insecure-http are for a URL")]
    FlagsForUrl,
    /// A client cannot connect to this.
    #[error("`{}` is not a URL of a server", escape_line(.0))]
    NotHttp(String),
    /// JSON strings cannot contain this path.
    #[error("{} is not UTF-8", shown(.0))]
    NotUtf8(PathBuf),
    /// There is no program with this path.
    #[error("there is no program `{}`", shown(.0))]
    NoProgram(PathBuf),
    /// A header has a secret, which would be in the configuration.
    #[error("the value of the header `{}` would be in the configuration", escape_line(.0))]
    Secret(String),
    /// A folder that cannot be served.
    #[error("cannot use {}: {source}", shown(path))]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl ServerError {
    /// What the user can do about it. Errors of targets and options have hints of their own.
    pub fn hint(&self) -> String {
        match self {
            Self::Target(_) | Self::Options(_) => String::new(),
            Self::FlagsForUrl => {
                "linkspan config --bearer-env VAR https://mcp.example.com/mcp".to_owned()
            }
            Self::NotHttp(_) => {
                "linkspan serve --http prints it, for example http://127.0.0.1:8808/mcp".to_owned()
            }
            Self::NotUtf8(_) => {
                "clients cannot name it; rename it, or make a link to it".to_owned()
            }
            Self::NoProgram(_) => {
                "give the path of an executable file, or a name that is in PATH".to_owned()
            }
            Self::Secret(name) => format!(
                "give a variable of the environment: --bearer-env TOKEN, or -H '{}: ${{VARIABLE}}'",
                escape_line(name)
            ),
            Self::Folder { path, .. } => format!("linkspan new {} makes a folder", shown(path)),
        }
    }
}
