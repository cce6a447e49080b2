//! The entry of a server in the configuration of a client.

use serde_json::{Map, Value, json};

use super::Client;
use crate::connection::{Connection, Variable};
use crate::slot::Slot;

/// Stands for a secret that the user has to write.
pub(crate) const PLACEHOLDER: &str = "…";

/// The members of entries that say how a server is started or where it is, for all clients.
#[rustfmt::skip]
pub(crate) const WRITTEN: [&str; 14] = [
    "type", "command", "cmd", "args", "env", "envs", "env_keys", "env_vars", "environment", "url", "httpUrl",
    "serverUrl", "uri", "headers",
];

impl Client {
    /// The entry of a server.
    pub fn entry(self, name: &str, connection: &Connection) -> Value {
        match connection {
            Connection::Command { program, args, env } => {
                let words = std::iter::once(program).chain(args);
                self.command_entry(name, &words.cloned().collect::<Vec<_>>(), env)
            }
            Connection::Url { url, bridge } => self.url_entry(name, url, bridge),
        }
    }

    fn command_entry(self, name: &str, words: &[String], env: &[Variable]) -> Value {
        let (program, args) = (words.first(), words.get(1..).unwrap_or_default());
        let mut entry = match self {
            Self::VsCode | Self::ClaudeCode | Self::Crush => {
                json!({ "type": "stdio", "command": program, "args": args })
            }
            Self::Continue => json!({ "name": name, "command": program, "args": args }),
            Self::Goose => json!({
                "enabled": true, "type": "stdio", "name": name, "description": "",
                "cmd": program, "args": args, "envs": {}, "env_keys": [], "timeout": 300,
            }),
            Self::OpenCode => json!({ "type": "local", "command": words, "enabled": true }),
            _ => json!({ "command": program, "args": args }),
        };
        let (named, set): (Vec<_>, Vec<_>) = env.iter().partition(|variable| {
            matches!(variable, Variable::Secret(_)) && self.names_variables().is_some()
        });
        let values: Map<String, Value> = set
            .into_iter()
            .map(|variable| match variable {
                Variable::Set(name, value) => (name.clone(), value.clone().into()),
                Variable::Secret(name) => (name.clone(), self.reference(name).into()),
            })
            .collect();
        if !values.is_empty() {
            entry[self.env_member()] = Value::Object(values);
        }
        if let (Some(member), false) = (self.names_variables(), named.is_empty()) {
            let names: Vec<&str> = named.into_iter().map(Variable::name).collect();
            entry[member] = names.into();
        }
        entry
    }

    fn url_entry(self, name: &str, url: &str, bridge: &[String]) -> Value {
        match self {
            Self::ClaudeCode | Self::VsCode | Self::Crush => json!({ "type": "http", "url": url }),
            // Claude Desktop only starts commands.
            Self::ClaudeDesktop => self.command_entry(name, bridge, &[]),
            Self::Cline => json!({ "type": "streamableHttp", "url": url }),
            Self::Codex | Self::Cursor | Self::Kiro | Self::LmStudio | Self::Zed => {
                json!({ "url": url })
            }
            Self::Continue => json!({ "name": name, "type": "streamable-http", "url": url }),
            Self::Gemini => json!({ "httpUrl": url }),
            Self::Goose => json!({
                "enabled": true, "type": "streamable_http", "name": name, "description": "",
                "uri": url, "envs": {}, "env_keys": [], "headers": {}, "timeout": 300,
            }),
            Self::OpenCode => json!({ "type": "remote", "url": url, "enabled": true }),
            Self::Windsurf => json!({ "serverUrl": url }),
        }
    }

