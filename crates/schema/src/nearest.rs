//! The known name that is closest to a misspelt one.

/// How many characters of a name are compared.
const LONGEST: usize = 64;

/// The nearest word, if it is near enough for a typing error.
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let near = |other: &str| distance(&lower, &other.to_lowercase());
    let (distance, found) = words
        .into_iter()
        .map(|other| (near(other), other))
        .min_by_key(|(distance, _)| *distance)?;
    let longest = word.chars().count().max(found.chars().count());
    let prefix = lower.len() >= 3 && found.to_lowercase().starts_with(&lower);
    (prefix || distance <= 1 + longest / 5).then_some(found)
}

/// The edit distance: insertions, deletions, substitutions and swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(LONGEST).collect();
    let b: Vec<char> = b.chars().take(LONGEST).collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = match (i, j) {
                (0, _) => j,
                (_, 0) => i,
                _ => {
                    let exchanged = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let least = exchanged.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                    let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    if swapped {
                        least.min(rows[i - 2][j - 2] + 1)
                    } else {
                        least
                    }
                }
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_typing_errors() {
        let words = ["timeoutSecs", "timeoutHint", "title"];
        assert_eq!(nearest("timeoutsec", words), Some("timeoutSecs"));
        assert_eq!(nearest("timeout", words), Some("timeoutSecs"));
        assert_eq!(nearest("tilte", words), Some("title"));
        assert_eq!(nearest("colour", words), None);
        assert_eq!(nearest("nmae", ["name"]), Some("name"));
        assert_eq!(nearest("source", ["resources"]), None);
    }
}
