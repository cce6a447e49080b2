//! MCP servers that the user lets the agent have. A client can choose among them, and add none: a
//! server is a command, and commands come from the user only.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use linkspan_acp::client::Hello;
use serde_json::{Map, Value, json};

use crate::running::Trouble;

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
    /// It is larger than any list of servers.
    #[error("it is too large to be a list of servers")]
    TooLarge,
    /// It is not JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The member is missing.
    #[error("it has no object `mcpServers`")]
    NoServers,
    /// One entry is wrong.
    #[error("`{name}`: {source}")]
    Server {
        /// The name of the server.
        name: String,
        /// What is wrong.
        source: ServerError,
    },
}

/// What is wrong with the entry of one server.
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
    /// Both or neither of the two are there.
    #[error("it must have either `command` or `url`")]
    NoAddress,
}

#[derive(Debug)]
struct Server {
    name: String,
    kind: Kind,
    /// As a session is told about it.
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

    /// What they are called.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.0.iter().map(|server| &*server.name).collect()
    }

    /// Those that are chosen, or all, as `mcpServers` of a session.
    pub(crate) fn entries(
        &self,
        chosen: Option<&[String]>,
        hello: &Hello,
    ) -> Result<String, Trouble> {
        let mut entries = Vec::new();
        let unknown = chosen
            .unwrap_or_default()
            .iter()
            .find(|name| !self.0.iter().any(|server| server.name == **name));
        if let Some(name) = unknown {
            return Err(match self.0.is_empty() {
                true => "no MCP servers were given to linkspan with --mcp-servers, and a client cannot add any".to_owned(),
                false => format!("there is no MCP server `{name}`; there are: {}", self.names().join(", ")),
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
                    return Err(format!(
                        "this agent cannot use the MCP server `{}`: it takes commands only",
                        server.name
                    ));
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

/// A map as ACP wants it: a list of names and values.
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

/// The absolute path of a command: the agent may have another search path.
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
