//! A configuration becomes the servers of the gateway.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_bridge::{Bridge, CallOptions};
use linkspan_gateway::config::{ServerConfig, Target};
use linkspan_gateway::{GatewayConfig, Limits, ListKind};
use tokio::time::{Instant, sleep};

use crate::change::Change;
use crate::gateway::Gateway;
use crate::pinning::PinRules;
use crate::saved;
use crate::set::{Clients, ServerSet};
use crate::upstream::{Upstream, UpstreamOptions};
use crate::visible::ServerPins;

/// How long the calls of a server that is no longer configured may go on.
const DRAIN: Duration = Duration::from_secs(60);
/// How often the file of pins is looked at.
const PINS: Duration = Duration::from_secs(1);
/// How often that is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// How the gateway treats all servers.
#[derive(Debug, Clone)]
pub struct GatewayOptions {
    /// Where its clients are.
    pub clients: Clients,
    /// The view of requests that name none.
    pub view: Option<String>,
    /// A server that has not been used for this long is closed.
    pub idle: Option<Duration>,
    /// How long a parked call waits for its client's answer.
    pub park: Duration,
    /// Connections to one server at the same time.
    pub most_connections: usize,
    /// The folder for the lists of servers, so that servers need not be started to be listed.
    pub lists: Option<PathBuf>,
}

/// A server that the gateway runs without.
#[derive(Debug)]
pub struct NotOpened<E> {
    /// Its key in the configuration.
    pub key: String,
    /// Why.
    pub why: E,
}

impl Gateway {
    /// Takes over a configuration. `open` makes the bridge to a server. Servers that are configured as before keep
    /// their connections and calls; calls of servers that are gone may end. Servers that cannot be opened are left out.
    pub fn apply<E>(
        &self,
        config: &GatewayConfig,
        options: &GatewayOptions,
        mut open: impl FnMut(&ServerConfig) -> Result<Bridge, E>,
    ) -> Vec<NotOpened<E>> {
        let before = self.set();
        let (mut upstreams, mut failed) = (Vec::new(), Vec::new());
        for server in &config.servers {
            let new_tools = server.new_tools.or(config.settings.new_tools);
            let pins = PinRules {
                mode: server.pins.or(config.settings.pins).unwrap_or_default(),
                new: new_tools.unwrap_or_default(),
            };
            if let Some(kept) = before.upstreams().iter().find(|one| one.is_of(server)) {
                kept.pins.set(pins);
                upstreams.push(kept.clone());
                continue;
            }
            match open(server) {
                Ok(bridge) => upstreams.push(self.upstream(server, options, pins, bridge)),
                Err(why) => failed.push(NotOpened {
                    key: server.key.clone(),
                    why,
                }),
            }
        }
        if before.policy.rules != config.settings.policy.rules {
            // The buckets belong to rules by their position.
            *self.shared().limits.lock() = Limits::default();
        }
        let next = ServerSet {
            upstreams: upstreams.into(),
            naming: config.settings.naming(),
            policy: config.settings.policy.clone(),
            clients: options.clients,
            default_view: options.view.clone(),
            tools: config.settings.tools.unwrap_or_default(),
            tools_budget: config.settings.tools_budget,
        };
        for gone in self.replace(next) {
            tokio::spawn(async move {
                let until = Instant::now() + DRAIN;
                while gone.in_flight() > 0 && Instant::now() < until {
                    sleep(LOOK).await;
                }
                gone.close().await;
            });
        }
        failed
    }

    /// Follows the file of pins, in which other processes accept changes. Does not end.
    pub async fn watch_pins(&self) -> Infallible {
        loop {
            sleep(PINS).await;
            let pinning = self.shared().pinning.clone();
            if pinning.is_some_and(|pinning| pinning.refresh()) {
                for kind in ListKind::ALL {
                    let _ = self.shared().changes.send(Change::of_all(kind));
                }
            }
        }
    }

    fn upstream(
        &self,
        server: &ServerConfig,
        options: &GatewayOptions,
        pins: PinRules,
        bridge: Bridge,
    ) -> Arc<Upstream> {
        let calls = bridge.serve_calls(CallOptions {
            share: server.share,
            park: options.park,
            idle: options.idle,
            most_connections: options.most_connections,
        });
        let lists = options.lists.as_deref();
        let file = lists.map(|folder| saved::file(folder, &server.digest));
        let of_server = UpstreamOptions {
            is_process: !matches!(server.target, Target::Url { .. }),
            idle: options.idle,
            file,
        };
        let changes = self.shared().changes.clone();
        let pins = ServerPins::new(self.shared().pinning.clone(), pins);
        Upstream::new(server.clone(), of_server, pins, calls, changes)
    }
}
