//! `mcp-bash config`: the client configuration of a project's server.

use std::path::{Path, PathBuf};

use linkspan_scripts::author::draft::Draft;
use linkspan_spawn::shell_quoted;
use serde_json::{Value, json};

use super::drafts::{PROFILE, WRAPPER, not_there};
use super::{AuthorError, UsageError};
use crate::Project;

/// A client whose configuration format is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientConfig {
    /// The value of `--client`.
    pub word: &'static str,
    /// Its name.
    pub title: &'static str,
    under_mcp_servers: bool,
}

/// The clients.
pub const CLIENTS: [ClientConfig; 5] = [
    client("claude-desktop", "Claude Desktop", true),
    client("cursor", "Cursor", true),
    client("claude-cli", "Claude CLI", false),
    client("windsurf", "Windsurf", true),
    client("librechat", "LibreChat", false),
];

const fn client(word: &'static str, title: &'static str, under_mcp_servers: bool) -> ClientConfig {
    ClientConfig {
        word,
        title,
        under_mcp_servers,
    }
}

impl ClientConfig {
    /// The client with this `--client` value.
    pub fn by_word(word: &str) -> Result<&'static Self, UsageError> {
        let known = CLIENTS.iter().find(|known| known.word == word);
        known.ok_or_else(|| UsageError::Client(word.to_owned()))
    }
}

/// The command by which a client starts the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The name of the server.
    pub name: String,
    root: String,
    command: String,
    args: Vec<String>,
    allow: String,
}

impl Start {
    /// The start command of a project's server: a program with arguments. `allow` names the tools that may be
    /// called.
    pub fn new(
        project: &Project,
        program: &Path,
        args: Vec<String>,
        allow: Option<&str>,
    ) -> Result<Self, AuthorError> {
        let name = project.server.shown["name"].as_str().unwrap_or_default();
        // mcp-bash refuses every tool without an allow list, and the printed configuration should work.
        let allow = allow.unwrap_or("*");
        Ok(Self {
            name: name.to_owned(),
            root: utf8(&project.places.root)?,
            command: utf8(program)?,
            args,
            allow: allow.to_owned(),
        })
    }

    fn started(&self) -> Value {
        json!({
            "command": self.command,
            "args": self.args,
            "env": {
                "MCPBASH_PROJECT_ROOT": self.root,
                "MCPBASH_TOOL_ALLOWLIST": self.allow,
            },
        })
    }

    /// One object with the name and the command.
    pub fn alone(&self) -> Value {
        let mut all = json!({ "name": self.name });
        if let (Value::Object(all), Value::Object(more)) = (&mut all, self.started()) {
            all.extend(more);
        }
        all
    }

    /// The entry in a client's configuration.
    pub fn entry(&self, client: &ClientConfig) -> Value {
        if client.under_mcp_servers {
            json!({ "mcpServers": { &self.name: self.started() } })
        } else {
            self.alone()
        }
    }

    /// The command that starts the MCP inspector, for a shell.
    pub fn inspector(&self) -> String {
        let mut words = vec![
            "npx".to_owned(),
            "@modelcontextprotocol/inspector".to_owned(),
        ];
        for (name, value) in [
            ("MCPBASH_PROJECT_ROOT", &self.root),
            ("MCPBASH_TOOL_ALLOWLIST", &self.allow),
        ] {
            words.extend(["-e".to_owned(), format!("{name}={value}")]);
        }
        words.extend(["--transport", "stdio", "--"].map(str::to_owned));
        words.push(self.command.clone());
        words.extend(self.args.clone());
        let words: Vec<String> = words.iter().map(|word| shell_quoted(word)).collect();
        words.join(" ")
    }

    /// Writes the script of [`wrapper`] into the project, under the name of the server; returns its path.
    pub fn write_wrapper(&self, with_profile: bool) -> Result<PathBuf, AuthorError> {
        let path = Path::new(&self.root).join(format!("{}.sh", self.name));
        not_there(&path)?;
        Draft::program("", wrapper(with_profile))
            .write_to(&path)
            .map_err(|e| AuthorError::write(&path, e))?;
        Ok(path)
    }
}

/// A script that serves the project in its own folder, optionally with the user's login profile.
pub fn wrapper(with_profile: bool) -> String {
    WRAPPER.replace("@PROFILE@\n", if with_profile { PROFILE } else { "" })
}

fn utf8(path: &Path) -> Result<String, AuthorError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| AuthorError::NotUtf8(path.to_owned()))
}
