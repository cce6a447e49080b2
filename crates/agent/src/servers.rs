//! The MCP servers that the user allows the agent to use. A client can select some of them but cannot add
//! any: a server is a command, and only the user names commands.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use linkspan_acp::client::Hello;
use serde_json::{Map, Value, json};

use crate::error::ToolError;

/// The largest file that is read.
const MAX_BYTES: u64 = 1 << 20;

/// MCP servers by name.
#[derive(Debug, Default)]
pub struct Servers(Vec<Server>);

/// Why a file is not a list of servers.
#[derive(Debug, thiserror::Error)]
pub enum ServersError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is larger than the limit.
    #[error("it is too large to be a list of servers")]
    TooLarge,
    /// It is not JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The member is missing.
    #[error("it has no object `mcpServers`")]
    NoServers,
    /// An entry is invalid.
    #[error("`{name}`: {source}")]
    Server {
        /// The name of the server.
        name: String,
        /// The mistake in the entry.
        source: ServerError,
    },
}

/// The mistake in the entry of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// `args` has another type.
    #[error("`args` must be a list of strings")]
    Args,
    /// `env` has another type.
    #[error("`env` must be an object of strings")]
    Env,
    /// `headers` has another type.
    #[error("`headers` must be an object of strings")]
    Headers,
    /// Both or neither of the members are present.
    #[error("it must have either `command` or `url`")]
    NoAddress,
}

#[derive(Debug)]
struct Server {
    name: String,
    kind: Kind,
    /// The entry in `mcpServers` of a session.
    entry: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stdio,
    Http,
    Sse,
}

impl Servers {
    /// Reads a file of the form that clients use: `{"mcpServers": {NAME: {"command": …} or {"url": …}}}`.
    /// Commands without a folder are looked up in `search_path`, which has the form of `PATH`.
    pub fn read(path: &Path, search_path: &OsStr) -> Result<Self, ServersError> {
        if std::fs::metadata(path)?.len() > MAX_BYTES {
            return Err(ServersError::TooLarge);
        }
        let json: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        let all = json.get("mcpServers").and_then(Value::as_object);
        let servers = all.ok_or(ServersError::NoServers)?.iter();
        let servers = servers.map(|(name, entry)| {
            Server::read(name, entry, search_path).map_err(|source| ServersError::Server {
                name: name.clone(),
                source,
            })
        });
        servers.collect::<Result<_, _>>().map(Self)
    }

    /// The names of all servers.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.0.iter().map(|server| &*server.name).collect()
    }

    /// The selected servers, or all, as `mcpServers` of a session.
    pub(crate) fn entries(
        &self,
        chosen: Option<&[String]>,
        hello: &Hello,
    ) -> Result<String, ToolError> {
        let mut entries = Vec::new();
        let unknown = chosen
            .unwrap_or_default()
            .iter()
            .find(|name| !self.0.iter().any(|server| server.name == **name));
        if let Some(name) = unknown {
            if self.0.is_empty() {
                return Err(ToolError::NoServers);
            }
            return Err(ToolError::UnknownServer {
                name: name.clone(),
                known: self.names().into_iter().map(str::to_owned).collect(),
            });
        }
        for server in &self.0 {
            let is_chosen = chosen.is_none_or(|names| names.contains(&server.name));
            let can = match server.kind {
                Kind::Stdio => true,
                Kind::Http => hello.http,
                Kind::Sse => hello.sse,
            };
            match (is_chosen, can) {
                (false, _) => {}
                (true, true) => entries.push(server.entry.clone()),
                (true, false) if chosen.is_some() => {
                    return Err(ToolError::ServerNotTaken(server.name.clone()));
                }
                (true, false) => {
                    tracing::warn!("the agent cannot use the MCP server `{}`", server.name);
                }
            }
        }
        Ok(Value::Array(entries).to_string())
    }
}

