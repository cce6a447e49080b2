//! Scopes (RFC 6749 §3.3).

/// A text that is not a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a scope: it is visible ASCII without spaces, `\"` and `\\`")]
pub struct ScopeError(pub String);

/// Scopes that are separated by spaces. Each occurs once, in the order in which they stand.
pub fn parse_scopes(text: &str) -> Result<Vec<String>, ScopeError> {
    let mut scopes = Vec::new();
    for word in text.split_ascii_whitespace() {
        if !word.bytes().all(is_scope_byte) {
            return Err(ScopeError(word.to_owned()));
        }
        add(&mut scopes, word);
    }
    Ok(scopes)
}

/// Adds a scope that is not among them yet.
pub(super) fn add(scopes: &mut Vec<String>, scope: &str) {
    if !scopes.iter().any(|one| one == scope) {
        scopes.push(scope.to_owned());
    }
}

fn is_scope_byte(b: u8) -> bool {
    matches!(b, 0x21 | 0x23..=0x5b | 0x5d..=0x7e)
}

/// Whether all of `needed` are among `granted`.
pub(super) fn cover(granted: &[String], needed: &[String]) -> bool {
    needed.iter().all(|scope| granted.contains(scope))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_words_that_occur_once() {
        assert_eq!(parse_scopes(" a  b a ").unwrap(), ["a", "b"]);
        assert_eq!(parse_scopes("").unwrap(), [] as [&str; 0]);
        assert_eq!(parse_scopes("api://x/.default").unwrap().len(), 1);
        for bad in ["a\"b", "a\\b", "ä", "a\u{7f}"] {
            assert_eq!(parse_scopes(bad), Err(ScopeError(bad.to_owned())));
        }
    }
}
