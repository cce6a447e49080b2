//! The formats of configuration files, and reading them as values.

use serde_json::{Map, Value};

use crate::{jsonc, toml, yaml};

/// The format of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON with comments and trailing commas.
    Json,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
}

/// The place and the reason why a text does not have its format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {text}")]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The parser's message.
    pub text: String,
}

impl Format {
    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Yaml => "YAML",
            Self::Toml => "TOML",
        }
    }

    /// The value of a text. An empty text has no members.
    ///
    /// # Errors
    /// If the text does not have this format.
    pub fn read(self, text: &str) -> Result<Value, SyntaxError> {
        let body = text.trim_start_matches('\u{feff}');
        if body.trim().is_empty() {
            return Ok(Value::Object(Map::new()));
        }
        match self {
            Self::Json => jsonc::read(text),
            Self::Yaml => yaml::read(body),
            Self::Toml => toml::read(body),
        }
    }

    /// A value as text, which ends with a line break.
    pub fn write(self, value: &Value) -> String {
        let mut text = match self {
            Self::Json => jsonc::pretty(value, "  "),
            Self::Yaml => yaml::write(value).join("\n"),
            Self::Toml => toml::write(value).join("\n"),
        };
        text.push('\n');
        text
    }
}

/// The line break of a text.
pub(crate) fn line_break(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The line and the column of a position.
pub(crate) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[start..].chars().count() + 1)
}
