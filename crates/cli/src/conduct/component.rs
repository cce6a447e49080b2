//! A component on the command line: a command line in one word, or a JSON object.

use std::ffi::OsString;

use linkspan_acp::Dialect;
use serde_json::{Map, Value};

use crate::exit::Failure;

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Component {
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) dialect: Option<Dialect>,
}

impl Component {
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let trimmed = text.trim();
        let parsed = match trimmed.starts_with('{') {
            true => Self::of_json(trimmed),
            false => Self::of_words(trimmed),
        };
        parsed.map_err(|why| {
            Failure::usage(format!("the component `{text}` cannot be read: {why}")).hint(
                "give a command line in one word, as 'program --flag', or {\"command\":…,\"args\":[…],\"env\":{…}}",
            )
        })
    }

    fn of_words(text: &str) -> Result<Self, String> {
        let mut words = words(text)?.into_iter();
        let program = words.next().ok_or("there is no program in it")?;
        Ok(Self {
            program,
            args: words.collect(),
            env: Vec::new(),
            dialect: None,
        })
    }

    fn of_json(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let Value::Object(members) = value else {
            return Err("it is no object".to_owned());
        };
        let known = ["command", "args", "env", "dialect"];
        if let Some(key) = members.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(format!(
                "it has `{key}`, and may have command, args, env and dialect"
            ));
        }
        let program = members.get("command").and_then(Value::as_str);
        let program = program.filter(|program| !program.is_empty());
        Ok(Self {
            program: program.ok_or("`command` must be a string")?.to_owned(),
            args: args(&members)?,
            env: env(&members)?,
            dialect: dialect(&members)?,
        })
    }

    /// As a person would type it.
    pub(crate) fn shown(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.args);
        words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn args_os(&self) -> Vec<OsString> {
        self.args.iter().map(OsString::from).collect()
    }
}

fn args(members: &Map<String, Value>) -> Result<Vec<String>, String> {
    let Some(args) = members.get("args") else {
        return Ok(Vec::new());
    };
    let args = args.as_array().ok_or("`args` must be an array")?;
    let text = |arg: &Value| arg.as_str().map(str::to_owned);
    let args: Option<Vec<String>> = args.iter().map(text).collect();
    args.ok_or_else(|| "`args` must be an array of strings".to_owned())
}

/// A map, or ACP's array of names and values.
fn env(members: &Map<String, Value>) -> Result<Vec<(String, String)>, String> {
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
    let pairs = pairs.ok_or("`env` must be an object of strings")?;
    let is_name = |name: &str| !name.is_empty() && !name.contains(['=', '\0']);
    match pairs.iter().find(|(name, _)| !is_name(name)) {
        Some((name, _)) => Err(format!("`{name}` is no name of a variable")),
        None => Ok(pairs),
    }
}

fn dialect(members: &Map<String, Value>) -> Result<Option<Dialect>, String> {
    let Some(word) = members.get("dialect") else {
        return Ok(None);
    };
    let known = word.as_str().and_then(Dialect::of_word);
    let known = known.ok_or("`dialect` must be proxy, _proxy, symposium or draft")?;
    Ok(Some(known))
}

/// Splits a line as a shell would, without running or expanding anything.
fn words(line: &str) -> Result<Vec<String>, String> {
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
                        None => return Err("a ' is not closed".to_owned()),
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
                            None => return Err("a \" is not closed".to_owned()),
                        },
                        Some(c) => word.push(c),
                        None => return Err("a \" is not closed".to_owned()),
                    }
                }
            }
            // A path of Windows is not full of escapes.
            '\\' if cfg!(windows) => word.get_or_insert_default().push('\\'),
            '\\' => match chars.next() {
                Some(c) => word.get_or_insert_default().push(c),
                None => return Err("it ends with \\".to_owned()),
            },
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,~".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
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
    fn what_is_shown_can_be_typed_again() {
        let one = Component::parse(r#"'my prog' "it's" '' plain"#).unwrap();
        assert_eq!(one.shown(), r"'my prog' 'it'\''s' '' plain");
        assert_eq!(Component::parse(&one.shown()).unwrap(), one);
    }

    #[test]
    fn json_says_the_same_with_an_environment() {
        let map = r#"{"command":"p","args":["a b"],"env":{"K":"V"},"dialect":"_proxy"}"#;
        let list =
            r#"{"command":"p","args":["a b"],"env":[{"name":"K","value":"V"}],"dialect":"_proxy"}"#;
        let one = Component::parse(map).unwrap();
        assert_eq!(one, Component::parse(list).unwrap());
        assert_eq!(one.env, [("K".to_owned(), "V".to_owned())]);
        assert_eq!(one.dialect, Some(Dialect::Underscore));
    }

    #[test]
    fn mistakes_are_named() {
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
            let failure = Component::parse(text).unwrap_err();
            assert!(failure.what().contains(named), "{}", failure.what());
        }
    }
}
