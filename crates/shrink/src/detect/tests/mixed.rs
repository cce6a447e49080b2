//! Texts with regions of several kinds, and texts that only resemble a kind.

use super::*;

#[test]
fn a_json_value_between_sentences_is_found() {
    let text = "The users are:\n{\n  \"users\": [\n    1,\n    2\n  ]\n}\nThat is all.\n";
    assert_eq!(
        kinds(text),
        [(Kind::Plain, 1, 1), (Kind::Json, 2, 7), (Kind::Plain, 8, 8)]
    );
}

#[test]
fn a_text_that_is_one_value_is_json_with_its_white_space() {
    assert_eq!(kind(" \n [1, 2,\n3]\n\n"), Kind::Json);
}

#[test]
fn a_json_value_that_ends_within_a_line_is_not_a_region() {
    let text = "{\n  \"a\": 1\n} and so on\n";
    assert_eq!(kind(text), Kind::Plain);
}

#[test]
fn a_truncated_json_value_is_not_a_region() {
    let text = "Here:\n[\n  {\n    \"a\": 1\n  },\n  {\n    \"a\"";
    assert_eq!(kind(text), Kind::Plain);
}

#[test]
fn values_on_a_line_each_are_ndjson() {
    assert_eq!(kind("{\"a\":1}\n{\"a\":2}\n{\"a\":3}"), Kind::Ndjson);
}

#[test]
fn fences_are_plain_and_their_contents_are_detected() {
    let text =
        "Look:\n\n```rust\nfn main() {}\n```\n\n```json\n{\"a\": 1}\n```\n\n~~~\nsome words\n~~~\n";
    let expected = [
        (Kind::Plain, 1, 3),
        (Kind::Code, 4, 4),
        (Kind::Plain, 5, 7),
        (Kind::Json, 8, 8),
        (Kind::Plain, 9, 11),
        (Kind::Code, 12, 12),
        (Kind::Plain, 13, 13),
    ];
    assert_eq!(kinds(text), expected);
    let regions = detect(text, 0.0);
    assert_eq!(regions[1].lang.as_deref(), Some("rust"));
    assert_eq!((regions[1].confidence, regions[5].confidence), (0.95, 0.7));
}

#[test]
fn a_fence_without_a_language_may_hold_search_results() {
    let text = "Found:\n```\nsrc/a.rs:1:one\nsrc/a.rs:7:two\nsrc/b.rs:3:three\n```\n";
    let expected = [
        (Kind::Plain, 1, 2),
        (Kind::Search, 3, 5),
        (Kind::Plain, 6, 6),
    ];
    assert_eq!(kinds(text), expected);
}

#[test]
fn a_fence_within_a_longer_fence_does_not_end_it() {
    let text = "````md\n```\nx\n```\n````\nafter\n";
    assert_eq!(kinds(text)[1], (Kind::Code, 2, 4));
}

#[test]
fn a_fence_that_is_never_closed_hides_nothing() {
    let text = "```\n{\n \"a\": [1,\n 2]\n}\n";
    assert_eq!(kinds(text), [(Kind::Plain, 1, 1), (Kind::Json, 2, 5)]);
}

#[test]
fn the_content_below_a_path_is_code_of_that_file() {
    let text = "## src/main.rs\n\nuse std::io;\n\nfn main() {\n    run();\n}\n\n## notes.txt\nJust words here.\n";
    let code = only(text, Kind::Code);
    assert_eq!(code.path.as_deref(), Some("src/main.rs"));
    assert_eq!(code.confidence, 0.8);
    assert_eq!(
        &text[code.range],
        "use std::io;\n\nfn main() {\n    run();\n}\n"
    );
}

#[test]
fn a_fence_below_a_path_is_of_that_file() {
    let text = "**src/a.py**\n```python\nprint(1)\n```\n";
    assert_eq!(only(text, Kind::Code).path.as_deref(), Some("src/a.py"));
}

#[test]
fn several_tables_with_prose_between_them_are_regions_of_their_own() {
    let table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n";
    let text = format!("One:\n\n{table}\nTwo:\n\n{table}\nEnd.\n");
    let expected = [
        (Kind::Plain, 1, 2),
        (Kind::Markdown, 3, 6),
        (Kind::Plain, 7, 9),
        (Kind::Markdown, 10, 13),
        (Kind::Plain, 14, 15),
    ];
    assert_eq!(kinds(&text), expected);
}

#[test]
fn a_stack_trace_belongs_to_the_log_around_it() {
    let text = "\
2025-01-02 03:04:05 INFO one
2025-01-02 03:04:06 ERROR two
java.lang.IllegalStateException: no
\tat a.B.c(B.java:1)
\tat a.B.d(B.java:2)
Caused by: java.io.IOException: disk
\t... 2 more
2025-01-02 03:04:07 INFO three
2025-01-02 03:04:08 INFO four
";
    assert_eq!(kind(text), Kind::Log);
}

#[test]
fn a_header_above_search_results_is_plain() {
    let text = "Found 3 matches in 2 files:\n\nsrc/a.rs:1:one\nsrc/a.rs:7:two\nsrc/b.rs:3:three\n";
    assert_eq!(kinds(text), [(Kind::Plain, 1, 2), (Kind::Search, 3, 5)]);
}

#[test]
fn prose_is_plain() {
    let text = "\
This is a text, and it has commas, too. It says: nothing.
There are (some) brackets; semicolons; and a few dashes - like this.
In 2025, on 3/4, we went from here/there to the end. Note: that was all.

# A heading
* one
* two, with a comma
";
    assert_eq!(kind(text), Kind::Plain);
}

#[test]
fn code_without_a_path_is_plain() {
    let text = "fn main() {\n    let a = [1, 2, 3];\n    let b = {\n        a\n    };\n    print(a, b);\n}\n";
    assert_eq!(kind(text), Kind::Plain);
}

#[test]
fn an_empty_text_is_one_plain_region() {
    assert_eq!(detect("", 0.7).len(), 1);
    assert_eq!(line_numbers("", &detect("", 0.7)), [(1, 1)]);
}

#[test]
fn a_region_below_the_threshold_is_plain() {
    let text = "a: 1\nb:\n  c: 2\n  d: 3\ne: 4\n";
    assert_eq!(kind(text), Kind::Yaml);
    assert_eq!(detect(text, 0.8)[0].kind, Kind::Plain);
}

/// Each of these makes a finder read far without a match at every line; reading the rest of the text again for each
/// line would take hours.
#[test]
fn hostile_texts_are_read_in_linear_time() {
    let lines = [
        "[",
        "{\"a\":",
        "[1,",
        "a, b",
        "\"a,",
        "```a",
        "~~~~",
        "commit abcdef0\n",
        "INFO x\n\n\n",
        "a: b",
        "- a",
        "## a.rs\nfoo bar",
        "a  b",
        "├",
        "1\t",
        "@@ -1,9 +1,9 @@",
        "--- a\n+++ b",
        "<b>",
        "a/b:",
        "x=1",
        "| a",
    ];
    for line in lines {
        let text = format!("{line}\n").repeat(5_000);
        assert!(!detect(&text, 0.7).is_empty());
    }
    let lengths: String = (3..1000)
        .rev()
        .map(|length| "`".repeat(length) + "a\n")
        .collect();
    assert!(!detect(&lengths, 0.7).is_empty());
}
