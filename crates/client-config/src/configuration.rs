//! A server in the configuration of a client: as text for the user, as JSON, and merged into the client's
//! file.

use std::io::{self, Write};

use linkspan_spawn::shell_quoted;
use linkspan_wire::{escape_line, replace_unprintable};
use serde_json::{Value, json};

use crate::clients::Client;
use crate::connection::Connection;
use crate::merge::{MergeError, Merged, merge};
use crate::server::shown;
use crate::system::Location;

/// A server in the configuration of a client.
#[derive(Debug, Clone)]
pub struct Configuration<'a> {
    /// The client.
    pub client: Client,
    /// The location of its configuration.
    pub location: Location,
    /// The name of the server.
    pub name: &'a str,
    /// How the client connects to it.
    pub connection: &'a Connection,
}

impl Configuration<'_> {
    /// The configuration as JSON.
    pub fn to_json(&self) -> Value {
        let Self { client, name, .. } = *self;
        json!({
            "client": client.id(),
            "name": name,
            "file": self.location.path().map(|path| path.to_string_lossy()),
            "key": client.key(),
            "config": client.snippet(name, self.connection),
            "command": client.command(name, self.connection),
        })
    }

    /// Writes the steps for the user.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { client, name, .. } = *self;
        writeln!(out, "{}:", client.title())?;
        let place = match &self.location {
            Location::File(path) => shown(path),
            Location::Unknown(name) => (*name).to_owned(),
        };
        if let Some(command) = client.command(name, self.connection) {
            writeln!(out, "  run this")?;
            writeln!(out, "    {}", typed(&command))?;
            writeln!(out, "  or put this into {place}")?;
        } else {
            writeln!(out, "  put this into {place}")?;
        }
        let snippet = client.snippet(name, self.connection);
        let text = serde_json::to_string_pretty(&snippet).unwrap_or_default();
        for line in text.lines() {
            writeln!(out, "    {}", replace_unprintable(line))?;
        }
        Ok(())
    }

    /// Adds the server to the client's file.
    ///
    /// # Errors If the file is unknown, or cannot be read, edited or written; then it is not changed.
    pub fn merge(&self) -> Result<Merged, MergeError> {
        let client = self.client;
        let file = self.location.path();
        let file = file.ok_or(MergeError::NoFile(client.title()))?;
        merge(
            file,
            client.key(),
            self.name,
            &client.entry(self.connection),
        )
    }
}

/// A command as the user types it into a shell.
fn typed(command: &[String]) -> String {
    let words: Vec<String> = command.iter().map(|word| shell_quoted(word)).collect();
    escape_line(&words.join(" ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection() -> Connection {
        Connection::Command {
            program: "/bin/my program".to_owned(),
            args: vec!["serve".to_owned()],
            env: Vec::new(),
        }
    }

    #[test]
    fn the_text_names_the_command_and_the_file() {
        let configuration = Configuration {
            client: Client::ClaudeCode,
            location: Location::File("/x/.mcp.json".into()),
            name: "mine",
            connection: &connection(),
        };
        let mut out = Vec::new();
        configuration.write(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with(
                "Claude Code:\n  run this\n    claude mcp add mine -- '/bin/my program' serve\n  or put this into /x/.mcp.json\n    {\n"
            ),
            "{text}"
        );
        assert_eq!(configuration.to_json()["file"], "/x/.mcp.json");
    }

    #[test]
    fn a_client_whose_file_is_not_known_cannot_be_configured() {
        let configuration = Configuration {
            client: Client::Zed,
            location: Location::Unknown("its settings.json"),
            name: "mine",
            connection: &connection(),
        };
        let error = configuration.merge().unwrap_err();
        assert!(matches!(error, MergeError::NoFile("Zed")));
        assert_eq!(configuration.to_json()["file"], Value::Null);
    }
}
