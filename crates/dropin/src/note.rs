//! What a user should know about a command line that is accepted.

use std::fmt;

/// A remark about a flag or a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The flag has no effect, and why it needs none.
    NoEffect {
        /// The flag.
        flag: String,
        /// What linkspan does.
        why: &'static str,
    },
    /// The value is not usable, and the default is used, as the original does.
    Ignored {
        /// The flag.
        flag: String,
        /// What it takes.
        takes: &'static str,
    },
    /// How many words belong to no flag. They are not shown: a token may be among them, because some clients split
    /// values at spaces.
    Unexpected(usize),
    /// A variable that has no value.
    NotSet(String),
    /// Something else that the user should know.
    Remark(String),
}

impl Note {
    /// The note on this number of words.
    pub(crate) fn unexpected(count: usize) -> Option<Self> {
        (count > 0).then_some(Self::Unexpected(count))
    }

    /// Whether something may be wrong.
    pub fn is_warning(&self) -> bool {
        !matches!(self, Self::NoEffect { .. })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEffect { flag, why } => write!(f, "{flag} has no effect: {why}"),
            Self::Ignored { flag, takes } => {
                write!(f, "the value of {flag} is ignored: it must be {takes}")
            }
            Self::Unexpected(count) => write!(
                f,
                "{count} unexpected {} ignored; a value with spaces needs quotes",
                if *count == 1 {
                    "argument is"
                } else {
                    "arguments are"
                }
            ),
            Self::NotSet(name) => write!(
                f,
                "the environment variable {name} is not set; ${{{name}}} stays as it is"
            ),
            Self::Remark(text) => f.write_str(text),
        }
    }
}
