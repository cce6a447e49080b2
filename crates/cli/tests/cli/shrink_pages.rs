//! The pages of docs/shrink show a text and its short form side by side; the short form decodes to the text.

use std::fs;
use std::path::Path;

use crate::setup::Run;

/// A text and its short form, as a page shows them.
struct Example {
    original: String,
    short: String,
}

#[test]
fn the_examples_of_the_shrink_pages_decode_to_the_original() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/shrink");
    let mut found = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let page = fs::read_to_string(&path).unwrap();
        for example in examples(&page) {
            found += 1;
            let decoded = Run::new(&["shrink", "decode"]).stdin(&example.short).end();
            assert!(
                is_shown(&decoded.stdout, &example.original),
                "{}: {}\ndecodes to\n{}\nand not to\n{}",
                path.display(),
                example.short,
                decoded.stdout,
                example.original
            );
        }
    }
    assert!(found >= 7, "only {found} examples were found");
}

#[test]
fn another_text_is_noticed() {
    assert!(is_shown("a\u{a0}b\n", "a b") && is_shown("[1,2,3]\n", "[\n  1, …"));
    assert!(!is_shown("a b", "a  b") && !is_shown("[2]", "[\n  1, …") && !is_shown("a", ""));
}

/// Whether a page shows this text. Pages write U+00A0 as a space, and `…` for the rest of JSON, which decodes
/// to the same value without white space.
fn is_shown(decoded: &str, shown: &str) -> bool {
    let decoded = decoded.replace('\u{a0}', " ");
    match shown.strip_suffix('…') {
        Some(beginning) => {
            let dense = |text: &str| text.replace([' ', '\n'], "");
            dense(&decoded).starts_with(&dense(beginning))
        }
        None => decoded.trim_end_matches('\n') == shown,
    }
}

/// The blocks with two columns, of which the right one begins with `%word `.
fn examples(page: &str) -> Vec<Example> {
    let blocks = page.split("```text\n").skip(1);
    blocks
        .filter_map(|rest| rest.split("```").next())
        .filter_map(columns)
        .collect()
}

fn columns(block: &str) -> Option<Example> {
    let first = block.lines().next()?;
    let right = first.find("  %")? + 2;
    let column = first[..right].chars().count();
    let mut example = Example {
        original: String::new(),
        short: String::new(),
    };
    for line in block.lines() {
        let left: String = line.chars().take(column).collect();
        let right: String = line.chars().skip(column).collect();
        example.original += left.trim_end_matches([' ', '►', '─', '⇄']);
        example.original.push('\n');
        example.short += right.trim_end();
        example.short.push('\n');
    }
    let plain = |text: String| text.trim_end_matches('\n').replace('⇥', "\t");
    Some(Example {
        original: plain(example.original),
        short: plain(example.short),
    })
}
