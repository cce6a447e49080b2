//! `linkspan shrink` from outside: a real process between a scripted client and a scripted server.
//!
//! Each test is one promise to a user. The server says exactly the bytes that the test has written
//! into a file (its tool `say`), so that a test can tell what was changed on the way and what was not.

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
mod trying;

#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shrink");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}
