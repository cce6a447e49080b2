//! The supported clients: the location and the form of their configuration.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::connection::Connection;
use crate::system::{Location, System};

/// A known client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    VsCode,
    /// Zed
    Zed,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Cursor,
        Self::VsCode,
        Self::Zed,
    ];

    /// The name of the product.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::VsCode => "Visual Studio Code",
            Self::Zed => "Zed",
        }
    }

    /// A short name for command lines and JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Zed => "zed",
        }
    }

    /// The client with this [id](Self::id).
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.id() == id)
    }

    /// The member of its configuration with the servers.
    pub fn key(self) -> &'static str {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor => "mcpServers",
            Self::VsCode => "servers",
            Self::Zed => "context_servers",
        }
    }

    /// The location of its configuration; in the project, if the client supports that.
    pub fn location(self, system: &System) -> Location {
        let found = match self {
            Self::ClaudeCode => Some(PathBuf::from(".mcp.json")),
            Self::VsCode => Some(Path::new(".vscode").join("mcp.json")),
            Self::Cursor => system.in_home(".cursor/mcp.json"),
            Self::ClaudeDesktop if system.is_mac => {
                system.in_home("Library/Application Support/Claude/claude_desktop_config.json")
            }
            Self::ClaudeDesktop => system.in_config("Claude/claude_desktop_config.json"),
            Self::Zed if system.is_windows => system.in_config("Zed/settings.json"),
            // Also on macOS, where XDG_CONFIG_HOME is not used.
            Self::Zed if system.is_mac => system.in_home(".config/zed/settings.json"),
            Self::Zed => system.in_config("zed/settings.json"),
        };
        let name = match self {
            Self::ClaudeDesktop => "claude_desktop_config.json",
            Self::Cursor => ".cursor/mcp.json in your home",
            _ => "its settings.json",
        };
        found.map_or(Location::Unknown(name), Location::File)
    }

    /// The entry of a server.
    pub fn entry(self, connection: &Connection) -> Value {
        match connection {
            Connection::Command { program, args, env } => {
                let mut entry = json!({});
                if matches!(self, Self::VsCode | Self::ClaudeCode) {
                    entry["type"] = "stdio".into();
                }
                entry["command"] = program.clone().into();
                entry["args"] = args.clone().into();
                if !env.is_empty() {
                    entry["env"] = Value::Object(environment(env));
                }
                entry
            }
            Connection::Url { url, bridge } => match self {
                Self::ClaudeCode | Self::VsCode => json!({ "type": "http", "url": url }),
                Self::Cursor | Self::Zed => json!({ "url": url }),
                // Claude Desktop only starts commands.
                Self::ClaudeDesktop => {
                    json!({ "command": bridge.first(), "args": bridge.get(1..) })
                }
            },
        }
    }

    /// A whole configuration with this server only.
    pub fn snippet(self, name: &str, connection: &Connection) -> Value {
        json!({ self.key(): { name: self.entry(connection) } })
    }

    /// The command of the client that adds the server, if it has one.
    pub fn command(self, name: &str, connection: &Connection) -> Option<Vec<String>> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match (self, connection) {
            (Self::ClaudeCode, Connection::Url { url, .. }) => Some(words(&[
                "claude",
                "mcp",
                "add",
                "--transport",
                "http",
                name,
                url,
            ])),
            (Self::ClaudeCode, Connection::Command { program, args, env }) => {
                let mut command: Vec<String> = words(&["claude", "mcp", "add", name]);
                for (variable, value) in env {
                    command.extend(["--env".to_owned(), format!("{variable}={value}")]);
                }
                command.extend(["--".to_owned(), program.clone()]);
                command.extend(args.clone());
                Some(command)
            }
            (Self::VsCode, _) => {
                let mut entry = json!({ "name": name });
                if let (Value::Object(all), Value::Object(more)) =
                    (&mut entry, self.entry(connection))
                {
                    all.extend(more);
                }
                Some(words(&["code", "--add-mcp", &entry.to_string()]))
            }
            _ => None,
        }
    }

    /// What the user has to do before the client uses the server.
    pub fn afterwards(self) -> &'static str {
        match self {
            Self::ClaudeCode => "start claude in this folder and allow the server when it asks",
            Self::ClaudeDesktop => "quit Claude Desktop and start it again",
            Self::Cursor => "switch the server on in Cursor's settings, under MCP",
            Self::VsCode => "start the server from the file, or with MCP: List Servers",
            Self::Zed => "Zed sees it at once; its agent panel shows whether it runs",
        }
    }
}

/// The variables of an entry.
fn environment(env: &[(String, String)]) -> Map<String, Value> {
    let members = env.iter();
    members
        .map(|(name, value)| (name.clone(), value.clone().into()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(is_mac: bool, is_windows: bool) -> System {
        System {
            home: Some("/h".into()),
            config: is_windows.then(|| "/a".into()),
            is_mac,
            is_windows,
        }
    }

    #[test]
    fn every_client_has_a_location_on_every_system() {
        let all = [on(false, false), on(true, false), on(false, true)];
        for client in Client::ALL {
            for system in &all {
                assert!(client.location(system).path().is_some(), "{client:?}");
            }
        }
        let desktop = |system| Client::ClaudeDesktop.location(&system);
        let file = |path: &str| Location::File(path.into());
        assert_eq!(
            desktop(on(true, false)),
            file("/h/Library/Application Support/Claude/claude_desktop_config.json")
        );
        assert_eq!(
            desktop(on(false, false)),
            file("/h/.config/Claude/claude_desktop_config.json")
        );
        assert_eq!(
            Client::Zed.location(&on(false, true)),
            file("/a/Zed/settings.json")
        );
    }

    #[test]
    fn a_client_that_only_starts_commands_gets_the_bridge_for_a_url() {
        let connection = Connection::Url {
            url: "http://x/mcp".to_owned(),
            bridge: ["bridge", "connect", "http://x/mcp"]
                .map(str::to_owned)
                .into(),
        };
        assert_eq!(
            Client::ClaudeDesktop.entry(&connection),
            json!({"command": "bridge", "args": ["connect", "http://x/mcp"]})
        );
        assert_eq!(
            Client::Zed.entry(&connection),
            json!({"url": "http://x/mcp"})
        );
    }

    #[test]
    fn variables_are_part_of_the_entry_and_of_the_command() {
        let connection = Connection::Command {
            program: "p".to_owned(),
            args: vec!["a".to_owned()],
            env: vec![("TOKEN".to_owned(), "…".to_owned())],
        };
        let entry = Client::ClaudeDesktop.entry(&connection);
        assert_eq!(entry["env"], json!({"TOKEN": "…"}));
        let command = Client::ClaudeCode.command("x", &connection).unwrap();
        assert_eq!(command.join(" "), "claude mcp add x --env TOKEN=… -- p a");
    }

    #[test]
    fn every_client_is_found_by_its_id() {
        for client in Client::ALL {
            assert_eq!(Client::by_id(client.id()), Some(client));
        }
        assert_eq!(Client::by_id("other"), None);
    }

    #[test]
    fn without_a_home_some_locations_are_unknown() {
        let homeless = System::default();
        assert!(Client::Zed.location(&homeless).path().is_none());
        assert!(Client::ClaudeCode.location(&homeless).path().is_some());
    }
}
