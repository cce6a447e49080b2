//! A stdio MCP server with every fixture of the conformance suite, in either era.
//!
//! It stands for servers by other authors, so it shares no code with ours. Its tools are written once: a tool asks a
//! `Question` and gets an answer. In the legacy era that is a request to the client and a wait; in the modern era the
//! call ends with the missing input, and the tool runs again from its start when the client sends it.
//!
//! A legacy question's JSON-RPC id is the key that the modern era would use, because a bridge between the eras can only
//! derive the key from the id.

mod args;
mod call;
mod catalogue;
mod faults;
mod find;
mod incoming;
mod legacy;
mod log;
mod methods;
mod modern;
mod output;
mod prompts;
mod question;
mod resources;
mod rounds;
mod server;
mod state;
mod stop;
mod subscriptions;
#[cfg(test)]
mod tests;
mod tools;
mod wait;

use std::io::{BufRead, stdin, stdout};
use std::process::ExitCode;

pub use find::program;

use args::Options;
use output::Output;
use server::Server;

/// Serves stdin and stdout until stdin ends.
pub fn run(args: impl Iterator<Item = String>) -> ExitCode {
    let options = match Options::parse(args) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("linkspan-fixture: {why}\n{}", args::USAGE);
            return ExitCode::from(2);
        }
    };
    let server = Server::new(options, Output::new(stdout()));
    let mut input = stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return ExitCode::SUCCESS,
            Ok(_) => {
                if let Some(code) = server.handle(&String::from_utf8_lossy(&line)) {
                    return ExitCode::from(code);
                }
            }
        }
    }
}
