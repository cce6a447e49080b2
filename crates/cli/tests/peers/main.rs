//! `linkspan connect`, `expose`, `bcp`, `serve` and `conduct` against peers that we did not write.
//!
//! `cargo xtask test` installs the peers and runs these tests; by themselves they are ignored.
//! LINKSPAN_BRIDGE='command args…' puts another stdio bridge in our place, LINKSPAN_CONDUCTOR another
//! ACP conductor.

mod acp;
mod acp_chain;
mod agent;
mod bcp_cases;
mod bcp_library;
mod bcp_reference;
mod bcp_server;
mod cells;
mod chains;
mod client;
mod crowd;
mod direct;
mod events;
mod everything;
mod exposed;
mod filesystem;
mod folder_clients;
mod folder_examples;
mod folder_inspector;
mod folder_served;
mod http;
mod hub;
mod inspector;
mod installed;
mod log;
mod message;
mod news;
mod once;
mod python;
mod sdk;
mod server;
mod shrunk;
mod stdio;
mod words;

#[test]
fn every_file_beside_this_one_is_a_module_of_it() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers");
    let modules = include_str!("main.rs");
    for entry in std::fs::read_dir(here).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.strip_suffix(".rs").filter(|name| *name != "main");
        assert!(
            module.is_none_or(|name| modules.contains(&format!("mod {name};"))),
            "{name}"
        );
    }
}
