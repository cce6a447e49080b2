//! mcp-hub: a server with HTTP+SSE at `/mcp`, which is restarted while clients are connected.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use linkspan_testkit::{Bridge, Message, wait_within};
use serde_json::{Value, json};

use crate::server::Server;
use crate::{http, installed};

const LIMIT: Duration = Duration::from_secs(60);

/// A hub with `server-everything` behind it.
struct Hub {
    home: PathBuf,
    server: Option<Server>,
}

impl Hub {
    fn start() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let home = installed::folder().join(format!("hub-{}-{number}", std::process::id()));
        let mut hub = Self { home, server: None };
        hub.prepare();
        let server = Server::start("hub", |port| hub.command(port));
        hub.server = Some(server);
        hub.wait_until_ready();
        hub
    }

    /// Its configuration, and a catalogue of servers that is fresh: it would fetch one from the internet.
    fn prepare(&self) {
        let everything = installed::npm("server-everything/dist/index.js");
        let config = json!({"mcpServers": {"everything": {
            "command": installed::node(), "args": [everything, "stdio"],
        }}});
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.expect("the clock is set").as_millis();
        let catalogue = json!({
            "registry": {"version": "1", "servers": [{"id": "none", "name": "none", "description": "", "tags": []}]},
            "lastFetchedAt": u64::try_from(now).expect("not so far in the future"),
            "serverDocumentation": {},
        });
        let cache = self.home.join("mcp-hub/cache");
        fs::create_dir_all(&cache)
            .and_then(|()| fs::write(self.home.join("hub.json"), config.to_string()))
            .and_then(|()| fs::write(cache.join("registry.json"), catalogue.to_string()))
            .expect("the folder of the peers can be written to");
    }

    fn command(&self, port: &str) -> Command {
        let mut command = Command::new(installed::node());
        command.arg(installed::folder().join("npm/node_modules/mcp-hub/dist/cli.js"));
        command
            .args(["--port", port, "--config"])
            .arg(self.home.join("hub.json"));
        for name in ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] {
            command.env(name, &self.home);
        }
        command
    }

    fn address(&self) -> SocketAddr {
        self.server.as_ref().expect("it runs").address
    }

    fn state(&self) -> Option<Value> {
        let response = http::request(self.address(), "GET /api/health", &[], None);
        serde_json::from_reader(response.into_body()).ok()
    }

    fn wait_until_ready(&self) {
        wait_within(LIMIT, "a hub that is ready; see .peers/logs", || {
            self.state().filter(|health| health["state"] == "ready")
        });
    }

    /// A client of the hub, through the bridge.
    fn client(&self) -> Bridge {
        let words = installed::bridge(&format!("http://{}/mcp", self.address()));
        let mut bridge = Bridge::launch(&words[0]).args(&words[1..]).start();
        bridge.set_limit(LIMIT);
        bridge.initialize("2025-11-25");
        bridge
    }

    /// Ends the process and starts another one at the same address, without waiting for it.
    fn restart(&mut self) {
        let address = self.address();
        drop(self.server.take());
        let server = Server::start_at("hub", address, |port| self.command(port));
        self.server = Some(server.expect("mcp-hub starts again; see .peers/logs"));
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        drop(self.server.take());
        let _ = fs::remove_dir_all(&self.home);
    }
}

fn echo(bridge: &Bridge, id: usize) -> Message {
    bridge.ask(
        &id.to_string(),
        "everything__echo",
        &json!({"message": format!("m{id}")}),
    )
}

fn is_echo(answer: &Message, id: usize) -> bool {
    let text = answer.result.as_deref();
    text.is_some_and(|text| text.contains(&format!("m{id}")))
}

fn assert_echo(answer: &Message, id: usize) {
    assert!(is_echo(answer, id), "{}", answer.text);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn tools_of_a_hub_are_called() {
    let hub = Hub::start();
    let bridge = hub.client();
    bridge.request("\"list\"", "tools/list", &json!({}));
    let list = bridge.answer("\"list\"");
    assert!(list.text.contains("everything__echo"), "{}", list.text);
    for id in 0..8 {
        bridge.call(
            &id.to_string(),
            "everything__echo",
            &json!({"message": format!("m{id}")}),
        );
    }
    for id in 0..8 {
        assert_echo(&bridge.answer(&id.to_string()), id);
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_hub_that_restarts_is_used_again_and_no_call_is_said_to_have_run() {
    let mut hub = Hub::start();
    let bridge = hub.client();
    assert_echo(&echo(&bridge, 0), 0);
    for round in 1..=2 {
        hub.restart();
        let mut id = round * 1000;
        wait_within(LIMIT, "an echo of the new hub", || {
            id += 1;
            let answer = echo(&bridge, id);
            // While the hub starts, it refuses; and it does not know its tools yet.
            let kind = answer.kind();
            assert_ne!(kind.as_deref(), Some("answer_lost"), "{}", answer.text);
            is_echo(&answer, id).then_some(())
        });
    }
    hub.wait_until_ready();
    for id in 1..8 {
        assert_echo(&echo(&bridge, id), id);
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_hub_that_restarts_its_servers_keeps_its_clients() {
    let hub = Hub::start();
    let bridge = hub.client();
    assert_echo(&echo(&bridge, 0), 0);
    let restarted = http::request(hub.address(), "POST /api/restart", &[], Some("{}"));
    assert_eq!(restarted.status, 200);
    let mut id = 0;
    wait_within(LIMIT, "an echo of the new servers", || {
        id += 1;
        is_echo(&echo(&bridge, id), id).then_some(())
    });
}
