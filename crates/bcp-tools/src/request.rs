//! A call of a tool, read from its arguments.

use linkspan_bcp::render::Mode;
use linkspan_wire::{Json, JsonKind};

use crate::access::is_bcp;
use crate::error::{BcpError, Result};

/// A call of a tool. Its arguments are valid as far as that can be checked without reading files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Request {
    Read {
        path: String,
        mode: Mode,
        budget: Option<u64>,
    },
    Inspect {
        path: String,
    },
    Encode {
        manifest: String,
        output: String,
        compress: bool,
    },
}

impl Request {
    /// `usual` is the mode of a call without one.
    pub(crate) fn parse(tool: &str, arguments: Json<'_>, usual: Mode) -> Result<Self> {
        let args = Arguments(arguments);
        match tool {
            "read_bcp_file" => Ok(Self::Read {
                path: args.bcp_path("path")?,
                mode: args.mode()?.unwrap_or(usual),
                budget: args.budget()?,
            }),
            "inspect_bcp_file" => Ok(Self::Inspect {
                path: args.bcp_path("path")?,
            }),
            "encode_bcp_file" => Ok(Self::Encode {
                manifest: args.path("manifest_path")?,
                output: args.bcp_path("output_path")?,
                compress: args.compress()?,
            }),
            _ => Err(BcpError::UnknownTool(tool.to_owned())),
        }
    }
}

struct Arguments<'a>(Json<'a>);

impl<'a> Arguments<'a> {
    /// Models write `null` for omitted arguments.
    fn get(&self, name: &str) -> Option<Json<'a>> {
        self.0.get(name).filter(|v| v.kind() != JsonKind::Null)
    }

    fn path(&self, name: &str) -> Result<String> {
        let Some(value) = self.get(name) else {
            return Err(wrong(format!(
                "`{name}` is missing: give the absolute path of the file"
            )));
        };
        match value.as_str() {
            Some(path) if path.is_empty() => Err(wrong(format!(
                "`{name}` is empty: give the absolute path of the file"
            ))),
            Some(path) if path.contains('\0') => Err(wrong(format!(
                "`{name}` has a NUL in it, which no path has"
            ))),
            Some(path) => Ok(path.into_owned()),
            None => Err(wrong(format!(
                "`{name}` must be a string: the absolute path of the file"
            ))),
        }
    }

    fn bcp_path(&self, name: &str) -> Result<String> {
        let path = self.path(name)?;
        if !is_bcp(path.as_ref()) {
            let next = match name {
                "path" => "this tool takes BCP files only; encode_bcp_file makes one of a manifest",
                _ => "give the file that is to be made a name that does",
            };
            return Err(wrong(format!("`{path}` does not end in .bcp: {next}")));
        }
        Ok(path)
    }

    fn mode(&self) -> Result<Option<Mode>> {
        let Some(value) = self.get("mode") else {
            return Ok(None);
        };
        let mode = value.as_str().and_then(|text| Mode::parse(&text));
        let bad = || wrong("`mode` must be one of xml, markdown or minimal".to_owned());
        mode.map(Some).ok_or_else(bad)
    }

    fn budget(&self) -> Result<Option<u64>> {
        let Some(value) = self.get("budget") else {
            return Ok(None);
        };
        let budget = whole(value);
        let bad = || wrong("`budget` must be a number of tokens: 0, 500, 12000 …".to_owned());
        budget.map(Some).ok_or_else(bad)
    }

    fn compress(&self) -> Result<bool> {
        let Some(value) = self.get("compress") else {
            return Ok(false);
        };
        let bad = || wrong("`compress` must be true or false".to_owned());
        value.as_bool().ok_or_else(bad)
    }
}

fn wrong(problem: String) -> BcpError {
    BcpError::Argument(problem)
}

/// A non-negative integer in any spelling: the schema declares `number`, which includes 500.0.
fn whole(value: Json<'_>) -> Option<u64> {
    if value.kind() != JsonKind::Number {
        return None;
    }
    if let Ok(number) = value.text().parse() {
        return Some(number);
    }
    let number: f64 = value.text().parse().ok()?;
    // The conversion saturates for numbers above `u64::MAX`.
    (number >= 0.0 && number.fract() == 0.0).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(tool: &str, arguments: &str) -> Result<Request> {
        Request::parse(tool, Json::parse(arguments).unwrap(), Mode::Xml)
    }

    fn budget(text: &str) -> Result<Option<u64>, String> {
        match parse(
            "read_bcp_file",
            &format!(r#"{{"path":"a.bcp","budget":{text}}}"#),
        ) {
            Ok(Request::Read { budget, .. }) => Ok(budget),
            Err(BcpError::Argument(why)) => Err(why),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_budget_is_a_whole_number_in_any_spelling() {
        for (text, tokens) in [
            ("500", 500),
            ("500.0", 500),
            ("5e2", 500),
            ("0", 0),
            ("-0.0", 0),
        ] {
            assert_eq!(budget(text), Ok(Some(tokens)), "{text}");
        }
        assert_eq!(budget("null"), Ok(None));
        assert_eq!(budget("1e300"), Ok(Some(u64::MAX)));
        for text in ["-1", "1.5", r#""500""#, "true", "[]", "1e999"] {
            assert!(budget(text).is_err(), "{text}");
        }
    }

    #[test]
    fn unknown_arguments_are_ignored() {
        let asked = parse("inspect_bcp_file", r#"{"path":"/a.BCP","verbose":true}"#);
        let path = "/a.BCP".to_owned();
        assert_eq!(asked.unwrap(), Request::Inspect { path });
    }

    #[test]
    fn the_error_names_the_wrong_argument() {
        for (tool, arguments, word) in [
            ("read_bcp_file", "{}", "`path` is missing"),
            ("read_bcp_file", r#"{"path":7}"#, "must be a string"),
            ("read_bcp_file", r#"{"path":""}"#, "is empty"),
            ("read_bcp_file", r#"{"path":"a\u0000.bcp"}"#, "NUL"),
            ("read_bcp_file", r#"{"path":"a.txt"}"#, ".bcp"),
            (
                "read_bcp_file",
                r#"{"path":"a.bcp","mode":"html"}"#,
                "`mode`",
            ),
            (
                "encode_bcp_file",
                r#"{"manifest_path":"m"}"#,
                "`output_path`",
            ),
            (
                "encode_bcp_file",
                r#"{"manifest_path":"m","output_path":"o.txt"}"#,
                ".bcp",
            ),
            (
                "encode_bcp_file",
                r#"{"manifest_path":"m","output_path":"o.bcp","compress":1}"#,
                "`compress`",
            ),
        ] {
            match parse(tool, arguments) {
                Err(BcpError::Argument(why)) => assert!(why.contains(word), "{why}"),
                other => panic!("{arguments}: {other:?}"),
            }
        }
        let unknown = parse("format_disk", "{}").unwrap_err();
        assert_eq!(unknown.to_string(), "unknown tool: format_disk");
    }
}
