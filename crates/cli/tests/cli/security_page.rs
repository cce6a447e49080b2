//! `docs/security.md` names the test that holds each promise; those tests must exist.

use std::path::Path;

/// A reference of the page: `path/from/crates.rs::test_name`.
fn references(page: &str) -> Vec<(&str, &str)> {
    page.split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|code| code.split_once(".rs::"))
        .collect()
}

#[test]
fn every_test_that_the_threat_model_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/security.md")).unwrap();
    let references = references(&page);
    assert!(references.len() > 20, "the page names too few tests");
    for (file, test) in references {
        let path = root.join("crates").join(format!("{file}.rs"));
        let source = std::fs::read_to_string(&path)
            .unwrap_or_else(|why| panic!("docs/security.md names {file}.rs: {why}"));
        assert!(
            source.contains(&format!("fn {test}(")),
            "docs/security.md names {test}, which is not in {file}.rs"
        );
    }
}

#[test]
fn every_promise_of_the_threat_model_names_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/security.md")).unwrap();
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let promises = row.split(" | ").count() == 3;
        let is_head = row.starts_with("| attack ");
        assert!(
            !promises || is_head || row.contains(".rs::"),
            "no test holds this row: {row}"
        );
    }
}
