//! Any text becomes smaller or stays as it is, and can be decoded.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspan_shrink::{Context, Kept, Thresholds, detect, shrink};
use linkspan_tokens::Vocabulary;

fuzz_target!(|text: &str| {
    let thresholds = Thresholds {
        confidence: 0.1,
        short: 0,
        least: 1,
        percent: 0,
    };
    let regions = detect(text, thresholds.confidence);
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
    match shrink(text, &thresholds, &context) {
        Ok(shrunk) => assert!(shrunk.after < shrunk.before),
        Err(why) => assert_ne!(why, Kept::Unfaithful, "{text:?}"),
    }
});
