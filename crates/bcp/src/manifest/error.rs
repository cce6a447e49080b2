//! Errors in a manifest, worded so that they tell how to correct it.

use std::fmt;
use std::io::ErrorKind;

/// An error in a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestError {
    /// The index of the block in `"blocks"`, counted from zero.
    pub block: Option<u64>,
    /// The kind of error.
    pub problem: Problem,
}

/// The kind of error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// Invalid JSON.
    Syntax {
        /// The kind of syntax error.
        why: Syntax,
        /// The line, counted from 1.
        line: u64,
        /// The byte in the line, counted from 1.
        column: u64,
    },
    /// The text cannot be read.
    Io(ErrorKind, String),
    /// `"blocks"` is missing.
    NoBlocks,
    /// A field occurs twice, perhaps under two names.
    Twice(&'static str),
    /// Two alternative fields are both given.
    Both(&'static str, &'static str),
    /// A required field is missing.
    Needs {
        /// The element that requires it.
        what: &'static str,
        /// The field, or its alternatives.
        fields: Vec<&'static str>,
    },
    /// A value of the wrong type.
    Shape {
        /// The field.
        field: &'static str,
        /// The required type.
        must: &'static str,
        /// The actual type.
        found: &'static str,
    },
    /// A number that is too large or not an integer.
    Number {
        /// The field.
        field: &'static str,
        /// The value.
        text: String,
        /// The maximum.
        max: u64,
    },
    /// An unknown word.
    Word {
        /// The vocabulary.
        what: &'static str,
        /// The word.
        word: String,
        /// The known words.
        allowed: Vec<&'static str>,
    },
    /// Invalid base64.
    Base64(&'static str),
    /// An invalid hash.
    Hash(String),
    /// A block of the type `unknown` with the number of a known type.
    Known {
        /// The number.
        kind: u8,
        /// The name of the known type.
        name: &'static str,
    },
    /// A `content_file` that cannot be used.
    File {
        /// Its path in the manifest.
        path: String,
        /// The reason.
        why: String,
    },
    /// A size exceeds a limit.
    TooLarge {
        /// The element with that size.
        what: &'static str,
        /// The limit in bytes.
        limit: u64,
    },
    /// The depth of a tree exceeds the limit.
    TooDeep(usize),
    /// An error in a part of a block.
    Part {
        /// The kind of part.
        what: &'static str,
        /// Its index, counted from zero in the order of the text.
        index: u64,
        /// The error.
        problem: Box<Problem>,
    },
}

/// A syntax error, or a text that exceeds a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Syntax {
    /// An unexpected byte.
    Expected {
        /// The expected element.
        what: &'static str,
        /// The actual byte; `None` at the end of the text.
        found: Option<u8>,
    },
    /// A control character in a string.
    Control(u8),
    /// An invalid escape.
    Escape(u8),
    /// `\u` without four hex digits.
    Hex,
    /// One half of a surrogate pair without the other.
    LoneSurrogate(u16),
    /// A string that is not UTF-8.
    Utf8,
    /// Texts above the limit.
    TooLong(usize),
    /// Nested values beyond the limit.
    TooDeep(usize),
}

impl Problem {
    /// Whether the rest of the text cannot be read.
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

/// Shortens a text, which may have megabytes.
fn short(text: &str) -> String {
    let mut chars = text.chars();
    let mut short: String = chars.by_ref().take(60).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}
