//! `linkspan agent` from outside: a real process between a scripted MCP client and a scripted ACP agent.
//!
//! Each test checks one promise to users. The prompt is the script of the agent (`linkspan-child --agent`),
//! and the test opens its gates.

mod answering;
mod asking;
mod ending;
mod eras;
mod failing;
mod flags;
mod sessions;
mod setup;
mod targets;

#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agent");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}
