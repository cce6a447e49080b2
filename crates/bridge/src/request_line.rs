//! The words of a command line that makes one request: a name, arguments, and the target at the end.

use std::ffi::OsStr;
use std::path::Path;

use crate::command_line::shown_line;
use crate::target::{Target, TargetError, is_program};

/// What a request names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requested {
    /// A tool.
    Tool,
    /// A prompt.
    Prompt,
    /// A resource, by its URI.
    Resource,
}

/// The words of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestLine {
    /// The name of the tool or prompt, or the URI.
    pub name: String,
    /// The words between the name and the target.
    pub arguments: Vec<String>,
    /// The target, unless it is a command after `--`.
    pub target: Option<String>,
}

/// Why words are not a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestLineError {
    /// A target without a name.
    #[error("{} is missing", requested.name())]
    NoName {
        /// What the name would be of.
        requested: Requested,
        /// The target.
        target: String,
    },
    /// A program without `--` before it.
    #[error("{}", TargetError::Program(.0.clone()))]
    NoDashes(String),
    /// The target is missing, or not at the end.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A resource has no arguments.
    #[error("unexpected argument `{0}`")]
    Extra(String),
}

impl RequestLineError {
    /// What to type instead; the hint about a target needs the [whole line](crate::TypedLine).
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoName { requested, target } => {
                let (verb, word) = requested.words();
                Some(shown_line(["linkspan", verb, word, target]))
            }
            Self::Extra(_) => Some("linkspan read URI TARGET".to_owned()),
            Self::NoDashes(_) | Self::Target(_) => None,
        }
    }
}

impl Requested {
    fn name(self) -> &'static str {
        match self {
            Self::Tool => "the name of the tool",
            Self::Prompt => "the name of the prompt",
            Self::Resource => "the URI of the resource",
        }
    }

    /// The command, and what follows it.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Tool => ("call", "TOOL"),
            Self::Prompt => ("prompt", "NAME"),
            Self::Resource => ("read", "URI"),
        }
    }
}

impl RequestLine {
    /// Splits words, at least one. With `has_command` the target is a command behind them. Programs are looked up in
    /// `path`, a value of the variable `PATH`.
    pub fn parse(
        requested: Requested,
        mut words: Vec<String>,
        has_command: bool,
        path: &OsStr,
    ) -> Result<Self, RequestLineError> {
        if !has_command {
            check_order(requested, &words, path)?;
        }
        let target = if !has_command && words.len() > 1 {
            words.pop()
        } else {
            None
        };
        let mut words = words.into_iter();
        let line = Self {
            name: words.next().unwrap_or_default(),
            arguments: words.collect(),
            target,
        };
        match line.arguments.first() {
            Some(extra) if requested == Requested::Resource => {
                Err(RequestLineError::Extra(extra.clone()))
            }
            _ => Ok(line),
        }
    }
}

/// Requires that the target comes last.
fn check_order(
    requested: Requested,
    words: &[String],
    path: &OsStr,
) -> Result<(), RequestLineError> {
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return Ok(());
    };
    // A URL may be the URI of a resource.
    let is_target = match requested {
        Requested::Resource => Path::new(first).is_dir(),
        _ => Target::is_named_by(first),
    };
    let [_, between @ .., _] = words else {
        let target = first.clone();
        let missing = RequestLineError::NoName { requested, target };
        return if is_target { Err(missing) } else { Ok(()) };
    };
    if is_target && !Target::is_named_by(last) {
        return Err(TargetError::NotLast(first.clone()).into());
    }
    if let Some(word) = between.iter().find(|word| !is_argument(word)) {
        if Target::is_named_by(word) && !Target::is_named_by(last) {
            return Err(TargetError::NotLast(word.clone()).into());
        }
        if !Target::is_named_by(word) && is_program(word, path) {
            return Err(RequestLineError::NoDashes(word.clone()));
        }
    }
    let takes_arguments = requested != Requested::Resource;
    if takes_arguments && is_argument(last) && !Target::is_named_by(last) {
        return Err(TargetError::Missing.into());
    }
    Ok(())
}

/// Whether a word between a tool's name and the target is an argument of the tool.
pub fn is_argument(word: &str) -> bool {
    let is_json = word.trim_start().starts_with('{');
    let is_pair = word.contains('=') && !word.contains("://") && !word.starts_with("unix:");
    is_json || is_pair || word == "-" || word.starts_with('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(requested: Requested, line: &str) -> Result<RequestLine, RequestLineError> {
        let words = line.split(' ').map(str::to_owned).collect();
        RequestLine::parse(requested, words, false, OsStr::new(""))
    }

    #[test]
    fn the_last_word_is_the_target_and_words_before_it_are_arguments() {
        let line = parse(Requested::Tool, "echo a=1 b=2 https://x/mcp").unwrap();
        assert_eq!(line.name, "echo");
        assert_eq!(line.arguments, ["a=1", "b=2"]);
        assert_eq!(line.target.as_deref(), Some("https://x/mcp"));
        let words = vec!["echo".to_owned(), "a=1".to_owned()];
        let path = OsStr::new("");
        let line = RequestLine::parse(Requested::Tool, words, true, path).unwrap();
        assert_eq!(
            (line.arguments, line.target),
            (vec!["a=1".to_owned()], None)
        );
    }

    #[test]
    fn a_target_without_a_name_gets_the_line_with_one() {
        for (requested, target, hint) in [
            (
                Requested::Tool,
                "https://x/mcp",
                "linkspan call TOOL https://x/mcp",
            ),
            (Requested::Prompt, ".", "linkspan prompt NAME ."),
            (Requested::Resource, ".", "linkspan read URI ."),
        ] {
            let error = parse(requested, target).unwrap_err();
            assert_eq!(error.hint().as_deref(), Some(hint));
        }
        // It may be the URI of a resource.
        assert!(parse(Requested::Resource, "https://x/mcp").is_ok());
    }

    #[test]
    fn words_in_the_wrong_order_are_refused() {
        let tool = |line| parse(Requested::Tool, line).unwrap_err();
        let not_last = TargetError::NotLast("https://x/mcp".to_owned());
        assert_eq!(tool("https://x/mcp echo"), not_last.clone().into());
        assert_eq!(tool("echo https://x/mcp a=1"), not_last.into());
        assert_eq!(tool("echo a=1"), TargetError::Missing.into());
        let program = RequestLineError::NoDashes("npx".to_owned());
        assert_eq!(tool("echo a=1 npx -y"), program);
        let extra = parse(Requested::Resource, "a b https://x/mcp").unwrap_err();
        assert_eq!(extra, RequestLineError::Extra("b".to_owned()));
    }
}
