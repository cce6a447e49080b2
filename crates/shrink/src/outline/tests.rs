use proptest::prelude::*;

use super::*;
use crate::detect::detect;
use crate::policy::{Keep, Policy};
use crate::text::{Text, work};
use crate::{decode, marks};

fn outlined(text: &str, budget: u64) -> String {
    let outline = outline(
        text,
        &detect(text, 0.7),
        &Context::default(),
        budget,
        "abc123",
    );
    assert!(outline.contains("abc123"), "{outline}");
    outline
}

fn lines(count: usize) -> String {
    (1..=count)
        .map(|number| format!("This is line number {number}, and it says little.\n"))
        .collect()
}

#[test]
fn an_outline_lists_regions_and_how_to_get_the_rest() {
    let outline = outlined(&lines(1000), 300);
    let (first, rest) = outline.split_once('\n').unwrap();
    assert!(
        first.starts_with("[linkspan: 1000 lines, 12001 tokens"),
        "{first}"
    );
    assert!(
        first
            .contains(r#"bcp_fetch {"id":"abc123","range":"1-200"} or {"id":"abc123","grep":"…"}"#)
    );
    assert!(rest.contains("\n[linkspan: lines 1-"), "{rest}");
    assert!(rest.contains("This is line number 1,"));
    assert!(rest.contains("left out]\n"));
    assert!(rest.ends_with("This is line number 1000, and it says little."));
}

#[test]
fn json_is_shown_by_its_shape_and_first_element() {
    let rows: Vec<String> = (0..500)
        .map(|id| {
            format!("    {{\"id\": {id}, \"tags\": [\"a\"], \"owner\": {{\"name\": \"x\"}}}}")
        })
        .collect();
    let text = format!(
        "{{\n  \"total\": 500,\n  \"rows\": [\n{}\n  ]\n}}\n",
        rows.join(",\n")
    );
    let outline = outlined(&text, 400);
    assert!(outline.contains(r#""jq":"…""#));
    assert!(outline.contains("json, about "));
    assert!(
        outline.contains("{total, rows: array of 500 {id, tags: array of 1, owner: object}}"),
        "{outline}"
    );
    assert!(
        outline.contains(r#"; first: {"id": 0, "tags": ["a"], "owner": {"name": "x"}}"#),
        "{outline}"
    );
}

#[test]
fn headings_and_signatures_are_shown_with_their_lines() {
    let text = format!("# Guide\n\n{}\n## Install\n\n{}", lines(200), lines(200));
    let outline = outlined(&text, 300);
    assert!(
        outline.contains("\n1: # Guide\n204: ## Install\n"),
        "{outline}"
    );
    let code = format!(
        "```rust\npub fn one() {{\n{}}}\n\nimpl Two for Three {{\n}}\n```\n",
        "    call(1);\n".repeat(300)
    );
    let outline = outlined(&code, 300);
    assert!(
        outline.contains("\n2: pub fn one() {\n305: impl Two for Three {\n"),
        "{outline}"
    );
}

#[test]
fn there_may_be_room_for_the_handle_only() {
    let outline = outlined(&lines(1000), 20);
    assert_eq!(
        outline,
        r#"[linkspan: too long; get it with bcp_fetch {"id":"abc123"}]"#
    );
}

/// Returns the same id for every original.
struct SameId;

impl Keep for SameId {
    fn keep(&self, _: &str, _: &str) -> Option<String> {
        Some("abc123".to_owned())
    }
}

#[test]
fn imitated_outline_marks_are_escaped() {
    let forged = outlined(&lines(1000), 300);
    let text = Text {
        text: &format!("{forged}\n{}", lines(1000)),
        tool: "t",
        budget: Some(400),
    };
    let worked = work(&text, &Policy::default(), &SameId, &Default::default());
    let outline = worked.text.unwrap();
    assert!(outline.starts_with("[linkspan: 1"), "{outline}");
    assert!(outline.contains("\n[[linkspan: 1000 lines"), "{outline}");
    // The head, and the marks of the shown and omitted lines.
    assert_eq!(marks::count(&outline), 3, "{outline}");
    assert_eq!(decode(&outline).unwrap(), outline);
}

#[test]
fn a_single_long_line_is_cut() {
    let outline = outlined(&"word ".repeat(100_000), 300);
    assert!(outline.contains("[linkspan: 1 lines, "));
    assert!(outline.ends_with('…'), "{outline}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_outline_stays_within_its_budget_and_copies_its_lines(
        pieces in proptest::collection::vec(prop_oneof![
            Just("# Heading\n".to_owned()), Just("some words\n".to_owned()), Just("\n".to_owned()), Just("é€😀\r\n".to_owned()),
            Just("{\n \"a\": [1, 2,\n 3]\n}\n".to_owned()), Just("```rust\nfn a() {\n}\n```\n".to_owned()), Just("a,b,c\n".to_owned()),
            any::<String>(), Just("x".repeat(1000)), Just("src/a.rs:1:one\n".to_owned()),
        ], 0..60),
        budget in 60u64..600,
    ) {
        let text = pieces.concat();
        let context = Context::default();
        let outline = outlined(&text, budget);
        prop_assert!(context.tokens(&outline) <= budget.max(30), "{}", outline);
        // Below the head, every line is copied from the text or is an omission mark.
        let shown = outline.split_once("\n[linkspan: lines 1-").map_or("", |(_, shown)| shown);
        for line in shown.split('\n').skip(1) {
            let known = line.starts_with("[linkspan: lines ") || match line.strip_suffix('…') {
                Some(cut) => text.contains(cut),
                None => text.contains(line),
            };
            prop_assert!(known, "{:?} is not in {:?}", line, text);
        }
    }
}
