//! The pages that docs/SUMMARY.md lists, as paths from the workspace's root.

/// Every page, in order.
pub fn of(summary: &str) -> Vec<String> {
    links(summary).map(path).collect()
}

/// The summary for a book whose sources are in the root instead of docs/.
pub fn from_root(summary: &str) -> String {
    let mut text = summary.to_owned();
    for link in links(summary) {
        text = text.replace(&format!("]({link})"), &format!("]({})", path(link)));
    }
    text
}

fn links(summary: &str) -> impl Iterator<Item = &str> {
    summary
        .lines()
        .filter_map(|line| line.rsplit_once("](")?.1.strip_suffix(')'))
}

fn path(link: &str) -> String {
    link.strip_prefix("../")
        .map_or_else(|| format!("docs/{link}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMARY: &str =
        "# Summary\n\n[Why](why.md)\n\n- [A](serve/a.md)\n  - [B](../bench/B.md)\n";

    #[test]
    fn pages_are_named_from_the_root() {
        assert_eq!(
            of(SUMMARY),
            ["docs/why.md", "docs/serve/a.md", "bench/B.md"]
        );
        let moved = from_root(SUMMARY);
        assert!(moved.contains("- [A](docs/serve/a.md)\n  - [B](bench/B.md)\n"));
    }
}
