//! Whatever a server says about a tool, and whatever a client calls it with.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| linkspan_tool_lists::fuzzing::definition(input));
