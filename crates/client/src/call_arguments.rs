//! Arguments of a tool or prompt as typed on the command line.

use std::fs::File;
use std::io::{self, Read};

use linkspan_wire::{Json, JsonKind, quote};

/// The largest file or stdin that is read as arguments.
const MAX: u64 = 64 << 20;

/// Arguments before the tool's schema is known.
#[derive(Debug, PartialEq, Eq)]
pub enum CallArguments {
    /// No arguments.
    None,
    /// A JSON object.
    Json(String),
    /// `name=value` words.
    Pairs(Vec<(String, String)>),
}

/// Why words are not the arguments of a call.
#[derive(Debug, thiserror::Error)]
pub enum CallArgumentsError {
    /// The file cannot be opened.
    #[error("cannot read {path}: {source}")]
    Open {
        /// The file.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// The file or stdin cannot be read to its end.
    #[error("cannot read the arguments: {0}")]
    Read(io::Error),
    /// The word is neither JSON nor `name=value`.
    #[error("`{0}` is not an argument")]
    NoArgument(String),
    /// The JSON has too many levels for a message.
    #[error("the arguments are nested too deeply")]
    TooDeep,
    /// The value of `--args` is something else.
    #[error("--args takes a JSON object")]
    NoFlagValue,
    /// The JSON is not an object.
    #[error("the arguments must be a JSON object")]
    NoObject,
    /// The text is not JSON.
    #[error("the arguments are not JSON: {0}")]
    NoJson(String),
}

impl CallArgumentsError {
    /// What to write instead.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Open { .. } | Self::Read(_) | Self::TooDeep => None,
            Self::NoArgument(_) => {
                Some("write a JSON object, name=value, @file or - for stdin; the target comes last")
            }
            Self::NoFlagValue => {
                Some(r#"for example --args '{"name":"you"}', or name=value without --args"#)
            }
            Self::NoObject => Some(r#"for example '{"message":"hi"}'"#),
            Self::NoJson(_) => Some(r#"for example '{"message":"hi"}', in single quotes"#),
        }
    }
}

impl CallArguments {
    /// Reads the words between the tool's name and the target; `-` reads `stdin`.
    pub fn parse(words: &[String], stdin: impl Read) -> Result<Self, CallArgumentsError> {
        match words {
            [] => Ok(Self::None),
            [only] if only == "-" => Self::json(read(stdin)?),
            [only] if only.starts_with('@') => {
                let path = &only[1..];
                let file = File::open(path).map_err(|source| CallArgumentsError::Open {
                    path: path.to_owned(),
                    source,
                })?;
                Self::json(read(file)?)
            }
            [only] if only.trim_start().starts_with('{') => Self::json(only.clone()),
            pairs => pairs
                .iter()
                .map(|pair| match pair.split_once('=') {
                    Some((name, value)) if !name.is_empty() => {
                        Ok((name.to_owned(), value.to_owned()))
                    }
                    _ => Err(CallArgumentsError::NoArgument(pair.clone())),
                })
                .collect::<Result<_, _>>()
                .map(Self::Pairs),
        }
    }

    /// Reads the value of `--args`: a JSON object, `@FILE`, or `-` for `stdin`.
    pub fn parse_flag(word: &str, stdin: impl Read) -> Result<Self, CallArgumentsError> {
        if word.is_empty() {
            return Ok(Self::None);
        }
        if !word.trim_start().starts_with(['{', '@', '-']) {
            return Err(CallArgumentsError::NoFlagValue);
        }
        Self::parse(&[word.to_owned()], stdin)
    }

    fn json(text: String) -> Result<Self, CallArgumentsError> {
        match Json::parse(&text) {
            // The message puts the arguments three levels deep: message, `params`, `arguments`.
            Ok(_) if Json::parse(&format!("[[[{text}]]]")).is_err() => {
                Err(CallArgumentsError::TooDeep)
            }
            Ok(json) if json.kind() == JsonKind::Object => Ok(Self::Json(text)),
            Ok(_) => Err(CallArgumentsError::NoObject),
            Err(e) => Err(CallArgumentsError::NoJson(e.to_string())),
        }
    }

    /// The JSON object. `is_text` tells whether the schema requires a string under a name; other values are
    /// parsed as JSON if possible.
    pub fn to_json(&self, is_text: impl Fn(&str) -> bool) -> Option<String> {
        match self {
            Self::None => None,
            Self::Json(text) => Some(text.clone()),
            Self::Pairs(pairs) => {
                let members: Vec<String> = pairs
                    .iter()
                    .map(|(name, value)| {
                        let json = Json::parse(value).ok().filter(|_| !is_text(name));
                        let value = json.map_or_else(|| quote(value), |j| j.text().to_owned());
                        format!("{}:{value}", quote(name))
                    })
                    .collect();
                Some(format!("{{{}}}", members.join(",")))
            }
        }
    }
}

fn read(from: impl Read) -> Result<String, CallArgumentsError> {
    let mut text = String::new();
    from.take(MAX)
        .read_to_string(&mut text)
        .map_err(CallArgumentsError::Read)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

    fn parse(list: &[&str]) -> Result<CallArguments, CallArgumentsError> {
        CallArguments::parse(&words(list), &br#"{"from":"stdin"}"#[..])
    }

    #[test]
    fn pairs_become_json_by_the_schema_and_their_looks() {
        let args = parse(&["n=5", "id=5", "s=hi there", "list=[1]"]).unwrap();
        assert_eq!(
            args.to_json(|name| name == "id").unwrap(),
            r#"{"n":5,"id":"5","s":"hi there","list":[1]}"#
        );
    }

    #[test]
    fn an_object_is_kept_unchanged_and_other_json_is_refused() {
        let text = r#" {"a":0.10} "#;
        assert_eq!(parse(&[text]).unwrap(), CallArguments::Json(text.into()));
        let error = |word| parse(&[word]).unwrap_err();
        assert!(matches!(error("{oops"), CallArgumentsError::NoJson(_)));
        assert!(matches!(error("word"), CallArgumentsError::NoArgument(_)));
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(126), "]".repeat(126));
        assert!(
            matches!(error(&deep), CallArgumentsError::TooDeep),
            "{:?}",
            error(&deep)
        );
        assert_eq!(parse(&[]).unwrap(), CallArguments::None);
    }

    #[test]
    fn the_flag_takes_no_pairs() {
        let flag = |word| CallArguments::parse_flag(word, std::io::empty());
        assert_eq!(flag("").unwrap(), CallArguments::None);
        assert_eq!(flag("{}").unwrap(), CallArguments::Json("{}".to_owned()));
        let error = flag("a=1").unwrap_err();
        assert!(matches!(error, CallArgumentsError::NoFlagValue));
    }

    #[test]
    fn a_dash_reads_stdin() {
        let json = CallArguments::Json(r#"{"from":"stdin"}"#.to_owned());
        assert_eq!(parse(&["-"]).unwrap(), json);
    }
}
