//! The mistakes in a configuration file.

use std::fmt;

use linkspan_schema::nearest;
use linkspan_wire::escape_line;

use super::source::Position;
use super::template::TemplateError;
use crate::alias::AliasError;

/// All mistakes in a configuration file, in the order of the file; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigErrors {
    /// The name of the file.
    pub name: String,
    /// The mistakes.
    pub errors: Vec<ConfigError>,
    /// Further ones that are not listed.
    pub omitted: usize,
}

/// A mistake in a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Where it is.
    pub at: Position,
    /// What it is.
    pub problem: Problem,
}

/// What is wrong in a configuration file. Members have their path, as in `mcpServers.github.args`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The text is longer than is read.
    #[error("the file has more than {} MiB", .0 >> 20)]
    TooLarge(usize),
    /// The text is not JSON.
    #[error("this is not JSON: {0}")]
    Syntax(&'static str),
    /// A member has a value of the wrong kind.
    #[error("{} is not {wanted}", shown(name))]
    Kind {
        /// The member.
        name: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// A number is too small or too large.
    #[error("{} is not from {least} to {most}", shown(name))]
    Range {
        /// The member.
        name: String,
        /// The smallest.
        least: usize,
        /// The largest.
        most: usize,
    },
    /// A member occurs twice in an object, and readers differ in which one counts.
    #[error("{} is there twice", shown(.0))]
    Twice(String),
    /// A member has an unknown name.
    #[error("{} is unknown in {}", shown(name), shown(place))]
    Unknown {
        /// The member.
        name: String,
        /// The object that it is in.
        place: String,
        /// The names that are known.
        allowed: Vec<String>,
    },
    /// A text is none of several words.
    #[error("{} cannot be {}", shown(name), shown(found))]
    Word {
        /// The member.
        name: String,
        /// The text.
        found: String,
        /// The words.
        allowed: Vec<String>,
    },
    /// A member is missing.
    #[error("{} is missing in {}", shown(.name), shown(place))]
    Missing {
        /// The member.
        name: &'static str,
        /// The object that should have it.
        place: String,
    },
    /// Two members exclude each other.
    #[error("{} has both {} and {}", shown(place), shown(.one), shown(.other))]
    Both {
        /// The object.
        place: String,
        /// A member.
        one: String,
        /// Another one.
        other: String,
    },
    /// A reference is refused.
    #[error("{}: {error}", shown(name))]
    Template {
        /// The member.
        name: String,
        /// Why.
        error: TemplateError,
    },
    /// `${input:…}` names an input that the file does not have.
    #[error("no input has the id {}", shown(found))]
    Input {
        /// The id.
        found: String,
        /// The ids of the inputs.
        allowed: Vec<String>,
    },
    /// Not a short name.
    #[error(transparent)]
    Alias(AliasError),
    /// Two servers have the same short name.
    #[error(
        "{} and {} have the same short name {}",
        shown(key),
        shown(other),
        shown(alias)
    )]
    SameAlias {
        /// The key of a server.
        key: String,
        /// The key of the one before it.
        other: String,
        /// The short name of both.
        alias: String,
    },
    /// A URL has another scheme than http and https, or no host.
    #[error("{} is not a URL that begins with http:// or https://", shown(.0))]
    Url(String),
    /// A text contains a character that it cannot have.
    #[error("{} cannot contain {character:?}", shown(name))]
    Character {
        /// The member.
        name: String,
        /// The character.
        character: char,
    },
    /// There are more patterns than are compared with one request.
    #[error("the file has more than {0} patterns")]
    Patterns(usize),
    /// A pattern that no advertised name fits.
    #[error("the pattern {} fits no name", shown(pattern))]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The short names of the servers.
        aliases: Vec<String>,
    },
}

impl Problem {
    /// What is allowed, or what to do.
    pub fn hint(&self) -> String {
        match self {
            Self::TooLarge(_) => "give the file of the gateway, not a log or a cache".to_owned(),
            Self::Syntax(_) => {
                "comments and trailing commas are allowed, all else is as in JSON".to_owned()
            }
            Self::Kind { wanted, .. } => format!("write {wanted}"),
            Self::Range { least, most, .. } => format!("write a number from {least} to {most}"),
            Self::Twice(_) => "remove one of them".to_owned(),
            Self::Unknown { name, allowed, .. } => choice(name, allowed),
            Self::Word { found, allowed, .. } | Self::Input { found, allowed } => {
                choice(found, allowed)
            }
            Self::Missing {
                name: "command", ..
            } => r#"add "command", "url", or "linkspan": {"folder": …}"#.to_owned(),
            Self::Missing { name, .. } => format!("add \"{name}\""),
            Self::Both { .. } => "remove one of them".to_owned(),
            Self::Template { error, .. } => error.hint(),
            Self::Alias(_) => r#"write for example "as": "github""#.to_owned(),
            Self::SameAlias { .. } => {
                r#"give one of them another: "linkspan": {"as": "other"}"#.to_owned()
            }
            Self::Url(_) => r#"write for example "url": "https://example.com/mcp""#.to_owned(),
            Self::Character { .. } => "remove it".to_owned(),
            Self::Patterns(_) => "replace some of them by one with *".to_owned(),
            Self::Pattern { pattern, aliases } => {
                let alias = pattern.split("__").next().unwrap_or_default();
                match nearest(alias, aliases.iter().map(String::as_str)) {
                    Some(near) => format!("names are as in {near}__NAME"),
                    None => format!(
                        "names are ALIAS__NAME, where ALIAS is one of {}",
                        list(aliases)
                    ),
                }
            }
        }
    }
}

/// A name as it can be printed, in backticks.
fn shown(name: impl AsRef<str>) -> String {
    const LONGEST: usize = 80;
    let name = name.as_ref();
    let clipped: String = name.chars().take(LONGEST).collect();
    let more = if clipped.len() < name.len() {
        "…"
    } else {
        ""
    };
    format!("`{}{more}`", escape_line(&clipped))
}

/// What was perhaps meant, else all that is allowed.
fn choice(found: &str, allowed: &[String]) -> String {
    match nearest(found, allowed.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {}?", shown(near)),
        None => format!("allowed: {}", list(allowed)),
    }
}

fn list(names: &[String]) -> String {
    const MOST: usize = 40;
    let shown: Vec<_> = names.iter().take(MOST).map(shown).collect();
    match (shown.is_empty(), names.len() > MOST) {
        (true, _) => "none".to_owned(),
        (_, true) => format!("{}, …", shown.join(", ")),
        (_, false) => shown.join(", "),
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, ConfigError { at, problem }) in self.errors.iter().enumerate() {
            let line_break = if n == 0 { "" } else { "\n" };
            let name = escape_line(&self.name);
            write!(f, "{line_break}{name}:{at}: {problem}; {}", problem.hint())?;
        }
        match self.omitted {
            0 => Ok(()),
            more => write!(f, "\n{more} more mistakes"),
        }
    }
}

impl std::error::Error for ConfigErrors {}
