//! `linkspan expose` from outside: a real process between scripted HTTP clients and scripted children.
//!
//! Each test is one promise to a user. Children tell the test what they hear and wait for gates that
//! it opens; and whatever a test does, its `Exposed` must end in order and leave no process behind.

mod authority;
mod both_ways;
mod chains;
mod crowded;
mod ending;
mod faults;
mod front_limits;
mod hosts;
mod http_rules;
mod listening;
mod many_sessions;
mod modern_calls;
mod modern_rules;
mod old_sse;
mod parked;
mod probing;
mod protected;
mod protected_flags;
mod protected_identity;
mod relaying;
mod roots;
mod sessions;
mod setup;
mod shared;
mod slow_peers;
mod starting;
mod streams;
mod to_modern;
mod tokens;
#[cfg(unix)]
mod unix_socket;

#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/expose");
    linkspan_testkit::assert_every_file_is_a_module(here, include_str!("main.rs"));
}
