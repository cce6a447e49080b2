//! The scopes that calls of tools need.

use super::scopes::{ScopeError, add, parse_scopes};

/// Rules of the form `GLOB=SCOPE`: calls of the tools that the glob matches need the scopes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolScopes(Vec<Rule>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    glob: String,
    scopes: Vec<String>,
}

/// Why a text is not a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolScopeError {
    /// No glob, no `=`, or no scope.
    #[error("`{0}` is not of the form GLOB=SCOPE")]
    Form(String),
    /// A scope that OAuth does not allow.
    #[error(transparent)]
    Scope(#[from] ScopeError),
}

impl ToolScopes {
    /// Reads rules. Several scopes of one rule are separated by spaces.
    pub fn parse<'a>(rules: impl IntoIterator<Item = &'a str>) -> Result<Self, ToolScopeError> {
        let rule = |text: &str| {
            let form = || ToolScopeError::Form(text.to_owned());
            let (glob, scopes) = text.split_once('=').ok_or_else(form)?;
            let scopes = parse_scopes(scopes)?;
            if glob.trim().is_empty() || scopes.is_empty() {
                return Err(form());
            }
            Ok(Rule {
                glob: glob.trim().to_owned(),
                scopes,
            })
        };
        let rules = rules.into_iter().map(rule);
        Ok(Self(rules.collect::<Result<_, ToolScopeError>>()?))
    }

    /// Whether no tool needs a scope.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The scopes that a call of this tool needs: those of all rules that match.
    pub fn of(&self, tool: &str) -> Vec<String> {
        let rules = self.0.iter().filter(|rule| matches(&rule.glob, tool));
        collect(rules)
    }

    /// The scopes of all rules.
    pub fn all(&self) -> Vec<String> {
        collect(self.0.iter())
    }
}

fn collect<'a>(rules: impl Iterator<Item = &'a Rule>) -> Vec<String> {
    let mut scopes = Vec::new();
    for scope in rules.flat_map(|rule| &rule.scopes) {
        add(&mut scopes, scope);
    }
    scopes
}

/// Whether a name matches a glob: `*` is any text, `?` any character.
fn matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut g, mut n) = (0, 0);
    // Where the last `*` stands, and how much of the name it stands for so far.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match glob.get(g) {
            Some('*') => {
                star = Some((g, n));
                g += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                g += 1;
                n += 1;
            }
            _ => match &mut star {
                Some((at, until)) => {
                    *until += 1;
                    (g, n) = (*at + 1, *until);
                }
                None => return false,
            },
        }
    }
    glob[g..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn all_rules_that_match_count() {
        let rules = ["delete_*=admin", "*_user=users", "*=tools:call users"];
        let scopes = ToolScopes::parse(rules).unwrap();
        assert_eq!(scopes.of("delete_user"), ["admin", "users", "tools:call"]);
        assert_eq!(scopes.of("list"), ["tools:call", "users"]);
        assert_eq!(scopes.all(), ["admin", "users", "tools:call"]);
        assert!(ToolScopes::default().of("list").is_empty());
    }

    #[test]
    fn a_rule_has_a_glob_and_a_scope() {
        for bad in ["", "=", "a", "a=", "=b", " =b", "a= "] {
            let refused = ToolScopes::parse([bad]);
            assert_eq!(
                refused,
                Err(ToolScopeError::Form(bad.to_owned())),
                "{bad:?}"
            );
        }
        assert!(ToolScopes::parse(["a=\"b\""]).is_err());
        assert_eq!(ToolScopes::parse(["a=b=c"]).unwrap().of("a"), ["b=c"]);
    }

    #[test]
    fn globs_match_whole_names() {
        for (glob, name, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "a", true),
            ("*", "", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*b*d", "abcbd", true),
            ("*b*d", "abcb", false),
            ("a**", "a", true),
        ] {
            assert_eq!(matches(glob, name), expected, "{glob} {name}");
        }
    }

    /// The definition, slow and short.
    fn by_definition(glob: &[char], name: &[char]) -> bool {
        match (glob, name) {
            ([], []) => true,
            (['*', rest @ ..], _) => {
                by_definition(rest, name) || (!name.is_empty() && by_definition(glob, &name[1..]))
            }
            ([c, rest @ ..], [n, more @ ..]) => (*c == '?' || c == n) && by_definition(rest, more),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn globs_match_as_they_are_defined(glob in "[ab*?]{0,8}", name in "[ab]{0,10}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(
                matches(&glob, &name),
                by_definition(&chars(&glob), &chars(&name))
            );
        }

        #[test]
        fn any_rule_is_read_or_refused(rule in ".{0,40}", tool in ".{0,20}") {
            if let Ok(scopes) = ToolScopes::parse([rule.as_str()]) {
                prop_assert!(scopes.of(&tool).len() <= scopes.all().len());
            }
        }
    }
}
