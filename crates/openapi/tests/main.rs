//! Documents as tools, requests and results.

#![expect(clippy::unwrap_used, reason = "helpers of tests use it")]

mod bodies;
mod credentials;
mod definitions;
mod hostile;
mod paths;
mod results;
mod selecting;
mod setup;
mod styles;

#[test]
fn every_file_beside_this_one_is_a_module_of_it() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}
