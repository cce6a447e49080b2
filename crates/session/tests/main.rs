//! Sessions: their rules, told to the core directly, and their task in virtual time.

mod eras;
mod hub;
mod rules;
mod simulated;
mod table;

#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}
