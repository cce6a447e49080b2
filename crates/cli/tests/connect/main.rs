//! `linkspan connect` from outside: a real process between a scripted client and a scripted server.
//!
//! Each test is one promise to a user. Nothing here sleeps to wait for something: the fake server
//! has gates, records what it saw, and both sides can be asked to wait for a condition.

mod both_ways;
mod bounds;
mod commands;
mod configs;
mod connecting;
mod damaged;
mod ending;
mod ending_processes;
mod eras;
mod fidelity;
mod framing;
mod handshakes;
mod http_errors;
mod identity;
mod load;
mod modern;
mod old_sse;
mod reopening;
mod routing;
mod secret_leaks;
mod secrets;
mod servers;
mod sessions;
mod setup;
mod sse_faults;
mod streams;
mod terminal;
mod tls;
mod waiting;

#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/connect");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}
