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

/// How often they may occur in `crates`, `docs` and the README: six times the value `"by":"nobody"` of the
/// agent's results, once in its test, and three times in a sample text for `shrink`.
const MOST: usize = 10;

pub fn check(root: &Path, sources: &[Source]) -> Vec<String> {
    let mut pages = vec![root.join("README.md")];
    // Other checks have reported a folder that cannot be read.
    let _ = collect(&root.join("docs"), "md", &mut pages);
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
