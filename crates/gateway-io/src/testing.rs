//! A gateway in front of servers in memory, for tests. The clock of these tests is paused.

mod client;
mod connection;
mod peer;

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::Path;
use std::time::Duration;

use linkspan_bridge::Bridge;
use linkspan_gateway::GatewayConfig;
use linkspan_ports::Principal;
use linkspan_wire::{Json, Message};

pub(crate) use self::client::{Client, Listening, answer_of, call};
pub(crate) use self::peer::{Peer, tool};
use crate::build::GatewayOptions;
use crate::gateway::{Gateway, GatewayFiles};
use crate::set::Clients;

/// The limit of a wait for an event that must not happen.
pub(crate) const LONGEST: Duration = Duration::from_secs(3600);
/// How long a call may be silent.
const SILENCE: Duration = Duration::from_secs(100);

/// A gateway and its servers.
pub(crate) struct Stage {
    pub(crate) gateway: Gateway,
    pub(crate) options: GatewayOptions,
    peers: HashMap<String, Peer>,
}

impl Stage {
    /// A gateway with this configuration; the key of a server is the name of a peer.
    pub(crate) fn new(config: &str, peers: &[&Peer]) -> Self {
        Self::with(config, peers, GatewayFiles::default(), |_| ())
    }

    /// The same for peers as commands with the aliases of their names, and these members of `linkspan`.
    pub(crate) fn of(settings: &str, peers: &[&Peer]) -> Self {
        Self::new(&config(settings, peers), peers)
    }

    /// The same, with files and other options.
    pub(crate) fn with(
        config: &str,
        peers: &[&Peer],
        files: GatewayFiles,
        change: impl FnOnce(&mut GatewayOptions),
    ) -> Self {
        let mut options = GatewayOptions {
            clients: Clients::Network,
            view: None,
            idle: None,
            park: Duration::from_secs(60),
            most_connections: 16,
            lists: None,
        };
        change(&mut options);
        let peers = peers.iter().map(|peer| (peer.name(), (*peer).clone()));
        let stage = Self {
            gateway: Gateway::new(files),
            options,
            peers: peers.collect(),
        };
        stage.apply(config);
        stage
    }

    /// Takes over another configuration.
    pub(crate) fn apply(&self, config: &str) {
        let config = GatewayConfig::read("mcp.json", config).expect("the test's configuration");
        let open = |server: &linkspan_gateway::config::ServerConfig| {
            let backend = self.peers[&server.key].backend();
            let timeout = server.timeout.or(config.settings.timeout);
            Ok(Bridge::new(backend).timeout(Some(timeout.unwrap_or(SILENCE))))
        };
        let failed = self
            .gateway
            .apply::<Infallible>(&config, &self.options, open);
        assert!(failed.is_empty());
    }

    /// A modern client with these credentials; without any if that is empty.
    pub(crate) fn client(&self, credentials: &str) -> Client {
        let principal = match credentials {
            "" => Principal::anonymous(),
            some => Principal::of_credentials(some.as_bytes()),
        };
        Client::new(self.gateway.clone(), principal)
    }
}

/// A configuration with these peers as commands, and these members of `linkspan`.
pub(crate) fn config(settings: &str, peers: &[&Peer]) -> String {
    let servers = peers.iter().map(|peer| server(&peer.name(), ""));
    let servers: Vec<String> = servers.collect();
    config_of(settings, &servers)
}

/// The entry of a command, with these settings of its own.
pub(crate) fn server(name: &str, settings: &str) -> String {
    format!(r#""{name}":{{"command":"{name}","linkspan":{{{settings}}}}}"#)
}

/// A configuration with these entries, and these members of `linkspan`.
pub(crate) fn config_of(settings: &str, servers: &[String]) -> String {
    format!(
        r#"{{"mcpServers":{{{}}},"linkspan":{{{settings}}}}}"#,
        servers.join(",")
    )
}

/// The value at a path of a message's result, error or parameters, as spelled; empty if there is none.
pub(crate) fn at(msg: &Message, path: &[&str]) -> String {
    let value = msg.body().or(msg.params());
    let value = value.and_then(|value| value.path(path));
    value.map_or_else(String::new, |value| value.text().to_owned())
}

/// The texts of a member of all elements of a list in a result.
pub(crate) fn texts(msg: &Message, list: &str, member: &str) -> Vec<String> {
    let elements = msg.body().and_then(|body| body.get(list));
    let elements = elements.into_iter().flat_map(Json::elements);
    let texts = elements.filter_map(|one| Some(one.get(member)?.as_str()?.into_owned()));
    texts.collect()
}

/// Lets all tasks run until they wait for something other than time.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// Waits until a saved list with this text is in the folder.
pub(crate) async fn saved(lists: &Path, text: &str) {
    let is_saved = || {
        let files = std::fs::read_dir(lists).into_iter().flatten();
        let files = files.filter_map(|file| Some(file.ok()?.path()));
        let mut saved = files.filter(|path| path.extension().is_some_and(|it| it == "json"));
        saved.any(|path| std::fs::read_to_string(path).is_ok_and(|saved| saved.contains(text)))
    };
    while !is_saved() {
        // A thread writes it.
        tokio::task::yield_now().await;
    }
}
