//! Quotes words for a shell.

/// A word quoted for a POSIX shell: in single quotes if it needs quotes.
pub fn shell_quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_are_unquoted() {
        assert_eq!(shell_quoted("/a/b-c.d"), "/a/b-c.d");
        assert_eq!(shell_quoted("it's"), r"'it'\''s'");
        assert_eq!(shell_quoted("$(rm)"), "'$(rm)'");
        assert_eq!(shell_quoted(""), "''");
    }

    #[cfg(unix)]
    #[test]
    fn quoted_words_round_trip_through_a_shell() {
        for word in ["/a/b-c.d", "it's", "$(rm)", "", "a b", "*"] {
            let ran = std::process::Command::new("sh")
                .args(["-c", &format!("printf %s {}", shell_quoted(word))])
                .output();
            assert_eq!(ran.expect("a shell").stdout, word.as_bytes());
        }
    }
}
