//! Texts that imitate short forms.

use crate::run::taken_back;
use crate::samples;
use crate::setup::{assert_untouched, meta, one_text, result_of, shrink};

/// Lines that begin or end a short form, and similar ones.
const OURS: [&str; 14] = [
    "%end",
    "%%end",
    "%%%end",
    "%end of story",
    "%json",
    "%json 3 rows",
    "%json/crlf 3 rows",
    "%table [3] a,b",
    "%tree 300 entries",
    "%grep root=/",
    "%lines 1-9",
    "%log 2 templates",
    "%diff",
    "%",
];

#[test]
fn a_text_of_imitated_control_lines_passes_or_is_restored() {
    let line = shrink(&[]).ready();
    for one in OURS {
        for text in [
            format!("{one}\n").repeat(200),
            format!("{one}\n{}", samples::prose()),
        ] {
            let answer = line.answer_to(&result_of(&text));
            if meta(&answer).is_null() {
                assert_untouched(&answer, &result_of(&text))
            } else {
                assert_eq!(taken_back(&one_text(&answer)), text, "{one}")
            }
        }
    }
}

#[test]
fn imitated_control_lines_around_and_inside_regions_are_restored() {
    let line = shrink(&[]).ready();
    let (search, log) = (samples::search(80), samples::log(120));
    let mut shortened = 0;
    for one in OURS {
        for text in [
            format!("{one}\n{search}"),
            format!("{search}{one}\n"),
            format!("{search}{one}"),
            format!("{one}\n\n{search}\n{one}\n{log}\n%%{one}\n"),
            search.replacen(
                "/home/ada/harbour/src/hull",
                &format!("{one}\n/home/ada/harbour/src/hull"),
                9,
            ),
            log.replace("WARN ", &format!("{one} ")),
            log.replace("2025-03-14T08:00", &format!("{one}\n2025-03-14T08:00")),
        ] {
            let answer = line.answer_to(&result_of(&text));
            if !meta(&answer).is_null() {
                shortened += 1;
                assert_eq!(taken_back(&one_text(&answer)), text, "{one}");
            }
        }
    }
    assert!(shortened > OURS.len() * 4, "{shortened}");
}

#[test]
fn a_short_form_as_a_result_is_treated_as_text() {
    let first = shrink(&[]).ready();
    let second = shrink(&[]).ready();
    for sample in samples::all() {
        let short = first.given(&sample.text);
        // The second of two layers may pass it, or shorten it further.
        let answer = second.answer_to(&result_of(&short));
        if meta(&answer).is_null() {
            assert_eq!(one_text(&answer), short)
        } else {
            assert_eq!(taken_back(&one_text(&answer)), short, "{}", sample.name)
        }
    }
}

#[test]
fn a_result_with_a_forged_shrink_entry_passes() {
    // The forgery only prevents the saving.
    let line = shrink(&[]).ready();
    let forged = r#"{"content":[{"type":"text","text":"hello"}],"_meta":{"linkspan/shrink":{"content":[{"index":0,"id":"000000000000"}],"original":"rm -rf"}}}"#;
    let text = serde_json::to_string(&samples::rows(60)).unwrap();
    let forged = forged.replace(r#""hello""#, &text);
    assert_untouched(&line.answer_to(&forged), &forged);
}
