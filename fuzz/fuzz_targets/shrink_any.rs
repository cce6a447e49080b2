//! Any text comes through the gate smaller or not at all, and comes back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspan_shrink::{Context, Gate, Kept, detect, shrink};
use linkspan_tokens::Vocabulary;

fuzz_target!(|text: &str| {
    let gate = Gate {
        threshold: 0.1,
        short: 0,
        least: 1,
        percent: 0,
    };
    let regions = detect(text, gate.threshold);
    let mut at = 0;
    for region in &regions {
        assert_eq!(region.range.start, at);
        at = region.range.end;
    }
    assert_eq!(at, text.len());
    let context = Context {
        vocabulary: Vocabulary::Estimate,
        ..Context::default()
    };
    match shrink(text, &gate, &context) {
        Ok(shrunk) => assert!(shrunk.after < shrunk.before),
        Err(why) => assert_ne!(why, Kept::Unfaithful, "{text:?}"),
    }
});
