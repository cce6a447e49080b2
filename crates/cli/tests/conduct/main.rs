//! `linkspan conduct` from outside: a real process between an editor played by the test and components in
//! processes of their own.
//!
//! Each test checks one promise to users. The test plays most components: they report received messages and
//! execute its commands (`linkspan_testkit::Stage`). No test sleeps to wait.

mod beginning;
mod bridge_attack;
mod bridge_calls;
mod bridge_ends;
mod bridge_places;
mod bridged;
mod cancelling;
mod crashing;
mod depth;
mod dialects;
mod ending;
mod fidelity;
mod flow;
mod forging;
#[cfg(unix)]
mod killed;
mod last_words;
mod nesting;
mod order;
mod seeing;
mod setup;
#[cfg(unix)]
mod unread;
mod usage;

#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conduct");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}
