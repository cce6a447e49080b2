use proptest::prelude::*;

use super::*;

fn any_kind() -> impl Strategy<Value = Kind> {
    proptest::sample::select(samples::kinds_with_samples().collect::<Vec<_>>())
}

/// Lines of pieces that finders look for.
fn noise() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\r\n"),
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just("\""),
        Just(":"),
        Just(","),
        Just("```"),
        Just("~~~\n"),
        Just("|"),
        Just("---"),
        Just("@@ -1,2 +1,2 @@"),
        Just("--- a\n+++ b\n"),
        Just("├── "),
        Just("│"),
        Just("  "),
        Just("\t"),
        Just("1"),
        Just("12:"),
        Just("a/b.rs"),
        Just("INFO "),
        Just("2025-01-02 03:04:05 "),
        Just("key: "),
        Just("key = "),
        Just("<p>"),
        Just("commit abcdef0"),
        Just("é"),
        Just("diff --git "),
        Just("+--+"),
        Just("\u{a0}"),
        Just("data:image/png;base64,"),
        Just("=> "),
        Just("## x.rs"),
        Just("-"),
        Just("\\"),
        Just("\r"),
    ];
    proptest::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

fn assert_covers(text: &str, regions: &[Region]) {
    let mut at = 0;
    for region in regions {
        assert_eq!(region.range.start, at, "{text:?}");
        assert!(region.range.end > at || text.is_empty());
        at = region.range.end;
        assert!(
            at == text.len() || text[..at].ends_with('\n'),
            "{text:?} is cut within a line at {at}"
        );
        assert!((0.0..=1.0).contains(&region.confidence));
    }
    assert_eq!(at, text.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn regions_are_whole_lines_and_all_of_the_text(text in noise(), threshold in 0.0f32..1.0) {
        let regions = detect(&text, threshold);
        assert_covers(&text, &regions);
        prop_assert_eq!(regions, detect(&text, threshold));
    }

    #[test]
    fn any_text_is_covered(text in any::<String>()) {
        assert_covers(&text, &detect(&text, 0.1));
    }
}

proptest! {
    #[test]
    fn a_sample_between_sentences_is_found(kind in any_kind(), variant in 0usize..5, count in 5usize..40) {
        let sample = samples::sample(kind, variant, count);
        let text = format!("This is what the tool said, as far as we know.\n\n{sample}\nAnd that was all of it.\n");
        assert_covers(&text, &detect(&text, 0.7));
        let found = only(&text, kind);
        prop_assert_eq!(text[found.range].trim_end(), sample.trim_end());
    }

    #[test]
    fn a_sample_in_a_fence_is_found(kind in any_kind(), variant in 0usize..5, count in 5usize..40) {
        let sample = samples::sample(kind, variant, count);
        let text = format!("Look:\n```\n{sample}```\n");
        let found = only(&text, kind);
        prop_assert_eq!(text[found.range].trim_end(), sample.trim_end());
    }

    #[test]
    fn two_samples_are_found_in_one_text(
        one in any_kind(), other in any_kind(), variant in 0usize..5, count in 5usize..20
    ) {
        prop_assume!(one != other);
        let text = format!(
            "First comes this one.\n\n{}\nThen comes another one, and it is different.\n\n{}",
            samples::sample(one, variant, count), samples::sample(other, variant, count)
        );
        only(&text, one);
        only(&text, other);
    }
}
