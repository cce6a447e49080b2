//! `linkspan gateway` from outside: a real process between clients of both eras and several scripted servers.

mod failing;
mod files;
mod network;
mod reloading;
mod setup;
mod stdio;
mod usage;

#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gateway");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}
