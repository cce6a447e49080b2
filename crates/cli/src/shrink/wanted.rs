//! Which tools the user means.

/// Patterns with `*`; the last one that fits decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted(Vec<(String, bool)>);

impl Wanted {
    /// All tools.
    pub(crate) fn all() -> Self {
        Self(vec![("*".to_owned(), true)])
    }

    /// Only those that fit.
    pub(crate) fn only(pattern: &str) -> Self {
        Self(vec![(pattern.to_owned(), true)])
    }

    /// `only` these, or all if there are none, `except` those.
    pub(crate) fn new(only: &[String], except: &[String]) -> Self {
        let mut rules: Vec<_> = only.iter().map(|one| (one.clone(), true)).collect();
        if rules.is_empty() {
            rules.push(("*".to_owned(), true));
        }
        rules.extend(except.iter().map(|one| (one.clone(), false)));
        Self(rules)
    }

    pub(crate) fn is(&self, tool: &str) -> bool {
        let fits = self.0.iter().rev().find(|(pattern, _)| fits(pattern, tool));
        fits.is_some_and(|(_, wanted)| *wanted)
    }
}

/// Whether `text` fits a pattern in which `*` is anything.
fn fits(pattern: &str, text: &str) -> bool {
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
    fn patterns_fit_with_stars() {
        for (pattern, text) in [
            ("*", ""),
            ("a", "a"),
            ("a*", "abc"),
            ("*c", "abc"),
            ("a*c*e", "abcde"),
        ] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "ab"), ("a*a", "a"), ("", "x"), ("*b*b", "ab")] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn exceptions_win() {
        let some = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let wanted = Wanted::new(&[], &some(&["write_*"]));
        assert!(wanted.is("read_file") && !wanted.is("write_file"));
        let wanted = Wanted::new(&some(&["read_*"]), &some(&["read_media*"]));
        assert!(wanted.is("read_file") && !wanted.is("read_media_file") && !wanted.is("list"));
    }
}
