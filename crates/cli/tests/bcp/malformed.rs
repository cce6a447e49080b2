//! Malicious files: an error with a position, bounded memory, termination, and no panic.

use crate::files::{bytes, names, vector};
use crate::run::Ran;

/// The memory limit for every file.
const MEMORY_KB: u32 = 64 * 1024;

/// The refused files, and the index of the invalid block, if there is one.
const REFUSED: &[(&str, Option<u64>)] = &[
    ("bad_magic", None),
    ("bomb_block_2048MB", Some(0)),
    ("bomb_block_300MB", Some(0)),
    ("bomb_payload_2048MB", None),
    ("bomb_payload_300MB", None),
    ("compressed_garbage", Some(0)),
    ("deep_tree_1000", Some(0)),
    ("deep_tree_10000", Some(0)),
    ("deep_tree_5000", Some(0)),
    ("deep_tree_50000", Some(0)),
    ("empty_body", Some(0)),
    ("empty_file", None),
    ("end_len5_body", None),
    ("end_truncated_1", None),
    ("end_truncated_2", None),
    ("end_truncated_3", None),
    ("hdr_has_index_trailer", None),
    ("hdr_only", None),
    ("len_4GiB", Some(0)),
    ("len_u64max", Some(0)),
    ("line_u64", Some(0)),
    ("missing_content", Some(0)),
    ("missing_end", None),
    ("payload_compressed_garbage", None),
    ("ref_32", Some(0)),
    ("ref_len_31", Some(0)),
    ("reserved_byte_1", None),
    ("role_0x102_truncates", Some(0)),
    ("role_9", Some(0)),
    ("short_7", None),
    ("summary_beyond", Some(0)),
    ("summary_huge_len", Some(0)),
    ("trailing", None),
    ("trunc_body", Some(0)),
    ("type_256", Some(0)),
    ("type_511", Some(0)),
    ("varint_10_overflow", Some(0)),
    ("varint_11_bytes", Some(0)),
    ("version_2_0", None),
    ("wiretype_5", Some(0)),
    ("wrong_wiretype_for_known", Some(0)),
    ("zstd_trailing_garbage", None),
    ("zstd_truncated", None),
];

/// The reference implementation reads these files; linkspan refuses them, because two readers could interpret
/// them differently.
const STRICTER: [&str; 4] = [
    "line_u64",
    "role_0x102_truncates",
    "varint_10_overflow",
    "wrong_wiretype_for_known",
];

/// Valid files without a block to render.
const NOTHING: [&str; 2] = ["annotation_only", "end_only"];

/// Valid files with contents that are not text.
const NOT_TEXT: [&str; 2] = ["nonutf8_content", "nonutf8_one_of_two"];

const MODES: [&str; 3] = ["xml", "markdown", "minimal"];

fn run(args: &[&str]) -> Ran {
    #[cfg(target_os = "linux")]
    let run = crate::run::Run::within_kb(MEMORY_KB, args);
    #[cfg(not(target_os = "linux"))]
    let run = crate::run::Run::new(args);
    let ran = run.end();
    assert!(ran.code.is_some(), "{args:?}: a signal ended it: {ran:?}");
    assert!(!ran.stderr.contains("panicked"), "{args:?}: {}", ran.stderr);
    assert!(ran.peak_kb <= MEMORY_KB.into(), "{args:?}: {ran:?}");
    ran
}

/// The number after `byte` or `offset` in a message.
fn offset(message: &str) -> Option<u64> {
    ["byte ", "offset "].iter().find_map(|word| {
        let mut places = message.match_indices(word);
        places.find_map(|(at, _)| {
            let rest = &message[at + word.len()..];
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            rest[..digits].parse().ok()
        })
    })
}

/// Checks that every command for reading ends with one error that has a position.
fn is_refused(name: &str, block: Option<u64>) {
    let file = vector("malformed", &format!("{name}.bcp"));
    let says_where = |message: &str| {
        assert!(offset(message).is_some(), "{name}: no offset: {message}");
        if let Some(block) = block {
            let block = format!("block {block}");
            assert!(message.contains(&block), "{name}: no {block}: {message}");
        }
    };
    for mode in MODES {
        says_where(run(&["decode", &file, "--mode", mode]).failed(1));
        let compat = run(&["decode", &file, "--mode", mode, "--compat"]);
        compat.failed(1);
        assert_eq!(compat.text(), "", "{name}: all or nothing");
    }
    says_where(run(&["inspect", &file]).failed(1));
    says_where(run(&["stats", &file]).failed(1));
    let validated = run(&["validate", &file]);
    validated.failed(1);
    let told = validated.text();
    let error = told.lines().find(|line| line.starts_with("✗ Error: "));
    says_where(error.unwrap_or_else(|| panic!("{name}: no ✗ in {told}")));
    let told = run(&["validate", &file, "--json"]);
    assert_eq!(told.code, Some(1), "{name}");
    let told = told.json();
    assert_eq!(told["valid"], false, "{name}");
    let error = &told["error"];
    assert!(error["message"].is_string(), "{name}: {told}");
    assert!(error["offset"].is_u64(), "{name}: {told}");
    if block.is_some() {
        assert_eq!(error["block"].as_u64(), block, "{name}: {told}");
    }
}

