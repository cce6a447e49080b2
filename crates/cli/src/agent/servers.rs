//! MCP servers that the user lets the agent have. A client can choose among them, and add none: a
//! server is a command, and commands come from the user only.

use std::path::{Path, PathBuf};

use linkspan_acp::client::Hello;
use serde_json::{Map, Value, json};

use super::running::Trouble;
use crate::exit::Failure;

/// Nobody has a longer list of servers than this.
const MOST_BYTES: u64 = 1 << 20;

/// Servers by name.
#[derive(Default)]
pub(super) struct Servers(Vec<Server>);

struct Server {
    name: String,
    kind: Kind,
    /// As a session is told about it.
    entry: Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stdio,
    Http,
    Sse,
}

impl Servers {
    /// From a file as clients have them: `{"mcpServers": {NAME: {"command": …} or {"url": …}}}`.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |why: String| {
            Failure::usage(format!("--mcp-servers {}: {why}", path.display())).hint(
                r#"for example {"mcpServers":{"git":{"command":"uvx","args":["mcp-server-git"]}}}"#,
            )
        };
        let size = std::fs::metadata(path)
            .map_err(|e| wrong(e.to_string()))?
            .len();
        if size > MOST_BYTES {
            return Err(wrong("it is too large to be a list of servers".to_owned()));
        }
        let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
        let json: Value = serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
        let Some(all) = json.get("mcpServers").and_then(Value::as_object) else {
            return Err(wrong("it has no object `mcpServers`".to_owned()));
        };
        let servers = all.iter().map(|(name, entry)| {
            Server::read(name, entry).map_err(|why| wrong(format!("`{name}`: {why}")))
        });
        servers.collect::<Result<_, _>>().map(Self)
    }

    /// What they are called.
    pub(super) fn names(&self) -> Vec<&str> {
        self.0.iter().map(|server| &*server.name).collect()
    }

    /// Those that are chosen, or all, as `mcpServers` of a session.
    pub(super) fn entries(
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
    fn read(name: &str, entry: &Value) -> Result<Self, String> {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let (kind, entry) = match (text("command"), text("url")) {
            (Some(command), None) => {
                let args = entry.get("args").cloned().unwrap_or_else(|| json!([]));
                let strings = |list: &Vec<Value>| list.iter().all(Value::is_string);
                if !args.as_array().is_some_and(strings) {
                    return Err("`args` must be a list of strings".to_owned());
                }
                let env = pairs(entry.get("env")).ok_or("`env` must be an object of strings")?;
                let command = absolute(command).to_string_lossy().into_owned();
                (
                    Kind::Stdio,
                    json!({"name": name, "command": command, "args": args, "env": env}),
                )
            }
            (None, Some(url)) => {
                let headers = pairs(entry.get("headers"));
                let headers = headers.ok_or("`headers` must be an object of strings")?;
                let (kind, word) = match text("type").or_else(|| text("transport")) {
                    Some("sse") => (Kind::Sse, "sse"),
                    _ => (Kind::Http, "http"),
                };
                (
                    kind,
                    json!({"type": word, "name": name, "url": url, "headers": headers}),
                )
            }
            _ => return Err("it must have either `command` or `url`".to_owned()),
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

/// Where a command is; agents need not look for it as we would.
fn absolute(command: &str) -> PathBuf {
    let path = Path::new(command);
    if path.components().count() > 1 {
        return std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    }
    let dirs = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&dirs).map(|dir| dir.join(path));
    found
        .find(|file| file.is_absolute() && file.is_file())
        .unwrap_or_else(|| path.to_owned())
}
