//! Whatever a tool writes to its control channel, whatever a client takes for a cursor or an address.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| linkspan_scripts::fuzzing::words(input));
