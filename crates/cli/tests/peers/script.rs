//! Our script that serves HTTP: it prints its URL when it is ready, and ends with the test.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::{http, installed, log};

const START: Duration = Duration::from_secs(30);

pub struct Script {
    child: Child,
    pub url: String,
}

impl Script {
    /// Starts a script among the npm peers.
    pub fn node(name: &str, args: &[&str], env: &[(&str, &str)]) -> Self {
        let mut command = Command::new(installed::node());
        command
            .arg(installed::npm_script(name))
            .args(args)
            .envs(env.iter().copied());
        Self::start(name, command)
    }

    /// Starts a program that prints its URL.
    pub fn start(name: &str, mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log::file(name))
            .spawn()
            .unwrap_or_else(|error| panic!("{name} does not start: {error}"));
        let stdout = child.stdout.take().expect("its output is piped");
        let (sender, receiver) = sync_channel(1);
        thread::spawn(move || {
            let lines = BufReader::new(stdout).lines().map_while(Result::ok);
            // Read on after the URL, so that the script never waits for a reader.
            for line in lines.filter(|line| line.starts_with("http")) {
                let _ = sender.try_send(line);
            }
        });
        let url = receiver.recv_timeout(START);
        let mut script = Self {
            child,
            url: String::new(),
        };
        script.url = url.unwrap_or_else(|_| panic!("{name} prints no URL; see .peers/logs"));
        script
    }

    /// Its counters of events so far.
    pub fn counters(&self) -> Value {
        let response = http::request(self.address(), "GET /__counters", &[], None);
        serde_json::from_reader(response.into_body()).expect("its counters are JSON")
    }

    /// One of its counters.
    pub fn count(&self, name: &str) -> u64 {
        let counters = self.counters();
        let count = counters[name].as_u64();
        count.unwrap_or_else(|| panic!("no counter {name} in {counters}"))
    }

    fn address(&self) -> SocketAddr {
        let rest = self.url.split("//").nth(1).unwrap_or_default();
        let address = rest.split('/').next().unwrap_or_default();
        address
            .parse()
            .unwrap_or_else(|_| panic!("no address in {}", self.url))
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
