//! The echo server as our child: a fresh one for every bridge measured.

use crate::{Outcome, group};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

pub struct EchoProcess {
    child: Child,
    url: String,
    address: SocketAddr,
}

impl EchoProcess {
    pub fn start(program: &Path, sse: bool) -> Outcome<Self> {
        let mut command = Command::new(program);
        command
            .arg("--until-stdin-closes")
            .args(sse.then_some("--sse"))
            .process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|e| format!("cannot start {}: {e}", program.display()))?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            // Our own program: it prints its line at once or ends.
            let _ = BufReader::new(out).read_line(&mut line);
        }
        let url = line
            .trim()
            .strip_prefix("listening ")
            .unwrap_or_default()
            .to_owned();
        let address = url
            .strip_prefix("http://")
            .and_then(|u| u.strip_suffix("/mcp"));
        match address.and_then(|a| a.parse().ok()) {
            Some(address) => Ok(Self {
                child,
                url,
                address,
            }),
            None => {
                group::end(&mut child);
                Err(format!("the echo server did not start: {line:?}"))
            }
        }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for EchoProcess {
    fn drop(&mut self) {
        group::end(&mut self.child);
    }
}
