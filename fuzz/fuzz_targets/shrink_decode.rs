//! A text that was not written by us is refused or taken for what it says, and never a reason to panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = linkspan_shrink::decode(text);
});
