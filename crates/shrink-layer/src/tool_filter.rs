//! A set of tools, by patterns.

/// Patterns in which `*` matches any text; the last matching pattern decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFilter(Vec<(String, bool)>);

impl ToolFilter {
    /// All tools.
    pub fn all() -> Self {
        Self(vec![("*".to_owned(), true)])
    }

    /// The tools that match one pattern.
    pub fn only(pattern: &str) -> Self {
        Self(vec![(pattern.to_owned(), true)])
    }

    /// The tools that match `only` (all if it is empty) and do not match `except`.
    pub fn new(only: &[String], except: &[String]) -> Self {
        let mut rules: Vec<_> = only.iter().map(|one| (one.clone(), true)).collect();
        if rules.is_empty() {
            rules.push(("*".to_owned(), true));
        }
        rules.extend(except.iter().map(|one| (one.clone(), false)));
        Self(rules)
    }

    /// Whether a tool is in the set.
    pub fn matches(&self, tool: &str) -> bool {
        let rule = self
            .0
            .iter()
            .rev()
            .find(|(pattern, _)| matches(pattern, tool));
        rule.is_some_and(|(_, included)| *included)
    }
}

/// Whether `text` matches a pattern in which `*` matches any text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_anything() {
        for (pattern, text) in [
            ("*", ""),
            ("a", "a"),
            ("a*", "abc"),
            ("*c", "abc"),
            ("a*c*e", "abcde"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "ab"), ("a*a", "a"), ("", "x"), ("*b*b", "ab")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn an_exception_overrides_an_inclusion() {
        let some = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let filter = ToolFilter::new(&[], &some(&["write_*"]));
        assert!(filter.matches("read_file") && !filter.matches("write_file"));
        let filter = ToolFilter::new(&some(&["read_*"]), &some(&["read_media*"]));
        assert!(
            filter.matches("read_file")
                && !filter.matches("read_media_file")
                && !filter.matches("list")
        );
    }
}
