//! A component of the chain, written as a command line or as a JSON object.

use linkspan_acp::Dialect;
use linkspan_spawn::shell_quoted;
use serde_json::{Map, Value};

/// A program of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables that are added to its environment.
    pub env: Vec<(String, String)>,
    /// Its dialect of ACP; detected if it is not given.
    pub dialect: Option<Dialect>,
}

/// Why a text is not a component.
#[derive(Debug, thiserror::Error)]
pub enum ComponentError {
    /// A quoted part is not closed.
    #[error("a {0} is not closed")]
    OpenQuote(char),
    /// There is no character to escape.
    #[error("it ends with \\")]
    TrailingBackslash,
    /// The command line is empty.
    #[error("there is no program in it")]
    NoProgram,
    /// It is not a JSON object.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The object has an unknown member.
    #[error("unknown member `{0}`; the members are command, args, env and dialect")]
    UnknownMember(String),
    /// `command` is missing, empty or not a string.
    #[error("`command` must be a string")]
    Command,
    /// `args` is not an array.
    #[error("`args` must be an array")]
    Args,
    /// An argument is not a string.
    #[error("`args` must be an array of strings")]
    Arg,
    /// `env` has another type.
    #[error("`env` must be an object of strings")]
    Env,
    /// A variable name is empty, or contains `=` or NUL.
    #[error("`{0}` is not a valid variable name")]
    EnvName(String),
    /// `dialect` is unknown.
    #[error("`dialect` must be proxy, _proxy, symposium or draft")]
    Dialect,
}

impl Component {
    /// Reads a command line, or an object with `command`, `args`, `env` and `dialect`.
    pub fn parse(text: &str) -> Result<Self, ComponentError> {
        let text = text.trim();
        if text.starts_with('{') {
            Self::of_json(text)
        } else {
            Self::of_words(text)
        }
    }

    fn of_words(text: &str) -> Result<Self, ComponentError> {
        let mut words = words(text)?.into_iter();
        let program = words.next().ok_or(ComponentError::NoProgram)?;
        Ok(Self {
            program,
            args: words.collect(),
            env: Vec::new(),
            dialect: None,
        })
    }

    fn of_json(text: &str) -> Result<Self, ComponentError> {
        let members: Map<String, Value> = serde_json::from_str(text)?;
        let known = ["command", "args", "env", "dialect"];
        if let Some(key) = members.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(ComponentError::UnknownMember(key.clone()));
        }
        let program = members.get("command").and_then(Value::as_str);
        let program = program.filter(|program| !program.is_empty());
        Ok(Self {
            program: program.ok_or(ComponentError::Command)?.to_owned(),
            args: args(&members)?,
            env: env(&members)?,
            dialect: dialect(&members)?,
        })
    }

    /// The command line, quoted for a shell.
    pub fn command_line(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.args);
        let quoted: Vec<String> = words.map(|word| shell_quoted(word)).collect();
        quoted.join(" ")
    }
}

fn args(members: &Map<String, Value>) -> Result<Vec<String>, ComponentError> {
    let Some(args) = members.get("args") else {
        return Ok(Vec::new());
    };
    let args = args.as_array().ok_or(ComponentError::Args)?;
    let text = |arg: &Value| arg.as_str().map(str::to_owned);
    let args: Option<Vec<String>> = args.iter().map(text).collect();
    args.ok_or(ComponentError::Arg)
}

/// A map, or ACP's array of names and values.
fn env(members: &Map<String, Value>) -> Result<Vec<(String, String)>, ComponentError> {
    let pair =
        |name: &Value, value: &Value| Some((name.as_str()?.to_owned(), value.as_str()?.to_owned()));
    let pairs: Option<Vec<_>> = match members.get("env") {
        None => return Ok(Vec::new()),
        Some(Value::Object(map)) => map
            .iter()
            .map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect(),
        Some(Value::Array(list)) => list
            .iter()
            .map(|one| pair(one.get("name")?, one.get("value")?))
            .collect(),
        Some(_) => None,
    };
    let pairs = pairs.ok_or(ComponentError::Env)?;
    let is_name = |name: &str| !name.is_empty() && !name.contains(['=', '\0']);
    match pairs.iter().find(|(name, _)| !is_name(name)) {
        Some((name, _)) => Err(ComponentError::EnvName(name.clone())),
        None => Ok(pairs),
    }
}

fn dialect(members: &Map<String, Value>) -> Result<Option<Dialect>, ComponentError> {
    let Some(word) = members.get("dialect") else {
        return Ok(None);
    };
    let known = word.as_str().and_then(Dialect::of_word);
    let known = known.ok_or(ComponentError::Dialect)?;
    Ok(Some(known))
}

/// Splits a line as a shell would, without running or expanding anything.
fn words(line: &str) -> Result<Vec<String>, ComponentError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Err(ComponentError::OpenQuote('\'')),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                            Some(c) => word.extend(['\\', c]),
                            None => return Err(ComponentError::OpenQuote('"')),
                        },
                        Some(c) => word.push(c),
                        None => return Err(ComponentError::OpenQuote('"')),
                    }
                }
            }
            // In Windows paths the backslash separates folders.
            '\\' if cfg!(windows) => word.get_or_insert_default().push('\\'),
            '\\' => match chars.next() {
                Some(c) => word.get_or_insert_default().push(c),
                None => return Err(ComponentError::TrailingBackslash),
            },
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_split_as_a_shell_would() {
        let one = Component::parse(r#"  prog --flag "a \"b\" $x" 'c d' e\ f "" g"h"'i' "#).unwrap();
        assert_eq!(one.program, "prog");
        assert_eq!(one.args, ["--flag", "a \"b\" $x", "c d", "e f", "", "ghi"]);
    }

    #[test]
    fn the_quoted_command_line_parses_to_the_same_component() {
        let one = Component::parse(r#"'my prog' "it's" '' plain ~/größe"#).unwrap();
        let quoted = r"'my prog' 'it'\''s' '' plain '~/größe'";
        assert_eq!(one.command_line(), quoted);
        assert_eq!(Component::parse(&one.command_line()).unwrap(), one);
    }

    #[test]
    fn env_is_an_object_or_a_list_of_names_and_values() {
        let map = r#"{"command":"p","args":["a b"],"env":{"K":"V"},"dialect":"_proxy"}"#;
        let list =
            r#"{"command":"p","args":["a b"],"env":[{"name":"K","value":"V"}],"dialect":"_proxy"}"#;
        let one = Component::parse(map).unwrap();
        assert_eq!(one, Component::parse(list).unwrap());
        assert_eq!(one.env, [("K".to_owned(), "V".to_owned())]);
        assert_eq!(one.dialect, Some(Dialect::Underscore));
    }

    #[test]
    fn errors_name_the_mistake() {
        for (text, named) in [
            ("", "no program"),
            ("a 'b", "not closed"),
            (r#"{"args":[]}"#, "`command`"),
            (r#"{"command":"x","args":"y"}"#, "`args`"),
            (r#"{"command":"x","cwd":"y"}"#, "`cwd`"),
            (r#"{"command":"x","env":{"A=B":"1"}}"#, "`A=B`"),
            (r#"{"command":"x","dialect":"klingon"}"#, "`dialect`"),
            (r#"{"command":"x""#, "EOF"),
        ] {
            let error = Component::parse(text).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
    }
}
