//! The server to configure.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use linkspan_wire::escape_line;

/// A server that clients start through `linkspan`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// A folder of scripts.
    Folder(PathBuf),
    /// A server at a URL.
    Url {
        /// The URL.
        url: String,
        /// Further arguments for the connection.
        options: Vec<String>,
    },
    /// A command that is a server.
    Command(Vec<String>),
}

/// A path that clients cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// JSON strings cannot contain this path.
    #[error("{} is not UTF-8", shown(.0))]
    NotUtf8(PathBuf),
    /// There is no program with this path.
    #[error("there is no program `{}`", shown(.0))]
    NoProgram(PathBuf),
    /// A folder that cannot be served.
    #[error("cannot use {}: {source}", shown(path))]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl PathError {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NotUtf8(_) => {
                "clients cannot name it; rename it, or make a link to it".to_owned()
            }
            Self::NoProgram(_) => {
                "give the path of an executable file, or a name that is in PATH".to_owned()
            }
            Self::Folder { path, .. } => format!("linkspan new {} makes a folder", shown(path)),
        }
    }
}

impl Server {
    /// The arguments of `linkspan` for this server, with absolute paths: clients start it in any folder.
    pub fn arguments(&self) -> Result<Vec<String>, PathError> {
        let mut words = Vec::new();
        match self {
            Self::Folder(dir) => words.extend(["serve".to_owned(), folder(dir)?]),
            Self::Url { url, options } => {
                words.push("connect".to_owned());
                words.extend_from_slice(options);
                words.push(url.clone());
            }
            Self::Command(command) => {
                words.extend(["connect".to_owned(), "--".to_owned()]);
                if let Some((first, rest)) = command.split_first() {
                    words.push(program(first)?);
                    words.extend_from_slice(rest);
                }
            }
        }
        Ok(words)
    }
}

/// A path as text.
pub fn utf8(path: &Path) -> Result<String, PathError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| PathError::NotUtf8(path.to_owned()))
}

/// The absolute path of a folder.
fn folder(given: &Path) -> Result<String, PathError> {
    let real = fs::canonicalize(given).map_err(|source| PathError::Folder {
        path: given.to_owned(),
        source,
    })?;
    utf8(&real)
}

/// The absolute path of a program; a plain name is looked up by the client.
fn program(given: &str) -> Result<String, PathError> {
    let path = Path::new(given);
    if path.components().count() < 2 {
        return Ok(given.to_owned());
    }
    let real = std::path::absolute(path).ok();
    let real = real.filter(|real| real.is_file());
    utf8(&real.ok_or_else(|| PathError::NoProgram(path.to_owned()))?)
}

pub(crate) fn shown(path: &Path) -> String {
    escape_line(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_absolute_and_names_are_left_to_the_client() {
        let here = fs::canonicalize(".").unwrap();
        let words = Server::Folder(".".into()).arguments().unwrap();
        assert_eq!(words, ["serve", here.to_str().unwrap()]);
        let words = Server::Command(vec!["npx".to_owned(), "./x".to_owned()]);
        let words = words.arguments().unwrap();
        assert_eq!(words, ["connect", "--", "npx", "./x"]);
        let missing = Server::Command(vec!["./no/such/program".to_owned()]);
        assert!(matches!(missing.arguments(), Err(PathError::NoProgram(_))));
        let missing = Server::Folder("/no/such/folder".into()).arguments();
        let hint = missing.unwrap_err().hint();
        assert_eq!(hint, "linkspan new /no/such/folder makes a folder");
    }

    #[test]
    fn the_options_of_a_url_come_before_it() {
        let server = Server::Url {
            url: "https://x/mcp".to_owned(),
            options: vec!["--insecure-http".to_owned()],
        };
        let words = server.arguments().unwrap();
        assert_eq!(words, ["connect", "--insecure-http", "https://x/mcp"]);
    }
}
