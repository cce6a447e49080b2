//! Whether the clients of a machine can start the servers of their configurations.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::clients::{Client, Scope};
use crate::entry::{EntryProblem, problem};
use crate::file::{ConfigFile, ReadError};
use crate::server::shown;
use crate::system::{Location, System};

/// The state of a client's configuration.
#[derive(Debug)]
pub enum ClientState {
    /// It cannot be read.
    Unreadable {
        /// The client.
        client: Client,
        /// Its file.
        file: PathBuf,
        /// The reason.
        why: ReadError,
    },
    /// A server through linkspan cannot be started.
    CannotStart {
        /// The client.
        client: Client,
        /// Where the configuration applies.
        scope: Scope,
        /// Its file.
        file: PathBuf,
        /// The server.
        server: String,
        /// The reason.
        why: EntryProblem,
    },
    /// All servers through linkspan can be started.
    Fine {
        /// The client.
        client: Client,
        /// Its file.
        file: PathBuf,
        /// The number of servers.
        count: usize,
        /// The names of the servers through linkspan.
        ours: Vec<String>,
    },
}

/// A sentence for the user.
impl fmt::Display for ClientState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Unreadable { client, file, .. }
        | Self::CannotStart { client, file, .. }
        | Self::Fine { client, file, .. }) = self;
        let (title, file) = (client.title(), shown(file));
        match self {
            Self::Unreadable { why, .. } => write!(f, "{title} cannot read {file}: {why}"),
            Self::CannotStart { server, why, .. } => {
                write!(f, "{title} cannot start `{server}` ({file}): {why}")
            }
            Self::Fine { count, ours, .. } if ours.is_empty() => {
                write!(
                    f,
                    "{title}: {count} servers in {file}, none through linkspan"
                )
            }
            Self::Fine { count, ours, .. } => {
                let ours = ours.join(", ");
                write!(
                    f,
                    "{title}: {count} servers in {file}, through linkspan: {ours}"
                )
            }
        }
    }
}

impl ClientState {
    /// The states of all clients that have a configuration. `is_in_path` looks a program up.
    pub fn all(system: &System, is_in_path: impl Fn(&str) -> bool) -> Vec<Self> {
        let mut all = Vec::new();
        for client in Client::ALL {
            for scope in [Scope::User, Scope::Project] {
                let location = client.location(scope, system);
                let file = location.as_ref().and_then(Location::path);
                if let Some(file) = file.filter(|file| file.is_file()) {
                    all.push(Self::of(client, scope, file, &is_in_path));
                }
            }
        }
        all
    }

    fn of(client: Client, scope: Scope, path: &Path, is_in_path: &dyn Fn(&str) -> bool) -> Self {
        let file = path.to_owned();
        let config = match ConfigFile::read(client, path) {
            Ok(config) => config,
            Err(why) => return Self::Unreadable { client, file, why },
        };
        for (name, entry) in config.ours() {
            if let Some(why) = problem(client, entry, is_in_path) {
                let server = name.to_owned();
                return Self::CannotStart {
                    client,
                    scope,
                    file,
                    server,
                    why,
                };
            }
        }
        let ours = config.ours().into_iter();
        Self::Fine {
            client,
            file,
            count: config.servers().len(),
            ours: ours.map(|(name, _)| name.to_owned()).collect(),
        }
    }

    /// What the user can do about a problem.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unreadable { .. } => {
                Some("fix the file; until then the client has no servers from it".to_owned())
            }
            Self::CannotStart {
                client,
                scope,
                server,
                ..
            } => {
                let (client, usual) = (client.id(), client.usual_scope());
                let scope = match scope {
                    _ if *scope == usual => "",
                    Scope::User => " --scope user",
                    Scope::Project => " --scope project",
                };
                Some(format!(
                    "linkspan config DIR --client {client}{scope} --name {server} --write --force"
                ))
            }
            Self::Fine { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state of Cursor with this configuration, as text.
    fn told(text: &str) -> (String, Option<String>) {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(".cursor/mcp.json");
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        let state = ClientState::of(Client::Cursor, Scope::User, &file, &|program| {
            program == "linkspan"
        });
        let text = state.to_string().replace(file.to_str().unwrap(), "FILE");
        (text, state.hint())
    }

    #[test]
    fn a_configuration_that_works_is_counted() {
        let both = r#"{"mcpServers":{"a":{"command":"linkspan"},"b":{"command":"npx"}}}"#;
        let (text, hint) = told(both);
        assert_eq!(text, "Cursor: 2 servers in FILE, through linkspan: a");
        assert_eq!(hint, None);
        let (text, _) = told("{}");
        assert_eq!(text, "Cursor: 0 servers in FILE, none through linkspan");
    }

    #[test]
    fn a_problem_is_shown_with_a_hint() {
        let (text, hint) = told("{");
        assert!(text.starts_with("Cursor cannot read FILE: "), "{text}");
        assert!(hint.is_some());
        let gone = r#"{"mcpServers":{"a":{"command":"/no/such/linkspan"}}}"#;
        let (text, hint) = told(gone);
        assert_eq!(
            text,
            "Cursor cannot start `a` (FILE): there is no /no/such/linkspan"
        );
        assert_eq!(
            hint.unwrap(),
            "linkspan config DIR --client cursor --name a --write --force"
        );
    }
}
