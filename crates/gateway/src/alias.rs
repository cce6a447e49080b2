//! The short name of a server in front of the names of its tools.

use std::fmt;

/// Characters of an alias.
const LONGEST: usize = 16;

/// The short name of a server: 1 to 16 of `a-z`, `0-9` and `-`. It has no `_`, so the first `__` of an advertised name
/// separates it from the rest.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Alias(Box<str>);

/// Why a text is not an alias.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AliasError {
    /// It is empty.
    #[error("an alias has at least one character")]
    Empty,
    /// It has more than 16 characters.
    #[error("`{0}` has more than 16 characters")]
    TooLong(String),
    /// It contains this character.
    #[error("`{0}` contains {1:?}; an alias has a-z, 0-9 and - only")]
    Character(String, char),
}

impl Alias {
    /// Accepts an alias as it is.
    pub fn new(text: &str) -> Result<Self, AliasError> {
        if text.is_empty() {
            return Err(AliasError::Empty);
        }
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if let Some(other) = text.chars().find(|c| !allowed(*c)) {
            return Err(AliasError::Character(text.to_owned(), other));
        }
        if text.len() > LONGEST {
            return Err(AliasError::TooLong(text.to_owned()));
        }
        Ok(Self(text.into()))
    }

    /// The alias of a server with this key in the configuration: lower case, other characters as `-`, and the end of a
    /// long one as a hash, so that it does not depend on other servers.
    pub fn of_key(key: &str) -> Self {
        let mut slug = String::with_capacity(key.len());
        for c in key.chars() {
            let c = c.to_ascii_lowercase();
            let plain = c.is_ascii_lowercase() || c.is_ascii_digit();
            if plain {
                slug.push(c);
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        }
        let slug = slug.trim_end_matches('-');
        let lossy = slug.chars().count() < key.chars().filter(|c| c.is_alphanumeric()).count();
        if !slug.is_empty() && slug.len() <= LONGEST && !lossy {
            return Self(slug.into());
        }
        let hash = crate::hash::short(&[key]);
        let room = LONGEST - hash.len() - 1;
        let head = slug[..slug.len().min(room)].trim_end_matches('-');
        let text = if head.is_empty() {
            format!("s-{hash}")
        } else {
            format!("{head}-{hash}")
        };
        Self(text.into())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Alias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_keys_are_their_own_aliases() {
        for key in ["github", "a", "my-server-2"] {
            assert_eq!(Alias::of_key(key).as_str(), key);
        }
        assert_eq!(Alias::of_key("My Server").as_str(), "my-server");
        assert_eq!(Alias::of_key("chrome_devtools").as_str(), "chrome-devtools");
    }

    #[test]
    fn long_and_foreign_keys_differ_by_a_hash() {
        let (one, other) = (
            Alias::of_key("a-very-long-name-of-a-server"),
            Alias::of_key("a-very-long-name-of-a-client"),
        );
        assert_ne!(one, other);
        assert_ne!(Alias::of_key("日本"), Alias::of_key("日光"));
        assert_ne!(Alias::of_key("日本 db"), Alias::of_key("日光 db"));
    }

    #[test]
    fn what_an_alias_cannot_be_is_refused() {
        assert_eq!(Alias::new(""), Err(AliasError::Empty));
        assert!(matches!(
            Alias::new("a_b"),
            Err(AliasError::Character(_, '_'))
        ));
        assert!(matches!(
            Alias::new("abcdefghijklmnopq"),
            Err(AliasError::TooLong(_))
        ));
    }

    proptest! {
        #[test]
        fn the_alias_of_any_key_is_valid(key in ".*") {
            let alias = Alias::of_key(&key);
            prop_assert_eq!(Alias::new(alias.as_str()), Ok(alias));
        }
    }
}