impl Server {
    fn read(name: &str, entry: &Value, search_path: &OsStr) -> Result<Self, ServerError> {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let (kind, entry) = match (text("command"), text("url")) {
            (Some(command), None) => {
                let args = entry.get("args").cloned().unwrap_or_else(|| json!([]));
                let strings = |list: &Vec<Value>| list.iter().all(Value::is_string);
                if !args.as_array().is_some_and(strings) {
                    return Err(ServerError::Args);
                }
                let env = pairs(entry.get("env")).ok_or(ServerError::Env)?;
                let command = absolute(command, search_path)
                    .to_string_lossy()
                    .into_owned();
                (
                    Kind::Stdio,
                    json!({"name": name, "command": command, "args": args, "env": env}),
                )
            }
            (None, Some(url)) => {
                let headers = pairs(entry.get("headers"));
                let headers = headers.ok_or(ServerError::Headers)?;
                let (kind, word) = match text("type").or_else(|| text("transport")) {
                    Some("sse") => (Kind::Sse, "sse"),
                    _ => (Kind::Http, "http"),
                };
                (
                    kind,
                    json!({"type": word, "name": name, "url": url, "headers": headers}),
                )
            }
            _ => return Err(ServerError::NoAddress),
        };
        Ok(Self {
            name: name.to_owned(),
            kind,
            entry,
        })
    }
}

/// A map in ACP's form: a list of names and values.
fn pairs(map: Option<&Value>) -> Option<Value> {
    let none = Map::new();
    let map = match map {
        None | Some(Value::Null) => &none,
        Some(map) => map.as_object()?,
    };
    let pairs = map
        .iter()
        .map(|(name, value)| Some(json!({"name": name, "value": value.as_str()?})));
    pairs.collect::<Option<Vec<_>>>().map(Value::Array)
}

/// The absolute path of a command: the agent's search path may differ.
fn absolute(command: &str, search_path: &OsStr) -> PathBuf {
    let path = Path::new(command);
    if path.components().count() > 1 {
        return std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    }
    let mut found = std::env::split_paths(search_path).map(|dir| dir.join(path));
    found
        .find(|file| file.is_absolute() && file.is_file())
        .unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Servers, ServersError> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("servers.json");
        std::fs::write(&file, text).unwrap();
        Servers::read(&file, OsStr::new(""))
    }

    #[test]
    fn an_entry_is_a_command_or_a_url() {
        let servers = read(
            r#"{"mcpServers":{"a":{"command":"/bin/a","env":{"K":"v"}},"b":{"url":"http://b","type":"sse"}}}"#,
        )
        .unwrap();
        assert_eq!(servers.names(), ["a", "b"]);
        assert_eq!(
            servers.0[0].entry.to_string(),
            r#"{"name":"a","command":"/bin/a","args":[],"env":[{"name":"K","value":"v"}]}"#
        );
        assert_eq!(
            servers.0[1].entry.to_string(),
            r#"{"type":"sse","name":"b","url":"http://b","headers":[]}"#
        );
    }

    #[test]
    fn the_error_names_the_wrong_entry() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(error("{}"), "it has no object `mcpServers`");
        assert_eq!(
            error(r#"{"mcpServers":{"x":{}}}"#),
            "`x`: it must have either `command` or `url`"
        );
        assert_eq!(
            error(r#"{"mcpServers":{"x":{"command":"a","args":"b"}}}"#),
            "`x`: `args` must be a list of strings"
        );
        let large = format!("{}{{}}", " ".repeat(MAX_BYTES as usize));
        assert!(matches!(read(&large), Err(ServersError::TooLarge)));
    }

    #[test]
    fn a_command_is_looked_up_in_the_given_search_path() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("tool");
        std::fs::write(&program, "").unwrap();
        assert_eq!(absolute("tool", dir.path().as_os_str()), program);
        assert_eq!(
            absolute("other", dir.path().as_os_str()),
            Path::new("other")
        );
    }
}
