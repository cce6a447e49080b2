//! Counts equal those of the tokenizer for any text.

use std::path::Path;

use linkspan_tokens::Vocabulary;
use proptest::prelude::*;

fn is_exact(text: &str) {
    for (ours, theirs) in [
        (Vocabulary::O200k, bpe_openai::o200k_base()),
        (Vocabulary::Cl100k, bpe_openai::cl100k_base()),
    ] {
        let count = theirs.count(text) as u64;
        assert_eq!(ours.count(text), count, "{ours}: {text:?}");
        assert_eq!(ours.count_to(text, count), Some(count));
        if let Some(less) = count.checked_sub(1) {
            assert_eq!(ours.count_to(text, less), None);
        }
    }
}

#[test]
fn the_sources_and_docs_of_this_repository_are_counted_exactly() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for folder in ["docs", "crates/tokens", "crates/wire/src"] {
        each_file(&root.join(folder), &mut |text| is_exact(text));
    }
}

fn each_file(folder: &Path, work: &mut dyn FnMut(&str)) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() && !path.ends_with("target") {
            each_file(&path, work);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            work(&text);
        }
    }
}

#[test]
fn long_pieces_are_counted_exactly() {
    for part in [
        " ", "\n", "\t", "a", "A", "ab", "=", "/", "字", "\u{301}", "\r\n ", "x'",
    ] {
        for length in [14, 15, 16, 17, 31, 200, 5000, 20_000] {
            is_exact(&part.repeat(length));
        }
    }
}

#[test]
fn a_piece_with_zero_bytes_differs_from_a_shorter_one() {
    for text in [
        "\0",
        "\0\0",
        "a",
        "a\0",
        "\0a",
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    ] {
        is_exact(text);
        is_exact(text);
    }
}

#[test]
fn threads_that_count_at_the_same_time_get_exact_counts() {
    std::thread::scope(|scope| {
        for start in 0..8 {
            scope.spawn(move || {
                for number in start..start + 50 {
                    is_exact(&format!(
                        "thread {start} counts item_{number}, {}",
                        number * 7919
                    ));
                }
            });
        }
    });
}

#[test]
fn counting_a_huge_piece_stops_early_at_the_limit() {
    let text = "ab".repeat(5 << 20);
    for one in [Vocabulary::O200k, Vocabulary::Cl100k] {
        assert_eq!(one.count_to(&text, 10), None);
    }
}

proptest! {
    #[test]
    fn any_text_is_counted_exactly(text in any::<String>(), more in "\\PC{0,200}") {
        is_exact(&text);
        is_exact(&more);
    }

    #[test]
    fn words_and_signs_are_counted_exactly(
        text in "([A-Z]{0,3}[a-z]{0,9}('(s|S|ll|LL|re|Ve|d|m|T|x))?|[0-9]{1,7}|[ ]{1,20}|[.,:;/{}=\"\\[\\]-]{1,9}|[\r\n\t ]{1,4}|[ぁ-んé漢字\u{300}-\u{310}ǅ]{1,4}){0,60}",
    ) {
        is_exact(&text);
    }

    #[test]
    fn texts_that_add_up_have_the_sum_of_their_tokens(
        above in "([a-z]{1,9}|[0-9]{1,4}|[ ]{1,3}|[.,:;/{}=|'\\[\\]-]{1,4}|\\r?\\n){0,20}\\n?",
        below in "(['/%|#a-zA-Z0-9 \\r\\n\\t{é漢\u{300}]{1,3}){0,9}",
    ) {
        let both = format!("{above}{below}");
        for one in Vocabulary::ALL {
            if one.adds_up(&above, &below) {
                prop_assert_eq!(one.count(&both), one.count(&above) + one.count(&below), "{}", one);
            }
        }
        let is_line = above.ends_with('\n') && below.starts_with(|c: char| c.is_ascii_alphanumeric());
        prop_assert!(!is_line || Vocabulary::O200k.adds_up(&above, &below));
    }
}
