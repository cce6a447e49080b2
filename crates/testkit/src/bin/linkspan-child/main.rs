//! A scripted MCP server over stdio that reproduces the behaviour of any child of `linkspan expose`. As `linkspan-child
//! part …` it is a component of `linkspan conduct` instead.
//!
//! It reports what it receives to the test and waits for gates that the test opens, both through `--watch` (see
//! `linkspan_testkit::Children`). It shares no code with the program under test.

mod agent;
mod calls;
mod legacy;
mod modern;
mod options;
mod part;
mod questions;
mod server;
mod watch;

use std::io::BufRead;
use std::sync::Arc;
use std::thread;

use agent::Agent;
use linkspan_testkit::Message;
use options::Options;
use server::Server;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("part") {
        return part::main();
    }
    let options = Options::read();
    if options.grandchild {
        let _watch = watch::Watch::connect(&options, "grandchild");
        return park();
    }
    let deaf = options.deaf;
    if options.agent {
        let agent = Arc::new(Agent::new(options));
        hear(agent.server(), |message| agent.take(message));
    } else {
        let server = Arc::new(Server::new(options));
        hear(&server, |message| server.take(message));
    }
    if deaf {
        park();
    }
}

fn hear(server: &Server, take: impl Fn(Message)) {
    if server.options.noisy {
        server.write("npm warn deprecated: this is not JSON");
        server.write("");
        server.write("{\"jsonrpc\":\"2.0\"");
    }
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        server.watch.tell("in", &line);
        let Some(message) = Message::parse(&line) else {
            server
                .watch
                .tell("note", "violation: not JSON-RPC on stdin");
            continue;
        };
        take(message);
    }
    server.watch.tell("note", "stdin ended");
}

fn park() {
    loop {
        thread::park();
    }
}
