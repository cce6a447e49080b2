//! `linkspan bcp` as its users meet it, through the real binary.
//!
//! What the format asks for is checked against files that the reference made
//! (`crates/bcp/tests/vectors`); the reference itself is driven in `tests/peers`.

mod confinement;
mod diffing;
mod files;
mod flags;
mod folders;
mod json;
mod malformed;
mod manifests;
mod names;
mod reading;
mod round_trip;
mod run;
mod server;
mod server_files;
mod server_http;
mod server_tools;
mod streams;
mod truncation;
mod vectors;
mod writing;

#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bcp");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}
