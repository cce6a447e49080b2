//! Words that do not name their subject.

use std::fs;
use std::path::Path;

use super::sources::{Source, collect};

const WORDS: [&str; 6] = [
    "nobody",
    "somebody",
    "whoever",
    "whom",
    "everybody",
    "anybody",
];

/// Pages beside those of `docs`.
const PAGES: [&str; 4] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
];
/// The files of `examples` that have prose or comments.
const EXAMPLES: [&str; 7] = ["md", "sh", "bash", "py", "mjs", "json", "yaml"];

/// How often they may occur in `crates`, `docs`, `examples` and these pages: six times the value `"by":"nobody"` of the
/// agent's results, once in its test, and three times in a sample text for `shrink`.
const MOST: usize = 10;

pub fn check(root: &Path, sources: &[Source]) -> Vec<String> {
    let mut pages: Vec<_> = PAGES.iter().map(|page| root.join(page)).collect();
    // Other checks have reported a folder that cannot be read.
    let _ = collect(&root.join("docs"), "md", &mut pages);
    for extension in EXAMPLES {
        let _ = collect(&root.join("examples"), extension, &mut pages);
    }
    let crates = fs::read_dir(root.join("crates"));
    for one in crates.into_iter().flatten().flatten() {
        let _ = collect(&one.path().join("tests"), "rs", &mut pages);
    }
    let pages = pages
        .iter()
        .filter_map(|page| fs::read_to_string(page).ok());
    let in_pages: usize = pages.map(|text| count(&text)).sum();
    let in_sources: usize = sources.iter().map(|source| count(&source.text)).sum();
    let total = in_pages + in_sources;
    if total <= MOST {
        return Vec::new();
    }
    vec![format!(
        "{} occur {total} times, and {MOST} is the limit: name the thing",
        WORDS.join(", ")
    )]
}

fn count(text: &str) -> usize {
    let words = text.split(|c: char| !c.is_alphabetic());
    words
        .filter(|word| WORDS.iter().any(|one| word.eq_ignore_ascii_case(one)))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_counted_in_names_too() {
        assert_eq!(
            count("Nobody reads trust_everybody, but a wholehearted reader"),
            2
        );
    }
}
