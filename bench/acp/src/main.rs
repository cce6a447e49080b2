//! The ends of an ACP chain, with as little code as possible between the pipe and the clock.
//!
//! `bench-acp agent`: answers `_bench/echo` with its params, and `_bench/flood` after many updates. `bench-acp proxy`:
//! forwards everything, in the dialect of the official conductor 5.0.0. `bench-acp drive [--calls N] [--warm N]
//! [--updates N] [--settle MS] CMD ARG…`: starts a conductor, or the agent itself, measures it, and prints the figures
//! as one JSON object.

mod agent;
mod drive;
mod figures;
mod lines;
mod plan;
mod proc;
mod proxy;

use std::process::ExitCode;

use plan::Plan;

/// The error is a text for the table.
type Outcome<T> = Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let ended = match words.first().map(String::as_str) {
        Some("agent") => agent::serve().map_err(|error| error.to_string()),
        Some("proxy") => proxy::serve().map_err(|error| error.to_string()),
        Some("drive") => Plan::parse(&words[1..]).and_then(|plan| drive::measure(&plan)),
        _ => Err("say agent, proxy, or drive and CMD ARG…".to_owned()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("bench-acp: {why}");
            ExitCode::FAILURE
        }
    }
}