    /// The member of an entry with the variables that the client sets.
    pub(crate) fn env_member(self) -> &'static str {
        match self {
            Self::Goose => "envs",
            Self::OpenCode => "environment",
            _ => "env",
        }
    }

    /// The member of an entry with the names of variables that the client passes on, if it has one.
    pub(crate) fn names_variables(self) -> Option<&'static str> {
        match self {
            Self::Codex => Some("env_vars"),
            Self::Goose => Some("env_keys"),
            _ => None,
        }
    }

    /// What a client replaces by a secret when it starts the server.
    fn reference(self, name: &str) -> String {
        match self {
            Self::ClaudeCode | Self::Kiro => format!("${{{name}}}"),
            Self::Cursor | Self::Windsurf => format!("${{env:{name}}}"),
            Self::Crush | Self::Gemini => format!("${name}"),
            Self::OpenCode => format!("{{env:{name}}}"),
            Self::Continue => format!("${{{{ secrets.{name} }}}}"),
            Self::VsCode => format!("${{input:{name}}}"),
            Self::ClaudeDesktop
            | Self::Cline
            | Self::Codex
            | Self::Goose
            | Self::LmStudio
            | Self::Zed => PLACEHOLDER.to_owned(),
        }
    }

    /// Where the user puts the value of a secret.
    pub fn secret_hint(self, name: &str) -> String {
        match self {
            Self::ClaudeCode | Self::Codex | Self::Crush | Self::Gemini | Self::OpenCode => {
                format!("set {name} in the shell that starts {}", self.title())
            }
            Self::Cursor | Self::Windsurf => {
                format!("set {name} in the environment of {}", self.title())
            }
            Self::Kiro => format!("set {name} in the environment of Kiro, and approve it there"),
            Self::Continue => format!("put {name}=VALUE into .continue/.env in your home"),
            Self::Goose => format!("set {name} in the shell, or store it with goose configure"),
            Self::VsCode => format!("Visual Studio Code asks for {name} at the first start"),
            Self::ClaudeDesktop | Self::Cline | Self::LmStudio | Self::Zed => {
                format!("put the value of {name} into its `env`, in place of {PLACEHOLDER}")
            }
        }
    }

    /// The questions that the client asks the user for the secrets of a server: their place and value.
    pub(crate) fn inputs(self, connection: &Connection) -> Vec<(Slot<'_>, Value)> {
        let Connection::Command { env, .. } = connection else {
            return Vec::new();
        };
        let secrets = env.iter().filter_map(|variable| match variable {
            Variable::Secret(name) if self == Self::VsCode => Some(name.as_str()),
            _ => None,
        });
        secrets
            .map(|name| {
                let slot = Slot {
                    key: "inputs",
                    named_by: Some("id"),
                    name,
                };
                let question = json!({
                    "type": "promptString", "id": name, "description": name, "password": true,
                });
                (slot, question)
            })
            .collect()
    }

    /// The command line of an entry.
    pub fn command_line(self, entry: &Value) -> Option<Vec<&str>> {
        let words = self.command_words(entry)?;
        let (program, args) = words.split_first()?;
        let args = args.iter().map(|word| word.as_str());
        let args = args.collect::<Option<Vec<_>>>().unwrap_or_default();
        Some(std::iter::once(program.as_str()?).chain(args).collect())
    }

    /// The program of an entry and its arguments, which may be numbers.
    pub(crate) fn command_words(self, entry: &Value) -> Option<Vec<&Value>> {
        let (program, args) = match self {
            Self::Goose => (entry.get("cmd")?, entry.get("args")),
            Self::OpenCode => return Some(entry.get("command")?.as_array()?.iter().collect()),
            // Zed once had the path, the arguments and the variables below `command`.
            Self::Zed if entry["command"].is_object() => {
                let command = &entry["command"];
                (command.get("path")?, command.get("args"))
            }
            _ => (entry.get("command")?, entry.get("args")),
        };
        let args = args.and_then(Value::as_array).into_iter().flatten();
        Some(std::iter::once(program).chain(args).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn command() -> Connection {
        Connection::Command {
            program: "p".to_owned(),
            args: words(&["a", "b"]),
            env: vec![
                Variable::Set("PATH".to_owned(), "/bin".to_owned()),
                Variable::Secret("TOKEN".to_owned()),
            ],
        }
    }

    #[test]
    fn every_client_has_the_form_of_its_entries() {
        #[rustfmt::skip]
        let all = [
            (Client::ClaudeCode, json!({"type": "stdio", "command": "p", "args": ["a", "b"],
                "env": {"PATH": "/bin", "TOKEN": "${TOKEN}"}})),
            (Client::ClaudeDesktop, json!({"command": "p", "args": ["a", "b"],
                "env": {"PATH": "/bin", "TOKEN": "…"}})),
            (Client::Cline, json!({"command": "p", "args": ["a", "b"], "env": {"PATH": "/bin", "TOKEN": "…"}})),
            (Client::Codex, json!({"command": "p", "args": ["a", "b"], "env": {"PATH": "/bin"},
                "env_vars": ["TOKEN"]})),
            (Client::Continue, json!({"name": "x", "command": "p", "args": ["a", "b"],
                "env": {"PATH": "/bin", "TOKEN": "${{ secrets.TOKEN }}"}})),
            (Client::Crush, json!({"type": "stdio", "command": "p", "args": ["a", "b"],
                "env": {"PATH": "/bin", "TOKEN": "$TOKEN"}})),
            (Client::Cursor, json!({"command": "p", "args": ["a", "b"],
                "env": {"PATH": "/bin", "TOKEN": "${env:TOKEN}"}})),
            (Client::Gemini, json!({"command": "p", "args": ["a", "b"],
                "env": {"PATH": "/bin", "TOKEN": "$TOKEN"}})),
            (Client::Goose, json!({"enabled": true, "type": "stdio", "name": "x", "description": "", "cmd": "p",
                "args": ["a", "b"], "envs": {"PATH": "/bin"}, "env_keys": ["TOKEN"], "timeout": 300})),
            (Client::Kiro, json!({"command": "p", "args": ["a", "b"],
                "env": {"PATH": "/bin", "TOKEN": "${TOKEN}"}})),
            (Client::LmStudio, json!({"command": "p", "args": ["a", "b"],
                "env": {"PATH": "/bin", "TOKEN": "…"}})),
            (Client::OpenCode, json!({"type": "local", "command": ["p", "a", "b"], "enabled": true,
                "environment": {"PATH": "/bin", "TOKEN": "{env:TOKEN}"}})),
            (Client::VsCode, json!({"type": "stdio", "command": "p", "args": ["a", "b"],
                "env": {"PATH": "/bin", "TOKEN": "${input:TOKEN}"}})),
            (Client::Windsurf, json!({"command": "p", "args": ["a", "b"],
                "env": {"PATH": "/bin", "TOKEN": "${env:TOKEN}"}})),
            (Client::Zed, json!({"command": "p", "args": ["a", "b"], "env": {"PATH": "/bin", "TOKEN": "…"}})),
        ];
        assert_eq!(all.len(), Client::ALL.len());
        for (client, entry) in all {
            assert_eq!(client.entry("x", &command()), entry, "{client:?}");
            assert_eq!(
                client.command_line(&entry),
                Some(vec!["p", "a", "b"]),
                "{client:?}"
            );
        }
    }

    #[test]
    fn a_client_that_only_starts_commands_gets_the_bridge_for_a_url() {
        let url = "http://x/mcp";
        let connection = Connection::Url {
            url: url.to_owned(),
            bridge: words(&["bridge", "connect", url]),
        };
        let entry = |client: Client| client.entry("x", &connection);
        assert_eq!(
            entry(Client::ClaudeDesktop),
            json!({"command": "bridge", "args": ["connect", url]})
        );
        assert_eq!(entry(Client::Zed), json!({"url": url}));
        assert_eq!(entry(Client::Gemini), json!({"httpUrl": url}));
        assert_eq!(entry(Client::Windsurf), json!({"serverUrl": url}));
        assert_eq!(entry(Client::Goose)["uri"], url);
        assert_eq!(entry(Client::OpenCode)["type"], "remote");
        assert_eq!(entry(Client::Cline)["type"], "streamableHttp");
        assert_eq!(entry(Client::Continue)["type"], "streamable-http");
    }
}
