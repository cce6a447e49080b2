//! Tests of `linkspan shrink`: a real process between a scripted client and a scripted server.
//!
//! Each test checks one promise to a user. The server's tool `say` returns exactly the bytes of a file that the test
//! has written, so a test can tell which bytes were changed on the way.

mod acceptance;
mod choosing;
mod eras;
mod faults;
mod fetching;
mod flag;
mod imitating;
mod old_names;
mod passing;
mod repeating;
mod results;
mod run;
mod same;
mod samples;
mod setup;
mod stats;
mod storing;
mod structured;
mod tool_lists;
mod trying;

#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shrink");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}