/// The refused files whose names match.
fn refused(wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = (&'static str, Option<u64>)> {
    REFUSED
        .iter()
        .copied()
        .filter(move |(name, _)| wanted(name))
}

fn large(name: &str) -> bool {
    name.starts_with("bomb") || name.starts_with("deep_tree")
}

#[test]
fn a_damaged_file_is_refused_with_a_position() {
    for (name, block) in refused(|name| !large(name)) {
        is_refused(name, block);
    }
}

#[test]
fn a_bomb_is_refused_before_it_is_inflated() {
    for (name, block) in refused(|name| name.starts_with("bomb")) {
        is_refused(name, block);
    }
}

#[test]
fn a_tree_that_is_too_deep_is_refused() {
    for (name, block) in refused(|name| name.starts_with("deep_tree")) {
        is_refused(name, block);
    }
}

#[test]
fn the_position_is_an_offset_in_the_file() {
    for (name, at) in [
        ("reserved_byte_1", Some(7)),
        ("hdr_has_index_trailer", Some(23)),
        ("trailing", Some(23)),
        ("end_len5_body", Some(23)),
        ("type_256", Some(8)),
        ("role_9", None),
        ("trunc_body", None),
        ("summary_beyond", None),
        ("wiretype_5", None),
    ] {
        let file = vector("malformed", &format!("{name}.bcp"));
        let told = run(&["validate", &file, "--json"]).json();
        let offset = told["error"]["offset"].as_u64().expect("an offset");
        let length = bytes("malformed", &format!("{name}.bcp")).len() as u64;
        // The offset counts from the start of the file.
        assert!((4..=length).contains(&offset), "{name}: {told}");
        assert!(at.is_none_or(|at| at == offset), "{name}: {told}");
    }
}

#[test]
fn unusual_but_valid_files_are_read() {
    let readable = names("malformed", ".bcp");
    let readable = readable
        .iter()
        .filter(|name| REFUSED.iter().all(|(refused, _)| refused != name));
    let mut files = 0;
    for name in readable {
        files += 1;
        let file = vector("malformed", &format!("{name}.bcp"));
        for args in [
            &["validate", &file][..],
            &["validate", &file, "--json"],
            &["inspect", &file],
            // A vocabulary alone takes 70 MB, most of it pages of the program.
            &["stats", &file, "--tokenizer", "estimate"],
        ] {
            let ran = run(args);
            assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.stderr);
        }
        for mode in MODES {
            let ran = run(&["decode", &file, "--mode", mode]);
            if NOTHING.contains(&name.as_str()) {
                ran.failed(1);
            } else if !NOT_TEXT.contains(&name.as_str()) {
                assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
            }
        }
    }
    assert_eq!(files + REFUSED.len(), names("malformed", ".bcp").len());
    assert!(files > 25, "{files}");
}

#[test]
fn one_block_that_is_not_text_does_not_hide_the_others() {
    let file = vector("malformed", "nonutf8_one_of_two.bcp");
    for mode in MODES {
        let ran = run(&["decode", &file, "--mode", mode]);
        let text = String::from_utf8_lossy(&ran.stdout);
        assert!(text.contains("Hi"), "{mode}: {ran:?}");
        // The reference implementation fails on the whole file.
        let ran = run(&["decode", &file, "--mode", mode, "--compat"]);
        ran.failed(1);
        assert_eq!(ran.text(), "", "{mode}");
    }
}

/// The results of the reference implementation: the name, the verdict, and the output in mode `minimal`.
fn results() -> Vec<(String, bool, Option<String>)> {
    let text = String::from_utf8(bytes("malformed", "RESULTS.txt")).expect("it is text");
    let mut out = Vec::new();
    let mut lines = text.lines();
    while let Some(name) = lines.next().and_then(|line| line.split_once(" [")) {
        let (Some(valid), Some(shown)) = (lines.next(), lines.next()) else {
            break;
        };
        // A Python string literal, whose only escapes are newlines.
        let shown = shown.trim().strip_prefix("decode rc=0: '");
        let shown = shown.and_then(|text| text.strip_suffix('\''));
        out.push((
            name.0.to_owned(),
            valid.contains("rc=0"),
            shown.map(|text| text.replace("\\n", "\n")),
        ));
    }
    assert!(out.len() > 50, "{}", out.len());
    out
}

#[test]
fn with_compat_unusual_files_are_rendered_like_the_reference_implementation() {
    for (name, valid, shown) in results() {
        let refused = REFUSED.iter().any(|(refused, _)| *refused == name);
        let stricter = STRICTER.contains(&name.as_str());
        assert_eq!(refused, !valid || stricter, "{name}: the tables disagree");
        let Some(shown) = shown.filter(|_| !stricter) else {
            continue;
        };
        let file = vector("malformed", &format!("{name}.bcp"));
        let ran = run(&["decode", &file, "--mode", "minimal", "--compat"]);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
        assert_eq!(ran.text(), shown, "{name}");
    }
}
