//! Our counts are those of the tokenizer whose vocabulary we use.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspan_tokens::Vocabulary;

fuzz_target!(|text: &str| {
    for (ours, theirs) in [
        (Vocabulary::O200k, bpe_openai::o200k_base()),
        (Vocabulary::Cl100k, bpe_openai::cl100k_base()),
    ] {
        let count = theirs.count(text) as u64;
        assert_eq!(ours.count(text), count);
        assert_eq!(ours.count_to(text, count), Some(count));
        if let Some(less) = count.checked_sub(1) {
            assert_eq!(ours.count_to(text, less), None);
        }
    }
});
