//! What can be wrong with a manifest, in words that say how to mend it.

use std::fmt;
use std::io::ErrorKind;

/// Something is wrong with a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestError {
    /// The block that it happened in: its place in `"blocks"`, counted from zero.
    pub block: Option<u64>,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// It is no JSON.
    Syntax {
        /// Why not.
        why: Syntax,
        /// The line, counted from 1.
        line: u64,
        /// The byte of the line, counted from 1.
        column: u64,
    },
    /// It cannot be read.
    Io(ErrorKind, String),
    /// There is no `"blocks"`.
    NoBlocks,
    /// A field occurs twice, perhaps under two names.
    Twice(&'static str),
    /// Two fields say the same thing in two ways.
    Both(&'static str, &'static str),
    /// A field that must be there is not; one of these would do.
    Needs {
        /// What needs it.
        what: &'static str,
        /// The fields, each of which would do.
        fields: Vec<&'static str>,
    },
    /// A value of the wrong type.
    Shape {
        /// Which value.
        field: &'static str,
        /// What it must be.
        must: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A number that does not fit, or is not a whole one.
    Number {
        /// Which number.
        field: &'static str,
        /// What is there.
        text: String,
        /// The largest that fits.
        max: u64,
    },
    /// A word that means nothing here.
    Word {
        /// What it should be.
        what: &'static str,
        /// The word.
        word: String,
        /// The words that mean something.
        allowed: Vec<&'static str>,
    },
    /// A text that should be base64.
    Base64(&'static str),
    /// A text that should be a hash in hex digits.
    Hash(String),
    /// A type that has a name may not be given as an unknown one.
    Known {
        /// The number.
        kind: u8,
        /// What it stands for.
        name: &'static str,
    },
    /// A file that cannot be used.
    File {
        /// Its path, as the manifest says it.
        path: String,
        /// Why not.
        why: String,
    },
    /// More bytes than a block may have.
    TooLarge {
        /// What has them.
        what: &'static str,
        /// How many it may have.
        limit: u64,
    },
    /// Directories within directories beyond the limit.
    TooDeep(usize),
    /// Something is wrong with a part of a block.
    Part {
        /// What kind of part.
        what: &'static str,
        /// Which, counted from zero in the order of the text.
        index: u64,
        /// What is wrong with it.
        problem: Box<Problem>,
    },
}

/// Why a text is no JSON, or none that we read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Syntax {
    /// Something else should be here.
    Expected {
        /// What.
        what: &'static str,
        /// The byte that is here, if the text goes on.
        found: Option<u8>,
    },
    /// A control character within a string.
    Control(u8),
    /// A backslash before something that needs none.
    Escape(u8),
    /// `\u` without four hex digits.
    Hex,
    /// One half of a surrogate pair without the other.
    LoneSurrogate(u16),
    /// A string that is no UTF-8.
    Utf8,
    /// More text than we hold.
    TooLong(usize),
    /// Values within values beyond the limit.
    TooDeep(usize),
}

impl Problem {
    /// Whether the text cannot be read on after this.
    pub(super) fn is_fatal(&self) -> bool {
        matches!(self, Self::Syntax { .. } | Self::Io(..))
    }
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(block) = self.block {
            write!(f, "block {block}: ")?;
        }
        self.problem.fmt(f)
    }
}

impl std::error::Error for ManifestError {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { why, line, column } => {
                write!(f, "{why} (line {line}, column {column})")
            }
            Self::Io(_, why) => f.write_str(why),
            Self::NoBlocks => f.write_str("the manifest has no \"blocks\""),
            Self::Twice(field) => write!(f, "\"{field}\" is given twice"),
            Self::Both(one, other) => write!(f, "\"{one}\" and \"{other}\" are both given"),
            Self::Needs { what, fields } => {
                write!(f, "{what} needs ")?;
                for (i, field) in fields.iter().enumerate() {
                    let or = if i == 0 { "" } else { " or " };
                    write!(f, "{or}\"{field}\"")?;
                }
                Ok(())
            }
            Self::Shape { field, must, found } => {
                write!(f, "{field} must be {must}, not {found}")
            }
            Self::Number { field, text, max } => {
                let text = short(text);
                write!(
                    f,
                    "{field} is {text}; it must be a whole number from 0 to {max}"
                )
            }
            Self::Word {
                what,
                word,
                allowed,
            } => {
                let allowed = allowed.join(", ");
                write!(
                    f,
                    "unknown {what} {:?}; it is one of {allowed}",
                    short(word)
                )
            }
            Self::Base64(field) => write!(f, "\"{field}\" is not base64"),
            Self::Hash(text) => write!(
                f,
                "\"source_hash\" is {:?}; it must be 64 hex digits",
                short(text)
            ),
            Self::Known { kind, name } => {
                write!(
                    f,
                    "0x{kind:02X} is not an unknown type of block; it is {name}"
                )
            }
            Self::File { path, why } => {
                write!(f, "cannot read content_file {:?}: {why}", short(path))
            }
            Self::TooLarge { what, limit } => {
                write!(f, "{what} has more than {limit} bytes, which is the limit")
            }
            Self::TooDeep(limit) => write!(
                f,
                "the tree is more than {limit} levels deep, which is the limit"
            ),
            Self::Part {
                what,
                index,
                problem,
            } => write!(f, "{what} {index}: {problem}"),
        }
    }
}

impl fmt::Display for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expected { what, found } => {
                write!(f, "expected {what}, found ")?;
                match found {
                    None => f.write_str("the end of the text"),
                    Some(byte @ 0x21..=0x7E) => write!(f, "'{}'", char::from(*byte)),
                    Some(byte) => write!(f, "the byte 0x{byte:02X}"),
                }
            }
            Self::Control(byte) => write!(
                f,
                "a string contains the control character 0x{byte:02X}; it is written \\u{byte:04x}"
            ),
            Self::Escape(byte) => {
                let byte = char::from(*byte).escape_default();
                write!(f, "'\\{byte}' is not an escape")
            }
            Self::Hex => f.write_str("\\u needs four hex digits"),
            Self::LoneSurrogate(half) => write!(
                f,
                "\\u{half:04x} is one half of a surrogate pair without the other"
            ),
            Self::Utf8 => f.write_str("a string is not UTF-8"),
            Self::TooLong(limit) => {
                write!(f, "more text than {limit} bytes, which is the limit")
            }
            Self::TooDeep(limit) => write!(
                f,
                "values are more than {limit} levels deep, which is the limit"
            ),
        }
    }
}

/// Someone's text may be megabytes.
fn short(text: &str) -> String {
    let mut chars = text.chars();
    let mut short: String = chars.by_ref().take(60).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}
