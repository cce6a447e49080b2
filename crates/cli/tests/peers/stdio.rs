//! The link to a stdio server, with or without a bridge: lines on its standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::thread;

use crate::client::{Client, Link};
use crate::{installed, log};

struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
}

/// A client that reaches `url` through the bridge, and the handshake's result.
pub fn connect(url: &str) -> (Client, String) {
    start(&installed::bridge(url))
}

/// A client of the stdio server that the words start, and the handshake's result.
pub fn start(words: &[String]) -> (Client, String) {
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(log::file("stdio"))
        .spawn()
        .expect("the server starts");
    let stdout = child.stdout.take().expect("its output is piped");
    let stdin = child.stdin.take();
    let (sender, inbox) = sync_channel(1024);
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Client::start(Process { child, stdin }, inbox)
}

impl Link for Process {
    fn send(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().expect("open until the end of the test");
        writeln!(stdin, "{text}")
            .and_then(|()| stdin.flush())
            .expect("the server reads its input");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Killed, not waited for: its clean end has tests of its own.
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
