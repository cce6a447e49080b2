//! A client over HTTP before a bridge that runs the server on its stdin and stdout.

use crate::Outcome;
use crate::ask::{Ask, Era};
use crate::direct::Direct;
use crate::group::Group;
use crate::measure::{Flooded, Link, PATIENCE};
use crate::plan::Bound;
use crate::proc::Who;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

pub struct Exposed {
    bridge: Group,
    address: SocketAddr,
    era: Era,
    client: Option<Direct>,
}

impl Exposed {
    /// Starts the bridge; `{port}` in its command becomes a free port.
    pub fn start(command: &[String], stderr: Option<&Path>, era: Era) -> Outcome<Self> {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|listener| listener.local_addr())
            .map_err(|e| e.to_string())?;
        let port = address.port().to_string();
        let command: Vec<String> = command.iter().map(|w| w.replace("{port}", &port)).collect();
        Ok(Self {
            bridge: Group::start(&command, Stdio::null(), Stdio::null(), stderr)?,
            address,
            era,
            client: None,
        })
    }

    /// One more client, with a session of its own if the bridge has sessions.
    pub fn another_client(&self) -> Outcome<Direct> {
        let mut client = Direct::open(self.address, self.era)?;
        client.initialize()?;
        Ok(client)
    }

    fn client(&mut self) -> Outcome<&mut Direct> {
        self.client.as_mut().ok_or("not initialized".into())
    }
}

impl Link for Exposed {
    fn initialize(&mut self) -> Outcome<Instant> {
        let start = Instant::now();
        // Only the connection is tried again: a bridge that listens has to answer.
        let mut client = loop {
            let waited = start.elapsed();
            match Direct::open(self.address, self.era) {
                Ok(client) => break client,
                Err(why) if waited > PATIENCE => return Err(format!("it never listened: {why}")),
                Err(_) => {}
            }
            if let Ok(Some(status)) = self.bridge.0.try_wait() {
                return Err(format!("it ended instead of listening ({status})"));
            }
            // Often enough to be exact to one per cent, without taking a core from it.
            sleep((waited / 100).max(Duration::from_micros(200)));
        };
        let answered = client.initialize()?;
        self.client = Some(client);
        Ok(answered)
    }

    fn call(&mut self, ask: Ask) -> Outcome<Duration> {
        self.client()?.call(ask)
    }

    fn flood(&mut self, in_flight: usize, bound: Bound) -> Outcome<Flooded> {
        self.client()?.flood(in_flight, bound)
    }

    fn bridge(&self) -> Option<Who> {
        Some(Who::Alone(self.bridge.0.id()))
    }
}
