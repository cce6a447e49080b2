//! Errors of files in `server.d`.

use std::io;
use std::time::Duration;

use super::manual::Kind;
use super::trust::Distrust;

/// Why the registrations of a project cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// Other users can write the file.
    #[error("{file} refused: {why}")]
    Refused {
        /// `register.json` or `register.sh`.
        file: &'static str,
        /// Why the file is not trusted.
        why: Distrust,
    },
    /// The list cannot be read.
    #[error("register.json: {0}")]
    Read(io::Error),
    /// The list is larger than this limit.
    #[error("register.json has more than {0} bytes")]
    TooLarge(u64),
    /// The list is not JSON.
    #[error("register.json: {0}")]
    Json(serde_json::Error),
    /// The list begins with a byte order mark.
    #[error("register.json: save it as UTF-8 without a byte order mark")]
    ByteOrderMark,
    /// The list is not an object.
    #[error("register.json: it must be an object")]
    NotAnObject,
    /// The version of the list is unknown.
    #[error("register.json: its version must be the number 1")]
    Version,
    /// A member has another type.
    #[error("register.json: {0} must be an array or null")]
    NotAList(Kind),
    /// `_meta` has another type.
    #[error("register.json: _meta must be an object")]
    Meta,
    /// A member is unknown.
    #[error("register.json: it has an unknown member {0}")]
    UnknownMember(String),
    /// The script could not be started.
    #[error("register.sh did not start: {0}")]
    Start(io::Error),
    /// The script exceeded this time limit.
    #[error("register.sh took more than {} s", .0.as_secs())]
    Late(Duration),
    /// The script printed more than this limit.
    #[error("register.sh said more than {0} bytes")]
    TooMuch(u64),
    /// The script ended with an error; its last line on stderr.
    #[error("register.sh failed: {0}")]
    Failed(String),
    /// The script registered an entry that is not JSON.
    #[error("register.sh: {kind}: {why}")]
    Entry {
        /// The kind of the entry.
        kind: Kind,
        /// The parse error.
        why: serde_json::Error,
    },
    /// A completion is not a file of the project.
    #[error("completion {name}: {path} is not a file of the project")]
    Completion {
        /// Its name as JSON.
        name: String,
        /// Its path.
        path: String,
    },
}

/// Why `env.sh` cannot be read into the environment.
#[derive(Debug, thiserror::Error)]
pub enum EnvScriptError {
    /// Other users can write the file.
    #[error("refused: {0}")]
    Refused(#[from] Distrust),
    /// The shell could not be started.
    #[error("it did not start: {0}")]
    Start(#[from] io::Error),
    /// The script failed; its last line on stderr.
    #[error("it failed: {0}")]
    Failed(String),
}
