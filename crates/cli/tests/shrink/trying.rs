//! `shrink try` and `shrink decode`.

use serde_json::json;

use crate::run::{Run, linkspan, taken_back};
use crate::same::{assert_shorter, tokens};
use crate::samples::{self, Sample};
use crate::setup::Place;

/// The text that `shrink try --text` prints for a text.
fn tried(text: &str) -> String {
    let ran = Run::new(&["shrink", "try", "--text"])
        .stdin(text)
        .end()
        .well();
    ran.text().to_owned()
}

#[test]
fn a_text_of_each_kind_is_shortened_and_restored() {
    for sample in samples::all() {
        assert_shorter(&tried(&sample.text), &sample);
    }
}

#[test]
fn the_regions_of_a_mixed_text_are_shortened() {
    let text = format!(
        "{}\n\n{}\nAnd the files:\n\n{}\nThat is all.\n",
        samples::prose(),
        samples::rows(60),
        samples::tree()
    );
    let new = tried(&text);
    assert!(
        new.starts_with(&samples::prose()) && new.ends_with("That is all.\n"),
        "{new}"
    );
    assert!(tokens(&new) < tokens(&text));
    assert_eq!(taken_back(&new), text, "to the byte");
}

#[test]
fn a_text_without_a_short_form_is_printed_unchanged() {
    for text in ["", "\n", "hello", &samples::prose(), "%end\n%json x\n"] {
        assert_eq!(tried(text), text);
    }
}

#[test]
fn try_reports_regions_and_savings() {
    let place = Place::new();
    let file = place.write("rows.json", samples::rows(60));
    let ran = linkspan(&["shrink", "try", &file]).well();
    let text = ran.text();
    let figures = format!("{} → ", tokens(&samples::rows(60)));
    for words in [
        "rows.json",
        "json (0.9",
        &figures,
        "% saved",
        "lossless ✓",
        "\n%json",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let prose = place.write("prose.txt", samples::prose());
    let text = linkspan(&["shrink", "try", &prose])
        .well()
        .text()
        .to_owned();
    assert!(text.contains("passes unchanged"), "{text}");
    assert!(!text.contains(&samples::prose()[..100]), "{text}");
    assert!(text.lines().count() < 10, "{text}");
}

#[test]
fn several_files_are_summed_up() {
    let place = Place::new();
    let files = [
        place.write("a.json", samples::rows(60)),
        place.write("b.txt", samples::prose()),
    ];
    let ran = linkspan(&["shrink", "try", &files[0], &files[1]]).well();
    assert!(ran.text().contains("2 texts, 1 shorter"), "{}", ran.text());
}

#[test]
fn try_prints_json_on_request() {
    let place = Place::new();
    let rows = place.write("rows.json", samples::rows(60));
    let prose = place.write("prose.txt", samples::prose());
    let lines = linkspan(&["shrink", "try", "--json", &rows, &prose])
        .well()
        .json_lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["file"], rows);
    assert_eq!(lines[0]["before"], tokens(&samples::rows(60)));
    assert!(lines[0]["after"].as_u64() < lines[0]["before"].as_u64());
    assert_eq!(lines[0]["changed"], true);
    assert_eq!(lines[0]["lossless"], true);
    assert_eq!(lines[0]["kinds"], json!(["json"]));
    assert_eq!(lines[1]["changed"], false);
    assert_eq!(lines[1]["before"], lines[1]["after"]);
    assert!(lines[1]["kept"].is_string());
}

#[test]
fn control_characters_are_escaped_on_a_terminal() {
    let text = samples::log(200) + "\x1b]0;you have been had\x07\n";
    let ran = Run::new(&["shrink", "try"]).stdin(text).end().well();
    assert!(ran.text().contains("you have been had"), "{}", ran.text());
    assert!(!ran.stdout.contains(&0x1b), "{}", ran.text());
}

#[test]
fn unreadable_files_are_reported() {
    let place = Place::new();
    let missing = place.file("missing");
    for verb in ["try", "decode"] {
        let ran = linkspan(&["shrink", verb, &missing]);
        assert!(ran.failed(1).contains("missing"), "{}", ran.stderr);
        let torn = place.write("torn", b"caf\xe9".repeat(100));
        let ran = linkspan(&["shrink", verb, &torn]);
        assert!(ran.failed(1).contains("not UTF-8"), "{}", ran.stderr);
    }
}

#[test]
fn a_file_without_the_subcommand_try_is_an_error_with_a_hint() {
    let place = Place::new();
    for file in [place.write("result.json", "[]"), place.file("missing.json")] {
        let ran = linkspan(&["shrink", &file]);
        ran.failed(2);
        let said = &ran.stderr;
        assert!(said.contains("not a server"), "{said}");
        assert!(
            said.contains(&format!("linkspan shrink try {file}")),
            "{said}"
        );
    }
}

#[test]
fn invalid_values_are_reported_with_the_valid_ones() {
    for (flag, value, right) in [
        ("--level", "extreme", "balanced"),
        ("--tokens", "words", "o200k"),
        ("--threshold", "2", "from 0 to 1"),
        ("--render", "html", "markdown"),
        ("--lossy", "everything", "failures-only"),
        ("--min-saving", "101", "100"),
    ] {
        let ran = linkspan(&["shrink", "try", flag, value]);
        assert_eq!(ran.code, Some(2), "{flag}");
        assert!(ran.stderr.contains(right), "{flag}: {}", ran.stderr);
    }
    let ran = linkspan(&["shrink", "try", "--text", "--json"]);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn a_modified_short_form_is_an_error() {
    let new = tried(&samples::search(80));
    let cut = &new[..new.len() / 2];
    for broken in [
        cut.to_owned(),
        "%json\n{".to_owned(),
        "%table 3 rows\nnothing".to_owned(),
    ] {
        let ran = Run::new(&["shrink", "decode"]).stdin(broken.clone()).end();
        // A part of a short form may be valid again, but decoding never panics, and an error names its line.
        if ran.code != Some(0) {
            assert!(ran.failed(1).contains("line "), "{}", ran.stderr);
            assert!(ran.stderr.contains("hint:"), "{}", ran.stderr);
        }
        assert!(!ran.stderr.contains("panicked"), "{broken}: {}", ran.stderr);
    }
}

#[test]
fn vocabularies_differ_and_can_be_chosen() {
    let place = Place::new();
    let rows = place.write("rows.json", samples::rows(60));
    let count = |vocabulary: &str| {
        let ran = linkspan(&["shrink", "try", "--json", "--tokens", vocabulary, &rows]);
        ran.well().json_lines()[0]["before"].as_u64().unwrap()
    };
    let counts = ["o200k", "cl100k", "estimate"].map(count);
    assert_eq!(counts[0], tokens(&samples::rows(60)));
    assert!(counts.iter().all(|count| *count > 500), "{counts:?}");
}

#[test]
fn files_are_read_from_a_pipe() {
    let sample = Sample {
        name: "search",
        text: samples::search(80),
        is_json: false,
    };
    let place = Place::new();
    let short = place.write("short", tried(&sample.text));
    let ran = linkspan(&["shrink", "decode", &short]).well();
    assert_eq!(ran.text(), sample.text);
}
