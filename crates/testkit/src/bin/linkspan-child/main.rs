//! A scripted MCP server over stdio: whatever a child of `linkspan expose` may do to it.
//!
//! It tells the test what it hears and waits for gates that the test opens, both through `--watch`
//! (see `linkspan_testkit::Children`). It shares nothing with the code under test.

mod calls;
mod legacy;
mod modern;
mod options;
mod questions;
mod server;
mod watch;

use std::io::BufRead;
use std::sync::Arc;
use std::thread;

use linkspan_testkit::Message;
use options::Options;
use server::Server;

fn main() {
    let options = Options::read();
    if options.grandchild {
        let _watch = watch::Watch::connect(&options, "grandchild");
        return park();
    }
    let deaf = options.deaf;
    let server = Arc::new(Server::new(options));
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
        server.take(message);
    }
    server.watch.tell("note", "stdin ended");
    if deaf {
        park();
    }
}

fn park() {
    loop {
        thread::park();
    }
}
