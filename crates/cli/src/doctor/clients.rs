//! Clients on this machine, and whether they can still start their servers.

use std::ffi::OsStr;
use std::path::Path;

use linkspan_client_config::{Client, ConfigFile, problem};
use linkspan_scripts::author::interpreters::find;
use serde_json::Map;

use super::Finding;
use crate::environment::system;
use crate::show::path as shown;

pub(super) fn configurations(path: &OsStr) -> Vec<Finding> {
    let system = system();
    let mut all = Vec::new();
    for client in Client::ALL {
        let location = client.location(&system);
        let Some(file) = location.path().filter(|file| file.is_file()) else {
            continue;
        };
        all.push(configuration(client, file, path));
    }
    if all.is_empty() {
        all.push(Finding::good(
            "clients",
            "no client's configuration was found; linkspan config DIR prints what to put where",
        ));
    }
    all
}

fn configuration(client: Client, file: &Path, path: &OsStr) -> Finding {
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
    let ours = || config.started_by("linkspan");
    for (name, entry) in ours() {
        if let Some(why) = problem(entry, |program| find(program, path).is_some()) {
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
    let ours: Vec<&str> = ours().map(|(name, _)| name).collect();
    let count = config.servers().map_or(0, Map::len);
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
