//! A value with its line number, from any of the three metadata formats. Error messages name lines, so each
//! value keeps its line.

mod json;
mod toml;
mod yaml;

use std::path::Path;

use serde_json::{Map, Number, Value};

/// How deep values nest.
const DEEPEST: usize = 64;
/// Limit of values in a text, including values repeated by aliases.
const MOST: usize = 200_000;

/// A value with its line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    /// Counted from 1.
    pub(super) line: usize,
    pub(super) data: Data,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Data {
    Null,
    Bool(bool),
    /// A number and its original spelling: `version: 1.10` is not 1.1.
    Number(Number, String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Member>),
}

/// A member of a map.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) name: String,
    /// The line of the name.
    pub(super) line: usize,
    pub(super) value: Node,
}

/// A syntax error with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) line: usize,
    pub(super) text: String,
}

/// The format of metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Yaml,
    Json,
    Toml,
}

impl Format {
    /// The format for the extension of a file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        Self::of_extension(path.extension()?.to_str()?)
    }

    pub(super) fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }

    /// Parses a text. An empty one is an empty map.
    pub(super) fn parse(self, text: &str) -> Result<Node, SyntaxError> {
        if text.trim().is_empty() {
            return Ok(Node::new(1, Data::Map(Vec::new())));
        }
        match self {
            Self::Yaml => yaml::parse(text),
            Self::Json => json::parse(text),
            Self::Toml => toml::parse(text),
        }
    }
}

impl Node {
    pub(super) fn new(line: usize, data: Data) -> Self {
        Self { line, data }
    }

    /// Adds a line offset, for a text that is part of a file.
    pub(super) fn shift(&mut self, lines: usize) {
        self.line += lines;
        match &mut self.data {
            Data::List(items) => items.iter_mut().for_each(|item| item.shift(lines)),
            Data::Map(members) => {
                for member in members {
                    member.line += lines;
                    member.value.shift(lines);
                }
            }
            _ => {}
        }
    }

    /// The value without lines.
    pub(super) fn to_value(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(flag) => Value::Bool(*flag),
            Data::Number(number, _) => Value::Number(number.clone()),
            Data::Text(text) => Value::String(text.clone()),
            Data::List(items) => items.iter().map(Self::to_value).collect(),
            Data::Map(members) => {
                let pairs = members.iter().map(|m| (m.name.clone(), m.value.to_value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A text, or a number or flag in its original spelling.
    pub(super) fn scalar(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) | Data::Number(_, text) => Some(text),
            Data::Bool(true) => Some("true"),
            Data::Bool(false) => Some("false"),
            _ => None,
        }
    }

    pub(super) fn flag(&self) -> Option<bool> {
        match self.data {
            Data::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> Option<&[Node]> {
        match &self.data {
            Data::List(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn map(&self) -> Option<&[Member]> {
        match &self.data {
            Data::Map(members) => Some(members),
            _ => None,
        }
    }

    /// A member of a map.
    pub(super) fn member(&self, name: &str) -> Option<&Node> {
        let member = self.map()?.iter().find(|member| member.name == name)?;
        Some(&member.value)
    }

    /// The name of the type, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self.data {
            Data::Null => "nothing",
            Data::Bool(_) => "true or false",
            Data::Number(..) => "a number",
            Data::Text(_) => "a text",
            Data::List(_) => "a list",
            Data::Map(_) => "a map",
        }
    }
}

/// The limits that all three parsers check: depth, number of values, duplicate names.
#[derive(Default)]
struct Census {
    nodes: usize,
}

impl Census {
    fn node(&mut self, line: usize, depth: usize) -> Result<(), SyntaxError> {
        self.nodes += 1;
        let text = match () {
            () if depth > DEEPEST => format!("nested more than {DEEPEST} levels deep"),
            () if self.nodes > MOST => format!("more than {MOST} values"),
            () => return Ok(()),
        };
        Err(SyntaxError { line, text })
    }

    fn unique(members: &[Member], name: &str, line: usize) -> Result<(), SyntaxError> {
        let Some(first) = members.iter().find(|member| member.name == name) else {
            return Ok(());
        };
        let text = format!("`{name}` is defined twice (first in line {})", first.line);
        Err(SyntaxError { line, text })
    }
}

/// Turns offsets into lines.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(ends.map(|(at, _)| at).collect())
    }

    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }
}

#[cfg(test)]
#[path = "node_tests.rs"]
mod tests;
