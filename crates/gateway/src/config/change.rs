//! What a new configuration changes, so that servers that stay the same keep their processes and calls.

use std::collections::HashMap;

use super::{GatewayConfig, ServerConfig};

/// The difference of two configurations. Servers are compared by their keys; the lists are in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct Changes<'a> {
    /// Servers of the new configuration only.
    pub added: Vec<&'a ServerConfig>,
    /// Servers of the old configuration only.
    pub removed: Vec<&'a ServerConfig>,
    /// Old and new form of servers that are reached in another way, or not shared as before.
    pub changed: Vec<(&'a ServerConfig, &'a ServerConfig)>,
    /// Old and new form of servers that keep their process or connection, with another alias, time or number.
    pub adjusted: Vec<(&'a ServerConfig, &'a ServerConfig)>,
    /// Servers for which nothing changes.
    pub unchanged: Vec<&'a ServerConfig>,
    /// Whether the settings of the gateway change.
    pub settings: bool,
}

impl Changes<'_> {
    /// Whether both configurations mean the same.
    pub fn is_empty(&self) -> bool {
        !self.settings
            && self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
            && self.adjusted.is_empty()
    }
}

pub(super) fn between<'a>(old: &'a GatewayConfig, new: &'a GatewayConfig) -> Changes<'a> {
    let of_key = |server: &'a ServerConfig| (server.key.as_str(), server);
    let mut before: HashMap<_, _> = old.servers.iter().map(of_key).collect();
    let mut changes = Changes {
        settings: old.settings != new.settings,
        ..Changes::default()
    };
    for server in &new.servers {
        match before.remove(server.key.as_str()) {
            None => changes.added.push(server),
            Some(old) if old.digest != server.digest => changes.changed.push((old, server)),
            Some(old) if is_adjusted(old, server) => changes.adjusted.push((old, server)),
            Some(_) => changes.unchanged.push(server),
        }
    }
    let is_left = |server: &&ServerConfig| before.contains_key(server.key.as_str());
    changes.removed = old.servers.iter().filter(is_left).collect();
    changes
}

/// Whether two servers with the same digest differ in anything but their place in the file.
fn is_adjusted(old: &ServerConfig, new: &ServerConfig) -> bool {
    let same_place = ServerConfig {
        at: old.at,
        target: old.target.clone(),
        ..new.clone()
    };
    *old != same_place
}
