//! `linkspan expose` with a server behind it, until the end of the test.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

use crate::{installed, log};

const LIMIT: Duration = Duration::from_secs(10);

pub struct Exposed {
    child: Child,
    base: String,
}

impl Exposed {
    /// The stdio server that the words start.
    pub fn start(server: &[String]) -> Self {
        let mut target = vec!["--".to_owned()];
        target.extend_from_slice(server);
        Self::target(&target)
    }

    /// The server at a URL.
    pub fn remote(url: String) -> Self {
        Self::target(&[url])
    }

    /// Whatever the last words of the command line say.
    pub fn target(words: &[String]) -> Self {
        let mut child = Command::new(installed::linkspan())
            .args(["expose", "--port", "0", "--sse"])
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log::file("expose"))
            .spawn()
            .expect("linkspan starts");
        let url = first_line(&mut child);
        let base = url.strip_suffix("/mcp");
        let base = base.unwrap_or_else(|| panic!("no URL of ours: {url:?}; see .peers/logs"));
        Self {
            base: base.to_owned(),
            child,
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    pub fn address(&self) -> SocketAddr {
        let address = self.base.strip_prefix("http://");
        address
            .and_then(|address| address.parse().ok())
            .expect("an address and a port")
    }
}

impl Drop for Exposed {
    fn drop(&mut self) {
        // Asked first, so that it ends its children, too.
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let end = Instant::now() + LIMIT;
        while Instant::now() < end && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn first_line(child: &mut Child) -> String {
    let stdout = child.stdout.take().expect("its output is piped");
    let (sender, receiver) = sync_channel(1);
    thread::spawn(move || {
        let mut line = String::new();
        let _ = BufReader::new(stdout).read_line(&mut line);
        let _ = sender.send(line);
    });
    let line = receiver.recv_timeout(LIMIT).unwrap_or_default();
    line.trim().to_owned()
}
