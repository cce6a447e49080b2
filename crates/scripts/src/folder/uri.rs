//! URIs and URI templates in metadata.

pub(super) use crate::uri::{encode, is_scheme, of_file};

/// The scheme of a URI or URI template, or the error in it.
pub(super) fn scheme(uri: &str) -> Result<&str, &'static str> {
    let Some((scheme, rest)) = uri.split_once(':') else {
        return Err("has no scheme, such as `file:` or `notes:`");
    };
    if !is_scheme(scheme) {
        return Err("has no scheme, such as `file:` or `notes:`");
    }
    if rest.is_empty() {
        return Err("has only a scheme");
    }
    if rest.chars().any(|c| c.is_whitespace() || c.is_control()) {
        Err("has a space or a control character in it")
    } else {
        Ok(scheme)
    }
}

/// A pattern that RFC 6570 does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PatternError {
    #[error("has a `}}` without a `{{`")]
    NotOpened,
    #[error("has a `{{` without a `}}`")]
    NotClosed,
    #[error("`{{{0}}}` is not an expression of RFC 6570")]
    Expression(String),
}

/// The variables of a pattern (RFC 6570).
pub(super) fn variables(template: &str) -> Result<Vec<&str>, PatternError> {
    let mut found = Vec::new();
    let mut rest = template;
    while let Some(open) = rest.find(['{', '}']) {
        if rest[open..].starts_with('}') {
            return Err(PatternError::NotOpened);
        }
        let Some(close) = rest[open..].find('}') else {
            return Err(PatternError::NotClosed);
        };
        let expression = &rest[open + 1..open + close];
        rest = &rest[open + close + 1..];
        let names = expression
            .strip_prefix(['+', '#', '.', '/', ';', '?', '&'])
            .unwrap_or(expression);
        for name in names.split(',') {
            let name = name.strip_suffix('*').unwrap_or(name);
            let (name, length) = name.split_once(':').unwrap_or((name, "1"));
            let known = |c: char| c.is_ascii_alphanumeric() || "_.%".contains(c);
            let fits = !name.is_empty() && name.chars().all(known) && length.parse::<u16>().is_ok();
            if !fits {
                return Err(PatternError::Expression(expression.to_owned()));
            }
            if !found.contains(&name) {
                found.push(name);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_encoded_as_a_uri() {
        let path = std::path::Path::new("/a b/größe#1?.md");
        assert_eq!(of_file(path), "file:///a%20b/gr%C3%B6%C3%9Fe%231%3F.md");
    }

    #[test]
    fn an_address_has_a_scheme() {
        assert_eq!(scheme("notes://x/1"), Ok("notes"));
        assert_eq!(scheme("git+https://x"), Ok("git+https"));
        for wrong in ["notes", "/a:b", "1x:y", "a:", "a:b c"] {
            assert!(scheme(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_variables_of_a_pattern_are_found() {
        assert_eq!(
            variables("a://{x}/{+y}{?z,w*}{x:3}").unwrap(),
            ["x", "y", "z", "w"]
        );
        assert_eq!(variables("a://b").unwrap(), Vec::<&str>::new());
        for wrong in [
            "a://{",
            "a://}",
            "a://{}",
            "a://{a b}",
            "a://{x:y}",
            "a://{{x}}",
        ] {
            assert!(variables(wrong).is_err(), "{wrong}");
        }
    }
}
