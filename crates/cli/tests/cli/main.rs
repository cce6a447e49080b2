//! The output of `linkspan` at a terminal, through the real binary.
//!
//! Outputs are snapshots in the tests. `cargo insta review` updates them; editing them by hand works as well.

#[cfg(unix)]
mod asked;
mod audit;
mod calling;
#[cfg(unix)]
mod commands;
#[cfg(unix)]
mod documented;
#[cfg(unix)]
mod ending;
mod failing;
mod help;
mod help_of_bridges;
mod help_of_servers;
mod listing;
mod openapi;
mod pages;
mod pins;
#[cfg(unix)]
mod pty;
#[cfg(unix)]
mod script;
mod security_page;
mod setup;
#[cfg(unix)]
mod shim;
mod shrink_pages;
mod terminal;
#[cfg(unix)]
mod usage;
mod waiting;
mod wrong_targets;

#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}
