//! `mcp-bash config`: the client configuration of a project's server.

use std::path::{Path, PathBuf};

use linkspan_scripts::author::draft::Draft;
use linkspan_scripts::author::names;
use linkspan_spawn::shell_quoted;
use linkspan_wire::replace_unprintable;
use serde_json::{Value, json};

use super::drafts::{PROFILE, WRAPPER, not_there};
use super::error::shown;
use super::{AuthorError, UsageError, Words};
use crate::{Project, Vars};

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

/// A parsed `config` command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigRequest {
    /// The project.
    pub root: PathBuf,
    form: Form,
}

/// What is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    Json,
    Wrapper { with_profile: bool },
    Inspector,
    Client(String),
    AllClients,
}

/// What is printed about a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigOutput {
    /// For the author.
    pub note: Option<String>,
    /// For stdout.
    pub text: Option<String>,
}

impl ConfigRequest {
    /// Parses the words after `config`; `here` is the current folder.
    pub fn parse(mut words: Words, vars: &Vars, here: Option<&Path>) -> Result<Self, UsageError> {
        let _ = words.flag("--show");
        let as_json = words.flag("--json");
        let with_profile = words.flag("--wrapper-env");
        let with_wrapper = words.flag("--wrapper") || with_profile;
        let inspector = words.flag("--inspector");
        let client = words.value("--client")?;
        let root = words.project(vars, here)?;
        words.end("config")?;
        let form = match client {
            _ if as_json => Form::Json,
            _ if with_wrapper => Form::Wrapper { with_profile },
            _ if inspector => Form::Inspector,
            Some(client) => Form::Client(client),
            None => Form::AllClients,
        };
        Ok(Self { root, form })
    }

    /// What is printed. With `to_file`, a script is written to a file instead, if its name allows that.
    pub fn output(&self, start: &Start, to_file: bool) -> Result<ConfigOutput, AuthorError> {
        let mut note = None;
        let text = match &self.form {
            Form::Json => pretty(&start.alone()),
            Form::Inspector => replace_unprintable(&start.inspector()),
            Form::Client(word) => pretty(&start.entry(ClientConfig::by_word(word)?)),
            Form::AllClients => {
                let entry = |client: &ClientConfig| {
                    format!("# {}\n{}\n", client.title, pretty(&start.entry(client)))
                };
                CLIENTS.iter().map(entry).collect::<Vec<_>>().join("\n")
            }
            Form::Wrapper { with_profile } => {
                if names::check(&start.name).is_err() {
                    let why = "The server's name contains invalid characters for a file; the script is printed instead.";
                    note = Some(why.to_owned());
                } else if to_file {
                    let path = start.write_wrapper(*with_profile)?;
                    return Ok(ConfigOutput {
                        note: Some(format!("Wrapper script created: {}", shown(&path))),
                        text: None,
                    });
                }
                wrapper(*with_profile).trim_end().to_owned()
            }
        };
        let text = Some(text);
        Ok(ConfigOutput { note, text })
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn utf8(path: &Path) -> Result<String, AuthorError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| AuthorError::NotUtf8(path.to_owned()))
}
