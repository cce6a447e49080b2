//! `linkspan connect`, `expose`, `gateway`, `bcp`, `serve` and `conduct` against peers that we did not write.
//!
//! `cargo xtask test` installs the peers and runs these tests; by themselves they are ignored.
//! LINKSPAN_BRIDGE='command args…' puts another stdio bridge in our place, LINKSPAN_CONDUCTOR another
//! ACP conductor.

mod acp;
mod acp_chain;
mod agent;
mod aws;
mod bcp_cases;
mod bcp_library;
mod bcp_reference;
mod bcp_server;
mod cells;
mod chains;
mod chromium;
mod client;
mod crowd;
mod direct;
mod dropin;
mod events;
mod everything;
mod exposed;
mod filesystem;
mod folder_clients;
mod folder_examples;
mod folder_inspector;
mod folder_served;
mod gateway;
mod http;
mod hub;
mod inspector;
mod installed;
mod lacking;
mod log;
mod machine;
mod message;
mod news;
mod oauth;
mod oauth_canaille;
mod oauth_clients;
mod once;
mod openapi;
mod protected;
mod python;
mod script;
mod sdk;
mod server;
mod shrunk;
mod stdio;
#[cfg(unix)]
mod unix_sockets;
mod words;

#[test]
fn every_file_beside_this_one_is_a_module_of_it() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}
