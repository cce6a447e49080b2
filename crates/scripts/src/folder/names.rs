//! Names that every client accepts, and the known name closest to a misspelled one.

/// How long a name may be.
const LONGEST: usize = 64;

/// Whether clients take it as the name of a tool.
pub(super) fn is_fit(name: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=LONGEST).contains(&name.len()) && name.bytes().all(known)
}

/// A name that clients take, as near to this one as may be.
pub(super) fn fit(name: &str) -> String {
    if is_fit(name) {
        return name.to_owned();
    }
    let known = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let swapped = name.chars().map(|c| if known(c) { c } else { '_' });
    let fit: String = swapped.take(LONGEST).collect();
    match fit.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
        true => fit,
        // Nothing is left of a name in another script: its characters' numbers are at least stable.
        false => {
            let numbers = name.chars().map(|c| format!("u{:x}", c as u32));
            let long: String = numbers.collect::<Vec<_>>().join("_");
            let short: String = long.chars().take(LONGEST).collect();
            match short.is_empty() {
                true => "unnamed".to_owned(),
                false => short,
            }
        }
    }
}

/// The word that is nearest to another, if any is near enough to be a slip.
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

/// Whether a name is one of those that a pattern means; `*` at its end stands for anything.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

/// How many letters have to be put in, taken out, exchanged, or swapped with their neighbour.
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
                    match swapped {
                        true => least.min(rows[i - 2][j - 2] + 1),
                        false => least,
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
    fn a_name_becomes_one_that_clients_take() {
        assert_eq!(fit("greet"), "greet");
        assert_eq!(fit("my tool.v2"), "my_tool_v2");
        assert_eq!(fit("größe"), "gr__e");
        assert_eq!(fit("工具"), "u5de5_u5177");
        assert_eq!(fit(""), "unnamed");
        assert_eq!(fit(&"x".repeat(99)).len(), 64);
        for odd in ["", "...", "\u{202e}", "a/b", "🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀"]
        {
            assert!(is_fit(&fit(odd)), "{odd:?}");
        }
    }

    #[test]
    fn the_nearest_word_is_a_slip_away() {
        let words = ["timeoutSecs", "timeoutHint", "title"];
        assert_eq!(nearest("timeoutsec", words), Some("timeoutSecs"));
        assert_eq!(nearest("timeout", words), Some("timeoutSecs"));
        assert_eq!(nearest("tilte", words), Some("title"));
        assert_eq!(nearest("colour", words), None);
        assert_eq!(nearest("nmae", ["name"]), Some("name"));
        assert_eq!(nearest("source", ["resources"]), None);
    }

    #[test]
    fn a_star_at_the_end_stands_for_anything() {
        assert!(matches("git_*", "git_log"));
        assert!(matches("*", "git_log"));
        assert!(!matches("git", "git_log"));
    }
}
