//! The names under which tools and prompts of several servers are advertised.
//!
//! A name is a function of the server's alias and its own name, so it does not change when servers are added.

use crate::alias::Alias;
use crate::hash;
use crate::list::ListKind;

/// Between the alias and the server's own name.
pub const SEPARATOR: &str = "__";
/// The characters that APIs of models allow in the name of a tool.
pub const NAME_LIMIT: usize = 64;
/// The smallest limit: an alias, the separator, some characters of the name and a hash.
pub const LEAST_NAME_LIMIT: usize = 32;

/// Whether names have the alias of their server in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Prefix {
    /// `alias__name`.
    #[default]
    Always,
    /// The server's own name; names that two servers have are not advertised.
    Never,
}

/// How names are advertised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Naming {
    /// Whether they have a prefix.
    pub prefix: Prefix,
    limit: usize,
}

impl Default for Naming {
    fn default() -> Self {
        Self::new(Prefix::default(), NAME_LIMIT)
    }
}

impl Naming {
    /// Names of at most `limit` characters, and at least [`LEAST_NAME_LIMIT`].
    pub fn new(prefix: Prefix, limit: usize) -> Self {
        let limit = limit.max(LEAST_NAME_LIMIT);
        Self { prefix, limit }
    }

    /// The advertised name of a server's tool or prompt. A name over the limit ends in a hash of its parts. One that
    /// looks as if it did gets a hash too, so that a short name never equals a shortened one.
    pub fn advertised(&self, alias: &Alias, own: &str) -> String {
        let full = match self.prefix {
            Prefix::Always => format!("{alias}{SEPARATOR}{own}"),
            Prefix::Never => own.to_owned(),
        };
        if !self.is_long(&full) {
            return full;
        }
        let hash = hash::short(&[alias.as_str(), own]);
        let head: String = full.chars().take(self.limit - hash.len() - 1).collect();
        format!("{head}-{hash}")
    }

    /// The alias and the server's own name, if the advertised name contains both.
    pub fn split<'a>(&self, advertised: &'a str) -> Option<(&'a str, &'a str)> {
        if self.prefix == Prefix::Never || self.is_long(advertised) {
            return None;
        }
        advertised.split_once(SEPARATOR)
    }

    /// The name that patterns of views and rules are compared with: the advertised name of a tool or prompt, the URI of
    /// a resource or template with the alias and the separator in front, if names have them.
    pub fn for_patterns(&self, kind: ListKind, alias: &Alias, own: &str) -> String {
        match (kind, self.prefix) {
            (ListKind::Tools | ListKind::Prompts, _) => self.advertised(alias, own),
            (ListKind::Resources | ListKind::Templates, Prefix::Always) => {
                format!("{alias}{SEPARATOR}{own}")
            }
            (ListKind::Resources | ListKind::Templates, Prefix::Never) => own.to_owned(),
        }
    }

    /// Whether a full name is not advertised as it is.
    fn is_long(&self, full: &str) -> bool {
        // Bytes are at least as many as characters.
        full.len() >= self.limit && {
            let length = full.chars().count();
            length > self.limit || length == self.limit && hash::is_at_the_end_of(full)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn alias(text: &str) -> Alias {
        Alias::new(text).unwrap()
    }

    #[test]
    fn a_name_has_its_alias_in_front() {
        let naming = Naming::default();
        assert_eq!(naming.advertised(&alias("git"), "log"), "git__log");
        assert_eq!(
            naming.advertised(&alias("git"), "__init__"),
            "git____init__"
        );
        assert_eq!(naming.split("git____init__"), Some(("git", "__init__")));
        let never = Naming::new(Prefix::Never, NAME_LIMIT);
        assert_eq!(never.advertised(&alias("git"), "log"), "log");
        assert_eq!(never.split("git__log"), None);
    }

    #[test]
    fn a_long_name_ends_in_a_hash() {
        let naming = Naming::default();
        let (one, other) = ("x".repeat(63), "x".repeat(64));
        let names = [&one, &other].map(|own| naming.advertised(&alias("git"), own));
        assert_ne!(names[0], names[1]);
        for name in &names {
            assert_eq!(name.len(), 64);
            assert!(name.starts_with("git__xxx"));
            assert_eq!(naming.split(name), None);
        }
    }

    #[test]
    fn a_name_that_looks_shortened_gets_a_hash_too() {
        let naming = Naming::default();
        let long = naming.advertised(&alias("git"), &"x".repeat(80));
        let (_, forged) = long.split_once(SEPARATOR).unwrap();
        assert_ne!(naming.advertised(&alias("git"), forged), long);
    }

    fn aliases() -> impl Strategy<Value = Alias> {
        "[a-z0-9-]{1,16}".prop_map(|text| Alias::new(&text).unwrap())
    }

    fn owns() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-z_]{0,6}",
            "[a-z_]{50,90}",
            "x{55,62}-[a-z2-7]{6}",
            "\\PC{0,70}"
        ]
    }

    proptest! {
        #[test]
        fn different_tools_have_different_names_within_the_limit(
            tools in prop::collection::hash_set((aliases(), owns()), 1..40),
            limit in 0usize..80,
        ) {
            let naming = Naming::new(Prefix::Always, limit);
            let mut seen = HashMap::new();
            for (alias, own) in &tools {
                let name = naming.advertised(alias, own);
                prop_assert!(name.chars().count() <= limit.max(LEAST_NAME_LIMIT));
                if let Some((at, rest)) = naming.split(&name) {
                    prop_assert_eq!((at, rest), (alias.as_str(), own.as_str()));
                }
                prop_assert_eq!(seen.insert(name, (alias, own)), None);
            }
        }

        #[test]
        fn a_name_does_not_depend_on_other_servers(alias in aliases(), own in owns()) {
            let naming = Naming::default();
            prop_assert_eq!(naming.advertised(&alias, &own), naming.advertised(&alias, &own));
        }
    }
}
