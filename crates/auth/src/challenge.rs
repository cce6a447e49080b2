//! `WWW-Authenticate` (RFC 9110 §11.6.1, RFC 6750 §3).

/// What a server wants to see: a scheme, and what it says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    /// `Bearer`, `DPoP`, …
    pub scheme: String,
    /// Names in lower case, and values.
    pub params: Vec<(String, String)>,
}

impl Challenge {
    /// A challenge of this scheme.
    pub fn new(scheme: &str) -> Self {
        Self {
            scheme: scheme.to_owned(),
            params: Vec::new(),
        }
    }

    /// The same with one more parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.params.push((name.to_owned(), value.into()));
        self
    }

    /// Whether it is of this scheme.
    pub fn is(&self, scheme: &str) -> bool {
        self.scheme.eq_ignore_ascii_case(scheme)
    }

    /// The value of a parameter; the first one counts.
    pub fn param(&self, name: &str) -> Option<&str> {
        let mut params = self.params.iter();
        params
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.as_str())
    }
}

/// As the value of a header.
impl std::fmt::Display for Challenge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.scheme)?;
        for (at, (name, value)) in self.params.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            write!(f, "{comma} {name}=\"{value}\"")?;
        }
        Ok(())
    }
}

/// All challenges of a header's value. Text that is not a challenge is skipped; this never fails.
pub fn challenges(value: &str) -> Vec<Challenge> {
    let mut found: Vec<Challenge> = Vec::new();
    let mut rest = value;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let (word, after) = token(rest);
        if word.is_empty() {
            // Not a token: one character further, or the end.
            let mut characters = rest.chars();
            if characters.next().is_none() {
                return found;
            }
            rest = characters.as_str();
            continue;
        }
        let after_space = after.trim_start_matches([' ', '\t']);
        match (after_space.strip_prefix('='), found.last_mut()) {
            (Some(text), Some(challenge)) if !text.starts_with('=') => {
                let (value, end) = parameter(text.trim_start_matches([' ', '\t']));
                challenge.params.push((word.to_ascii_lowercase(), value));
                rest = end;
            }
            (Some(text), _) => rest = text,
            (None, _) => {
                found.push(Challenge::new(word));
                rest = after;
            }
        }
    }
}

/// The token at the beginning of a text, and what follows.
fn token(text: &str) -> (&str, &str) {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let end = text.find(|c| !is_token(c)).unwrap_or(text.len());
    text.split_at(end)
}

/// A token or a quoted string, and what follows.
fn parameter(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        // Lenient: a URL without quotes ends at a comma or a space.
        let end = text.find([',', ' ', '\t']).unwrap_or(text.len());
        let (value, rest) = text.split_at(end);
        return (value.to_owned(), rest);
    };
    let mut value = String::new();
    let mut characters = quoted.chars();
    while let Some(c) = characters.next() {
        match c {
            '"' => break,
            '\\' => value.extend(characters.next()),
            c => value.push(c),
        }
    }
    (value, characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parameters_belong_to_the_scheme_before_them() {
        let found = challenges(
            r#"Basic realm="a, b", Bearer error="insufficient_scope", scope="x y",resource_metadata="https://h/p", DPoP algs="ES256""#,
        );
        let schemes: Vec<&str> = found.iter().map(|one| one.scheme.as_str()).collect();
        assert_eq!(schemes, ["Basic", "Bearer", "DPoP"]);
        assert_eq!(found[0].param("realm"), Some("a, b"));
        assert_eq!(found[1].param("scope"), Some("x y"));
        assert_eq!(found[1].param("resource_metadata"), Some("https://h/p"));
        assert_eq!(found[2].param("algs"), Some("ES256"));
    }

    #[test]
    fn spellings_of_real_servers_are_read() {
        for value in [
            r#"bearer resource_metadata=https://h/.well-known/x"#,
            r#"Bearer Resource_Metadata = "https://h/.well-known/x""#,
            r#"Bearer realm="OAuth", resource_metadata="https://h/.well-known/x""#,
        ] {
            let found = challenges(value);
            let bearer = found.iter().find(|one| one.is("Bearer")).unwrap();
            let metadata = bearer.param("resource_metadata");
            assert_eq!(metadata, Some("https://h/.well-known/x"), "{value}");
        }
        assert_eq!(challenges("Negotiate abc=="), [Challenge::new("Negotiate")]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            params in prop::collection::vec(("[a-z_]{1,12}", "[ -~]{0,30}"), 0..5)
        ) {
            let mut challenge = Challenge::new("Bearer");
            challenge.params = params;
            prop_assert_eq!(challenges(&challenge.to_string()), [challenge]);
        }

        #[test]
        fn any_text_is_read(value in ".{0,200}") {
            challenges(&value);
        }
    }
}
