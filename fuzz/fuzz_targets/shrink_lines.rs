//! Whatever a text is, its short forms come back as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspan_fuzz::comes_back;
use linkspan_shrink::Kind;

fuzz_target!(|text: &str| comes_back(text, &[Kind::Numbered]));
