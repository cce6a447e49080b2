//! The clients on a system, their servers, and the copies of their configurations.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use linkspan_wire::escape_line;
use serde_json::{Value, json};

use crate::backup::{Backup, backups};
use crate::clients::{Client, Scope};
use crate::file::ConfigFile;
use crate::place::{Place, Wanted};
use crate::server::shown;
use crate::system::System;

/// A client on a system.
#[derive(Debug)]
pub struct Inventory {
    client: Client,
    scope: Scope,
    file: PathBuf,
    /// The names of the servers with those that run linkspan; or why the file cannot be read.
    servers: Result<Vec<(String, bool)>, String>,
    backups: Vec<Backup>,
}

impl Inventory {
    /// All configurations of clients that are found on a system.
    pub fn found(system: &System) -> Vec<Self> {
        let scopes = [Scope::User, Scope::Project].map(Some).into_iter();
        let found = scopes.filter_map(|scope| {
            let wanted = Wanted {
                found_only: true,
                scope,
                ..Wanted::default()
            };
            wanted.places(system).ok()
        });
        let mut all: Vec<Self> = found
            .flatten()
            .filter_map(|place| Self::of(&place))
            .collect();
        all.sort_by_key(|one| one.client.id());
        all
    }

    /// A configuration whose file is known.
    pub fn of(place: &Place) -> Option<Self> {
        let file = place.location.path()?.to_owned();
        Some(Self::at(place.client, place.scope, file))
    }

    /// The configuration of a client in a file.
    fn at(client: Client, scope: Scope, file: PathBuf) -> Self {
        let servers = match ConfigFile::read(client, &file) {
            Ok(config) => {
                let ours = config.ours();
                let servers = config.servers().into_iter().map(|(name, _)| {
                    let is_ours = ours.iter().any(|(ours, _)| *ours == name);
                    (name.to_owned(), is_ours)
                });
                Ok(servers.collect())
            }
            Err(_) if !file.exists() => Ok(Vec::new()),
            Err(why) => Err(why.to_string()),
        };
        let real = std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
        Self {
            client,
            scope,
            backups: backups(&real),
            file,
            servers,
        }
    }

    /// Writes it for the user.
    pub fn write(&self, out: &mut dyn Write, now: SystemTime) -> io::Result<()> {
        let scope = match self.scope {
            Scope::User => "",
            Scope::Project => ", project",
        };
        let (client, file) = (self.client, shown(&self.file));
        writeln!(out, "{} ({}{scope})  {file}", client.title(), client.id())?;
        match &self.servers {
            Err(why) => writeln!(out, "  cannot be read: {}", escape_line(why))?,
            Ok(servers) if servers.is_empty() => writeln!(out, "  no servers")?,
            Ok(servers) => {
                for (name, is_ours) in servers {
                    let mark = if *is_ours { "  linkspan" } else { "" };
                    writeln!(out, "  {}{mark}", escape_line(name))?;
                }
            }
        }
        for backup in &self.backups {
            let age = backup.time.and_then(|time| now.duration_since(time).ok());
            let age = age.map(ago).unwrap_or_default();
            let (number, length) = (backup.number, backup.length);
            writeln!(out, "  copy {number}: {length} bytes{age}")?;
        }
        Ok(())
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        let names = |ours: bool| -> Vec<&str> {
            let servers = self.servers.iter().flatten();
            let chosen = servers.filter(|(_, is_ours)| *is_ours == ours);
            chosen.map(|(name, _)| name.as_str()).collect()
        };
        let copies = self.backups.iter().map(|backup| {
            json!({ "number": backup.number, "file": backup.file.to_string_lossy(), "bytes": backup.length })
        });
        json!({
            "client": self.client.id(),
            "scope": match self.scope { Scope::User => "user", Scope::Project => "project" },
            "file": self.file.to_string_lossy(),
            "error": self.servers.as_ref().err(),
            "linkspan": names(true),
            "other": names(false),
            "backups": copies.collect::<Vec<Value>>(),
        })
    }
}

/// How long ago a copy was made.
fn ago(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    match minutes {
        0 => ", just now".to_owned(),
        1..120 => format!(", {minutes} min ago"),
        120..2880 => format!(", {} h ago", minutes / 60),
        _ => format!(", {} days ago", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_and_copies_of_the_clients_that_are_found_are_listed() {
        let home = tempfile::tempdir().unwrap();
        let system = System {
            home: Some(home.path().to_owned()),
            ..System::default()
        };
        assert!(Inventory::found(&system).is_empty());
        let cursor = home.path().join(".cursor");
        std::fs::create_dir(&cursor).unwrap();
        let text = r#"{"mcpServers":{"a":{"command":"npx"},"b":{"command":"linkspan"}}}"#;
        std::fs::write(cursor.join("mcp.json"), text).unwrap();
        std::fs::write(cursor.join("mcp.json.linkspan-3.bak"), "{}").unwrap();
        std::fs::create_dir(home.path().join(".gemini")).unwrap();
        std::fs::write(home.path().join(".gemini/settings.json"), "{").unwrap();
        let found = Inventory::found(&system);
        let mut out = Vec::new();
        for one in &found {
            one.write(&mut out, SystemTime::now()).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        let text = text.replace(home.path().to_str().unwrap(), "HOME");
        assert_eq!(
            text,
            "Cursor (cursor)  HOME/.cursor/mcp.json\n  a\n  b  linkspan\n  copy 3: 2 bytes, just now\nGemini CLI (gemini)  HOME/.gemini/settings.json\n  cannot be read: line 1, column 1: EOF while parsing an object\n"
        );
        assert_eq!(found[0].to_json()["linkspan"], serde_json::json!(["b"]));
        assert_eq!(ago(Duration::from_secs(7200)), ", 2 h ago");
    }
}
