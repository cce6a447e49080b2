//! The commands of clients that add a server.

use serde_json::{Value, json};

use super::{Client, Scope};
use crate::connection::{Connection, Variable};

impl Client {
    /// The command of the client that adds the server, if it has one.
    pub fn command(self, scope: Scope, name: &str, connection: &Connection) -> Option<Vec<String>> {
        match self {
            Self::ClaudeCode => {
                let scope = match scope {
                    Scope::User => "user",
                    Scope::Project => "project",
                };
                let start = ["claude", "mcp", "add", "--scope", scope];
                Some(with_connection(
                    &start,
                    &["--transport", "http"],
                    name,
                    connection,
                ))
            }
            // The commands of these two cannot name a variable without its value.
            Self::Codex | Self::VsCode if connection.secrets().next().is_some() => None,
            Self::Codex if scope == Scope::Project => None,
            Self::Codex => Some(with_connection(
                &["codex", "mcp", "add"],
                &[],
                name,
                connection,
            )),
            Self::VsCode => {
                let mut entry = json!({ "name": name });
                if let (Value::Object(all), Value::Object(more)) =
                    (&mut entry, self.entry(name, connection))
                {
                    all.extend(more);
                }
                Some(vec![
                    "code".to_owned(),
                    "--add-mcp".to_owned(),
                    entry.to_string(),
                ])
            }
            _ => None,
        }
    }
}

fn with_connection(
    start: &[&str],
    http: &[&str],
    name: &str,
    connection: &Connection,
) -> Vec<String> {
    let mut words: Vec<String> = start.iter().map(|word| (*word).to_owned()).collect();
    match connection {
        Connection::Url { url, .. } => {
            words.extend(http.iter().map(|word| (*word).to_owned()));
            words.push(name.to_owned());
            if http.is_empty() {
                words.push("--url".to_owned());
            }
            words.push(url.clone());
        }
        Connection::Command { program, args, env } => {
            words.push(name.to_owned());
            for variable in env {
                let value = match variable {
                    Variable::Set(name, value) => format!("{name}={value}"),
                    Variable::Secret(name) => format!("{name}=${{{name}}}"),
                };
                words.extend(["--env".to_owned(), value]);
            }
            words.extend(["--".to_owned(), program.clone()]);
            words.extend_from_slice(args);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_names_the_scope_and_the_variables() {
        let connection = Connection::Command {
            program: "p".to_owned(),
            args: vec!["a".to_owned()],
            env: vec![Variable::Secret("TOKEN".to_owned())],
        };
        let command = Client::ClaudeCode.command(Scope::User, "x", &connection);
        assert_eq!(
            command.unwrap().join(" "),
            "claude mcp add --scope user x --env TOKEN=${TOKEN} -- p a"
        );
        assert_eq!(Client::Codex.command(Scope::User, "x", &connection), None);
        let url = Connection::Url {
            url: "http://x/mcp".to_owned(),
            bridge: Vec::new(),
        };
        let command = |client: Client| {
            let words = client.command(Scope::Project, "x", &url)?;
            Some(words.join(" "))
        };
        assert_eq!(
            command(Client::ClaudeCode).unwrap(),
            "claude mcp add --scope project --transport http x http://x/mcp"
        );
        assert_eq!(command(Client::Codex), None);
        assert_eq!(command(Client::Zed), None);
    }
}
