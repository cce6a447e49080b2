//! Pages of the manual that are generated from the code, or name items of it.

use std::fs;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/serve")
}

/// `UPDATE=1 cargo test -p linkspan --test author manual` writes it anew.
#[test]
fn the_reference_page_matches_the_code() {
    let page = docs().join("reference.md");
    let wanted = linkspan_scripts::folder::reference();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&page, &wanted).unwrap();
    }
    let there = fs::read_to_string(&page).unwrap_or_default();
    assert!(
        there == wanted,
        "docs/serve/reference.md is out of date: UPDATE=1 cargo test -p linkspan --test author manual"
    );
}

#[test]
fn every_page_is_in_the_index_and_every_link_leads_somewhere() {
    let index = fs::read_to_string(docs().join("README.md")).unwrap();
    for entry in fs::read_dir(docs()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "README.md" || index.contains(&format!("]({name})")),
            "{name} is not in the index"
        );
        let text = fs::read_to_string(docs().join(&name)).unwrap();
        for link in text.split("](").skip(1) {
            let link = link.split([')', '#']).next().unwrap();
            let is_file = !link.is_empty() && !link.contains("://");
            assert!(
                !is_file || docs().join(link).exists(),
                "{name}: {link} leads nowhere"
            );
        }
    }
}

/// Commands in `sh` blocks must exist.
#[test]
fn commands_in_the_manual_exist() {
    let known = [
        "new", "scaffold", "validate", "run-tool", "serve", "config", "doctor", "sdk", "jq",
        "tools", "call", "expose", "connect",
    ];
    for entry in fs::read_dir(docs()).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in text.lines().filter(|line| line.starts_with("linkspan ")) {
            let verb = line.split_whitespace().nth(1).unwrap();
            assert!(known.contains(&verb), "{line}");
        }
    }
}
