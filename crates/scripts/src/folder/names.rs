//! Names that every client accepts.

/// Length limit of a name.
const LONGEST: usize = 64;

/// Whether clients accept it as the name of a tool.
pub(super) fn is_fit(name: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=LONGEST).contains(&name.len()) && name.bytes().all(known)
}

/// The name with unaccepted characters replaced.
pub(super) fn fit(name: &str) -> String {
    if is_fit(name) {
        return name.to_owned();
    }
    let known = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let swapped = name.chars().map(|c| if known(c) { c } else { '_' });
    let fit: String = swapped.take(LONGEST).collect();
    if fit.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
        return fit;
    }
    // A name without ASCII letters would become underscores only; its code points are at least stable.
    let numbers = name.chars().map(|c| format!("u{:x}", c as u32));
    let long: String = numbers.collect::<Vec<_>>().join("_");
    let short: String = long.chars().take(LONGEST).collect();
    if short.is_empty() {
        "unnamed".to_owned()
    } else {
        short
    }
}

/// Whether a pattern matches a name; `*` at its end matches any rest.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_valid_for_clients() {
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
    fn a_trailing_star_matches_any_rest() {
        assert!(matches("git_*", "git_log"));
        assert!(matches("*", "git_log"));
        assert!(!matches("git", "git_log"));
    }
}
