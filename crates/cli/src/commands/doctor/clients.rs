//! Clients on this machine, and whether what they were told still holds.

use std::path::Path;

use linkspan_client_config::{Client, ConfigFile};
use serde_json::{Map, Value};

use super::Finding;
use super::programs::find;
use crate::environment::system;
use crate::show::path as shown;

pub(crate) fn configurations() -> Vec<Finding> {
    let system = system();
    let mut all = Vec::new();
    for client in Client::ALL {
        let location = client.location(&system);
        let Some(file) = location.path().filter(|file| file.is_file()) else {
            continue;
        };
        all.push(configuration(client, file));
    }
    if all.is_empty() {
        all.push(Finding::good(
            "clients",
            "no client's configuration was found; linkspan config DIR prints what to put where",
        ));
    }
    all
}

fn configuration(client: Client, file: &Path) -> Finding {
    let (title, place) = (client.title(), shown(file));
    let config = match ConfigFile::read(client, file) {
        Ok(config) => config,
        Err(why) => {
            return Finding::bad(
                "clients",
                format!("{title} cannot read {place}: {why}"),
                "fix the file; until then the client has no servers from it",
            );
        }
    };
    let servers = config.servers();
    let ours: Vec<&str> = servers
        .into_iter()
        .flatten()
        .filter(|(_, entry)| is_ours(entry))
        .map(|(name, _)| name.as_str())
        .collect();
    for (name, entry) in servers.into_iter().flatten().filter(|(_, e)| is_ours(e)) {
        if let Some(why) = trouble(entry) {
            return Finding::bad(
                "clients",
                format!("{title} cannot start `{name}` ({place}): {why}"),
                format!(
                    "linkspan config DIR --client {} --name {name} --write",
                    client.id()
                ),
            );
        }
    }
    let count = servers.map_or(0, Map::len);
    let text = if ours.is_empty() {
        format!("{title}: {count} servers in {place}, none through linkspan")
    } else {
        format!(
            "{title}: {count} servers in {place}, through linkspan: {}",
            ours.join(", ")
        )
    };
    Finding::good("clients", text)
}

fn is_ours(entry: &Value) -> bool {
    let command = entry.get("command").and_then(Value::as_str);
    command.is_some_and(|command| {
        let name = Path::new(command).file_stem().unwrap_or_default();
        name == "linkspan"
    })
}

/// Why it cannot be started.
fn trouble(entry: &Value) -> Option<String> {
    let command = entry.get("command").and_then(Value::as_str)?;
    if Path::new(command).components().count() > 1 {
        if !Path::new(command).is_file() {
            return Some(format!("there is no {command}"));
        }
    } else if find(command).is_none() {
        return Some(format!("{command} is not in PATH"));
    }
    let args = entry.get("args").and_then(Value::as_array)?;
    let mut words = args.iter().filter_map(Value::as_str);
    if words.next() != Some("serve") {
        return None;
    }
    let dir = words.find(|word| !word.starts_with('-'))?;
    (Path::new(dir).is_absolute() && !Path::new(dir).is_dir())
        .then(|| format!("there is no folder {dir}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_server_whose_folder_has_gone_is_noticed() {
        let us = std::env::current_exe().unwrap();
        let entry = json!({ "command": us, "args": ["serve", "--sandbox=2", "/no/such/folder"] });
        assert_eq!(
            trouble(&entry),
            Some("there is no folder /no/such/folder".to_owned())
        );
        let entry = json!({ "command": "/no/such/linkspan", "args": ["serve", "/"] });
        assert!(is_ours(&entry) && trouble(&entry).is_some());
        assert!(!is_ours(&json!({ "command": "npx" })));
        assert!(!is_ours(&json!({ "url": "https://x" })));
    }
}
