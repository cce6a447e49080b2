//! Arguments of a tool or prompt as a person types them.

use std::io::Read;

use linkspan_wire::{Json, JsonKind, quote};

use crate::exit::Failure;

/// Largest file or stdin that is taken as arguments.
const MAX: u64 = 64 << 20;

/// Arguments before the tool's schema is known.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CallArgs {
    None,
    /// A JSON object.
    Json(String),
    /// `name=value` words.
    Pairs(Vec<(String, String)>),
}

impl CallArgs {
    /// Reads the words between the tool's name and the target.
    pub(crate) fn parse(words: &[String]) -> Result<Self, Failure> {
        match words {
            [] => Ok(Self::None),
            [only] if only == "-" => {
                crate::waiting::for_input(
                    "the arguments as a JSON object",
                    "linkspan call TOOL - TARGET < arguments.json",
                );
                Self::json(read(std::io::stdin())?)
            }
            [only] if only.starts_with('@') => {
                let file = std::fs::File::open(&only[1..])
                    .map_err(|e| Failure::usage(format!("cannot read {}: {e}", &only[1..])))?;
                Self::json(read(file)?)
            }
            [only] if only.trim_start().starts_with('{') => Self::json(only.clone()),
            pairs => pairs
                .iter()
                .map(|pair| match pair.split_once('=') {
                    Some((name, value)) if !name.is_empty() => {
                        Ok((name.to_owned(), value.to_owned()))
                    }
                    _ => Err(Failure::usage(format!("`{pair}` is no argument"))
                        .hint("write a JSON object, name=value, @file or - for stdin; the target comes last")),
                })
                .collect::<Result<_, _>>()
                .map(Self::Pairs),
        }
    }

    fn json(text: String) -> Result<Self, Failure> {
        // They will stand inside `arguments`, inside `params`, inside the message.
        if Json::parse(&text).is_ok() && Json::parse(&format!("[[[{text}]]]")).is_err() {
            return Err(Failure::usage("the arguments are nested too deeply"));
        }
        match Json::parse(&text) {
            Ok(json) if json.kind() == JsonKind::Object => Ok(Self::Json(text)),
            Ok(_) => Err(Failure::usage("the arguments must be a JSON object")
                .hint(r#"for example '{"message":"hi"}'"#)),
            Err(e) => Err(Failure::usage(format!("the arguments are not JSON: {e}"))
                .hint(r#"for example '{"message":"hi"}', in single quotes"#)),
        }
    }

    /// The JSON object. `is_text` tells whether the schema wants a string under a name; other
    /// values are JSON where they look like it.
    pub(crate) fn to_json(&self, is_text: impl Fn(&str) -> bool) -> Option<String> {
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

fn read(from: impl Read) -> Result<String, Failure> {
    let mut text = String::new();
    from.take(MAX)
        .read_to_string(&mut text)
        .map_err(|e| Failure::usage(format!("cannot read the arguments: {e}")))?;
    Ok(text)
}

/// Whether a word between a tool's name and the target is an argument of the tool.
pub(crate) fn is_argument(word: &str) -> bool {
    let is_json = word.trim_start().starts_with('{');
    let is_pair = word.contains('=') && !word.contains("://");
    is_json || is_pair || word == "-" || word.starts_with('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

    #[test]
    fn pairs_become_json_by_the_schema_and_their_looks() {
        let args = CallArgs::parse(&words(&["n=5", "id=5", "s=hi there", "list=[1]"])).unwrap();
        assert_eq!(
            args.to_json(|name| name == "id").unwrap(),
            r#"{"n":5,"id":"5","s":"hi there","list":[1]}"#
        );
    }

    #[test]
    fn an_object_is_taken_as_it_is_and_other_json_is_refused() {
        let text = r#" {"a":0.10} "#;
        assert_eq!(
            CallArgs::parse(&words(&[text])).unwrap(),
            CallArgs::Json(text.into())
        );
        assert!(CallArgs::parse(&words(&["{oops"])).is_err());
        assert!(CallArgs::parse(&words(&["word"])).is_err());
        assert_eq!(CallArgs::parse(&[]).unwrap(), CallArgs::None);
    }
}
