//! The servers of clients as a configuration of the gateway.

mod entry;
mod reference;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;

use linkspan_bridge::{masked_url, shown_line};
use linkspan_gateway::Alias;
use linkspan_wire::escape_line;
use serde_json::{Map, Value, json};

use crate::clients::{Client, Scope};
use crate::file::{ConfigFile, ReadError};
use crate::server::shown;
use crate::system::System;

/// The servers of clients. Secrets are as the clients have them; references to variables are spelled as the gateway
/// reads them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Import {
    /// The servers, in the order of the clients.
    pub servers: Vec<Imported>,
    /// Entries that are left out, with the reason.
    pub skipped: Vec<(Origin, Skipped)>,
    inputs: Vec<Value>,
}

/// A server.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Its key. No two servers have keys with the same alias.
    pub key: String,
    /// Its entry.
    pub entry: Value,
    /// The clients that have it.
    pub origins: Vec<Origin>,
}

/// An entry of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The client.
    pub client: Client,
    /// The name of the entry there.
    pub name: String,
}

/// Why an entry is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Skipped {
    /// The client does not use it.
    #[error("it is disabled")]
    Disabled,
    /// A gateway would start itself.
    #[error("it is a gateway of linkspan")]
    Gateway,
    /// There is nothing to start or to connect to.
    #[error("it has no command and no URL")]
    NoTarget,
    /// A member is of another kind.
    #[error("its `{0}` cannot be read")]
    Invalid(&'static str),
}

/// Why a client's servers cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The client has no configuration.
    #[error("there is no configuration of {}", .0.title())]
    NotFound(Client),
    /// The configuration cannot be read.
    #[error("{}: {source}", shown(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: ReadError,
    },
}

impl ImportError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "`linkspan config --list` lists the clients that are found",
            Self::Read { .. } => "repair the file; `linkspan config --restore` restores a copy",
        }
    }
}

impl Import {
    /// Reads the configurations of these clients for the user. Those of projects are left out: they are the work of
    /// others, and clients ask before they start servers of them.
    ///
    /// # Errors
    /// If a client has no configuration, or it cannot be read.
    pub fn of_clients(clients: &[Client], system: &System) -> Result<Self, ImportError> {
        let mut import = Self::default();
        for client in clients {
            let location = client.location(Scope::User, system);
            let file = location.as_ref().and_then(|location| location.path());
            let Some(file) = file.filter(|file| file.exists()) else {
                return Err(ImportError::NotFound(*client));
            };
            let config = ConfigFile::read(*client, file);
            import.add(&config.map_err(|source| ImportError::Read {
                path: file.to_owned(),
                source,
            })?);
        }
        Ok(import)
    }

    /// Adds the servers of a configuration. An equal server of another client is not added again.
    pub fn add(&mut self, config: &ConfigFile) {
        let client = config.client();
        for (name, entry) in config.servers() {
            let name = name.to_owned();
            let origin = Origin { client, name };
            match entry::imported(client, entry) {
                Err(why) => self.skipped.push((origin, why)),
                Ok(entry) => self.server(origin, entry),
            }
        }
        for input in config.inputs() {
            let is_known = |known: &Value| known.get("id") == input.get("id");
            if !self.inputs.iter().any(is_known) {
                self.inputs.push(input.clone());
            }
        }
    }

    fn server(&mut self, origin: Origin, entry: Value) {
        let mut servers = self.servers.iter_mut();
        if let Some(same) = servers.find(|server| server.entry == entry) {
            same.origins.push(origin);
            return;
        }
        let taken = self.servers.iter().map(|server| Alias::of_key(&server.key));
        let taken: HashSet<Alias> = taken.collect();
        let (name, id) = (&origin.name, origin.client.id());
        let numbered = (2..).map(|number| format!("{name}-{id}-{number}"));
        let mut keys = [name.clone(), format!("{name}-{id}")]
            .into_iter()
            .chain(numbered);
        let key = keys.find(|key| !taken.contains(&Alias::of_key(key)));
        self.servers.push(Imported {
            key: key.expect("there are more numbers than servers"),
            entry,
            origins: vec![origin],
        });
    }

    /// The configuration of the gateway.
    pub fn to_json(&self) -> Value {
        let servers = self.servers.iter();
        let servers: Map<_, _> = servers
            .map(|server| (server.key.clone(), server.entry.clone()))
            .collect();
        let mut config = json!({});
        if !self.inputs.is_empty() {
            config["inputs"] = self.inputs.clone().into();
        }
        config["mcpServers"] = Value::Object(servers);
        config
    }

    /// Writes for the user what is imported, without secrets.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for server in &self.servers {
            writeln!(
                out,
                "{}  {}",
                escape_line(&server.key),
                shown_target(&server.entry)
            )?;
            for origin in &server.origins {
                write!(out, "  from {}", origin.client.title())?;
                match origin.name == server.key {
                    true => writeln!(out)?,
                    false => writeln!(out, ", where it is {}", escape_line(&origin.name))?,
                }
            }
        }
        for (origin, why) in &self.skipped {
            let (name, client) = (escape_line(&origin.name), origin.client.title());
            writeln!(out, "not {name} of {client}: {why}")?;
        }
        Ok(())
    }
}

/// What will be started or connected to.
pub(crate) fn shown_target(entry: &Value) -> String {
    if let Some(url) = entry.get("url").and_then(Value::as_str) {
        return escape_line(&masked_url(url)).into_owned();
    }
    let args = entry.get("args").and_then(Value::as_array);
    let words = entry
        .get("command")
        .into_iter()
        .chain(args.into_iter().flatten());
    shown_line(words.filter_map(Value::as_str))
}
