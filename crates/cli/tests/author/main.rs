//! The commands for authors of a folder of scripts, through the real binary.

mod begin;
mod client_files;
mod clients;
mod doctor;
mod looking;
mod manual;
mod mcp_bash;
mod mcp_bash_commands;
mod providers;
mod running;
mod setup;
mod web;

#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/author");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}
