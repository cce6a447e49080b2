//! `linkspan bcp` through the real binary.
//!
//! The format is checked against files that the reference implementation wrote (`crates/bcp/tests/vectors`);
//! `tests/peers` runs the reference implementation itself.

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
