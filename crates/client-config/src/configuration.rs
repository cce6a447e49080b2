//! A server in the configuration of a client: as text for the user, and as JSON.

use std::io::{self, Write};

use linkspan_spawn::shell_quoted;
use linkspan_wire::{escape_line, replace_unprintable};
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::place::Place;
use crate::server::shown;
use crate::system::Location;

/// A server in the configuration of a client.
#[derive(Debug, Clone)]
pub struct Configuration<'a> {
    /// The configuration of the client.
    pub place: &'a Place,
    /// The name of the server.
    pub name: &'a str,
    /// How the client connects to it.
    pub connection: &'a Connection,
}

impl Configuration<'_> {
    /// A whole configuration with this server only.
    fn snippet(&self) -> Value {
        let (client, name) = (self.place.client, self.name);
        let entry = client.entry(name, self.connection);
        let mut snippet = client.slot(name).alone(&entry);
        let inputs = client.inputs(self.connection);
        if !inputs.is_empty() {
            let questions: Vec<Value> = inputs.into_iter().map(|(_, question)| question).collect();
            snippet["inputs"] = questions.into();
        }
        snippet
    }

    /// The configuration as JSON.
    pub fn to_json(&self) -> Value {
        let (Place { client, scope, .. }, name) = (self.place, self.name);
        let snippet = self.snippet();
        json!({
            "client": client.id(),
            "name": name,
            "file": self.place.location.path().map(|path| path.to_string_lossy()),
            "format": client.format().name().to_lowercase(),
            "key": client.key(),
            "text": client.format().write(&snippet),
            "config": snippet,
            "command": client.command(*scope, name, self.connection),
        })
    }

    /// All of them as JSON; `alone` leaves the list out if there is only one.
    pub fn json_of(all: &[Self], alone: bool) -> String {
        match all {
            [one] if alone => one.to_json().to_string(),
            _ => Value::from_iter(all.iter().map(Configuration::to_json)).to_string(),
        }
    }

    /// Writes the steps of all for the user.
    pub fn write_all(all: &[Self], out: &mut dyn Write) -> io::Result<()> {
        for (n, one) in all.iter().enumerate() {
            if n > 0 {
                writeln!(out)?;
            }
            one.write(out)?;
        }
        Ok(())
    }

    /// Writes the steps for the user.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (Place { client, scope, .. }, name) = (self.place, self.name);
        writeln!(out, "{}:", client.title())?;
        let place = match &self.place.location {
            Location::File(path) => shown(path),
            Location::Unknown(name) => (*name).to_owned(),
        };
        if let Some(command) = client.command(*scope, name, self.connection) {
            writeln!(out, "  run this")?;
            writeln!(out, "    {}", typed(&command))?;
            writeln!(out, "  or put this into {place}")?;
        } else {
            writeln!(out, "  put this into {place}")?;
        }
        for line in client.format().write(&self.snippet()).lines() {
            writeln!(
                out,
                "{}",
                format!("    {}", replace_unprintable(line)).trim_end()
            )?;
        }
        for secret in self.connection.secrets() {
            writeln!(out, "  {}", client.secret_hint(secret))?;
        }
        Ok(())
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
    use crate::clients::{Client, Scope};
    use crate::connection::Variable;

    fn written(client: Client, connection: &Connection) -> (String, Value) {
        let place = Place {
            client,
            scope: Scope::Project,
            location: Location::File("/x/config".into()),
            project: None,
        };
        let configuration = Configuration {
            place: &place,
            name: "mine",
            connection,
        };
        let mut out = Vec::new();
        configuration.write(&mut out).unwrap();
        (String::from_utf8(out).unwrap(), configuration.to_json())
    }

    fn connection() -> Connection {
        Connection::Command {
            program: "/bin/my program".to_owned(),
            args: vec!["serve".to_owned()],
            env: vec![Variable::Secret("KEY".to_owned())],
        }
    }

    #[test]
    fn the_text_names_the_command_and_the_file() {
        let (text, json) = written(Client::ClaudeCode, &connection());
        assert!(
            text.starts_with(
                "Claude Code:\n  run this\n    claude mcp add --scope project mine --env 'KEY=${KEY}' -- '/bin/my program' serve\n  or put this into /x/config\n    {\n"
            ),
            "{text}"
        );
        assert_eq!(json["file"], "/x/config");
    }

    #[test]
    fn the_snippet_has_the_format_of_the_client() {
        let (text, json) = written(Client::Codex, &connection());
        assert_eq!(
            text,
            "Codex:\n  put this into /x/config\n    [mcp_servers.mine]\n    command = \"/bin/my program\"\n    args = [\"serve\"]\n    env_vars = [\"KEY\"]\n  set KEY in the shell that starts Codex\n"
        );
        assert_eq!(json["format"], "toml");
        let (text, _) = written(Client::Continue, &connection());
        assert_eq!(
            text,
            "Continue:\n  put this into /x/config\n    mcpServers:\n      - name: mine\n        command: \"/bin/my program\"\n        args:\n          - serve\n        env:\n          KEY: \"${{ secrets.KEY }}\"\n  put KEY=VALUE into .continue/.env in your home\n"
        );
        let (_, json) = written(Client::VsCode, &connection());
        assert_eq!(json["config"]["inputs"][0]["id"], "KEY");
        assert_eq!(json["command"], Value::Null);
    }
}
