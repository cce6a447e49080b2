use proptest::prelude::*;

use super::*;

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
    fn regions_are_whole_lines_and_cover_the_text(text in noise(), threshold in 0.0f32..1.0) {
        let regions = detect(&text, threshold);
        assert_covers(&text, &regions);
        prop_assert_eq!(regions, detect(&text, threshold));
    }

    #[test]
    fn any_text_is_covered(text in any::<String>()) {
        assert_covers(&text, &detect(&text, 0.1));
    }
}

/// All samples of every kind and size. An undetected region is only not shortened, so one in two hundred may be missed,
/// but not more.
fn nearly_all(texts: impl Iterator<Item = (String, Vec<(Kind, Option<String>)>)>) {
    let mut missed = Vec::new();
    let mut tried = 0;
    for (text, wanted) in texts {
        tried += 1;
        let regions = detect(&text, 0.7);
        assert_covers(&text, &regions);
        let is_found = |(kind, sample): &(Kind, Option<String>)| {
            let mut found = regions.iter().filter(|region| region.kind == *kind);
            let (first, more) = (found.next(), found.next());
            let exact = |region: &Region| match sample {
                Some(sample) => text[region.range.clone()].trim_end() == sample.trim_end(),
                None => true,
            };
            first.is_some_and(exact) && more.is_none()
        };
        if !wanted.iter().all(is_found) {
            missed.push(text);
        }
    }
    let count = missed.len();
    let first = missed.first().map_or("", String::as_str);
    assert!(
        count * 200 <= tried,
        "{count} of {tried}, the first is\n{first}"
    );
}

/// Kind, variant and number of lines.
fn all(most: usize) -> impl Iterator<Item = (Kind, usize, usize)> {
    samples::kinds_with_samples().flat_map(move |kind| {
        (0..5).flat_map(move |variant| (5..most).map(move |count| (kind, variant, count)))
    })
}

#[test]
fn a_sample_between_sentences_is_found() {
    nearly_all(all(40).map(|(kind, variant, count)| {
        let sample = samples::sample(kind, variant, count);
        let text = format!(
            "This is what the tool said, as far as we know.\n\n{sample}\nAnd that was all of it.\n"
        );
        (text, vec![(kind, Some(sample))])
    }));
}

#[test]
fn a_sample_in_a_fence_is_found() {
    nearly_all(all(40).map(|(kind, variant, count)| {
        let sample = samples::sample(kind, variant, count);
        (
            format!("Look:\n```\n{sample}```\n"),
            vec![(kind, Some(sample))],
        )
    }));
}

#[test]
fn two_samples_are_found_in_one_text() {
    let pairs = all(20).flat_map(|(one, variant, count)| {
        let others = samples::kinds_with_samples().filter(move |other| *other != one);
        others.map(move |other| (one, other, variant, count))
    });
    nearly_all(pairs.map(|(one, other, variant, count)| {
        let text = format!(
            "First comes this one.\n\n{}\nThen comes another one, and it is different.\n\n{}",
            samples::sample(one, variant, count),
            samples::sample(other, variant, count)
        );
        (text, vec![(one, None), (other, None)])
    }));
}
