//! Comments, attributes and Markdown have at most 120 columns. rustfmt breaks code only.

use std::fs;
use std::path::Path;

use super::sources::{Source, collect};

const MOST: usize = 120;

/// Files with longer lines, by the beginning of their path, with the reason.
const KNOWN: [(&str, &str); 6] = [
    ("crates/auth/", "changes to it are under way"),
    ("crates/auth-io/", "changes to it are under way"),
    (
        "crates/cli/src/args/sign_in.rs",
        "changes to it are under way",
    ),
    (
        "crates/ports/src/front/principal.rs",
        "changes to it are under way",
    ),
    ("docs/auth", "changes to it are under way"),
    ("docs/serve/", "changes to it are under way"),
];

pub fn check(root: &Path, sources: &[Source]) -> Vec<String> {
    let mut violations = Vec::new();
    for source in sources {
        let lines = source.text.lines().enumerate();
        let lines = lines.filter(|(_, line)| is_comment_or_attribute(line));
        violations.extend(too_long(&source.path, lines));
    }
    let mut pages = vec![root.join("README.md"), root.join("ARCHITECTURE.md")];
    // The tests of the book report a folder that cannot be read.
    let _ = collect(&root.join("docs"), "md", &mut pages);
    for page in pages {
        let text = fs::read_to_string(&page).unwrap_or_default();
        let path = page.strip_prefix(root).unwrap_or(&page);
        let path = path.to_string_lossy().replace('\\', "/");
        violations.extend(too_long(&path, prose(&text).into_iter()));
    }
    violations
}

fn too_long<'a>(path: &str, lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<String> {
    if KNOWN.iter().any(|(known, _)| path.starts_with(known)) {
        return Vec::new();
    }
    lines
        .filter(|(_, line)| columns(line) > MOST)
        .map(|(at, line)| format!("{path}:{}: {} columns", at + 1, line.chars().count()))
        .collect()
}

/// Rows of tables in comments cannot be broken.
fn is_comment_or_attribute(line: &str) -> bool {
    let line = line.trim_start();
    let is_row = line.starts_with("//! |") || line.starts_with("/// |");
    !is_row
        && ["//", "#[", "#!["]
            .iter()
            .any(|start| line.starts_with(start))
}

/// The lines of a page, without tables and blocks of code.
fn prose(page: &str) -> Vec<(usize, &str)> {
    let mut in_code = false;
    let is_prose = |(_, line): &(usize, &str)| {
        let line = line.trim_start();
        let is_fence = line.starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence && !line.starts_with('|')
    };
    page.lines().enumerate().filter(is_prose).collect()
}

/// The length of a line without its URLs, which cannot be broken.
fn columns(line: &str) -> usize {
    let words = line.split(' ').filter(|word| !word.contains("://"));
    let length: usize = words.map(|word| word.chars().count() + 1).sum();
    length.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_tables_and_urls_do_not_count() {
        let long = "x".repeat(121);
        assert!(is_comment_or_attribute("    // why"));
        assert!(is_comment_or_attribute("#[arg(long)]"));
        assert!(!is_comment_or_attribute("/// | a | row |"));
        assert!(!is_comment_or_attribute("let code = 1;"));
        assert_eq!(columns(&long), 121);
        assert_eq!(columns(&format!("see https://{long} there")), 9);
        let page = format!("{long}\n| {long} |\n```\n{long}\n```\n{long}");
        let lines: Vec<usize> = prose(&page).iter().map(|(at, _)| *at).collect();
        assert_eq!(lines, [0, 5]);
        let found = too_long("docs/x.md", prose(&page).into_iter());
        assert_eq!(
            found,
            ["docs/x.md:1: 121 columns", "docs/x.md:6: 121 columns"]
        );
    }
}
