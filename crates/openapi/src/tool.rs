//! The definition of an operation's tool.

use http::Method;
use linkspan_wire::quote;

use crate::argument::{Argument, Place, Style};
use crate::arguments::Declared;
use crate::clipped::clipped;
use crate::error::OpenApiError;
use crate::output::Output;
use crate::reader::Reader;
use crate::schema::{SchemaWriter, Size, Stop};
use crate::view::Direction;

/// The most characters of a tool's description.
const LONGEST_DESCRIPTION: usize = 4000;
/// The most bytes of a schema of a tool. A larger one is written with fewer levels.
const SCHEMA_LIMIT: usize = 32 << 10;
/// How many levels of a schema are written, and how many characters of each description, in the order that they are
/// tried.
const SIZES: [(usize, usize); 10] = [
    (24, 1000),
    (12, 1000),
    (8, 500),
    (6, 300),
    (4, 300),
    (3, 200),
    (2, 200),
    (1, 200),
    (0, 100),
    (0, 0),
];

/// What a definition is made of.
pub(crate) struct Tool<'a, 'd> {
    pub(crate) name: &'a str,
    pub(crate) method: &'a Method,
    pub(crate) path: &'a str,
    pub(crate) summary: &'a str,
    pub(crate) description: &'a str,
    pub(crate) is_deprecated: bool,
    pub(crate) arguments: &'a [Declared<'d>],
    pub(crate) output: Option<&'a Output<'d>>,
}

/// The definition of a tool.
pub(crate) struct Definition {
    pub(crate) json: String,
    /// Whether it has an `outputSchema`.
    pub(crate) has_output: bool,
}

impl<'d> Tool<'_, 'd> {
    /// The definition; `None` if its arguments do not fit the limit.
    pub(crate) fn definition(
        &self,
        reader: &Reader<'d>,
    ) -> Result<Option<Definition>, OpenApiError> {
        let Some(input) = self.input(reader)? else {
            return Ok(None);
        };
        let output = match self.output {
            Some(output) => output.schema_text(reader)?,
            None => None,
        };
        let has_output = output.is_some();
        let output = output.map_or_else(String::new, |text| format!(r#","outputSchema":{text}"#));
        let json = format!(
            r#"{{"name":{},"description":{},"inputSchema":{input}{output},"annotations":{}}}"#,
            quote(self.name),
            quote(&self.text()),
            annotations(self.method),
        );
        Ok(Some(Definition { json, has_output }))
    }

    /// Summary and description, or at least what is requested.
    fn text(&self) -> String {
        let (summary, description) = (self.summary.trim(), self.description.trim());
        let text = match (summary, description) {
            ("", "") => format!("{} {}", self.method, self.path),
            ("", one) | (one, "") => one.to_owned(),
            (summary, description) if description.starts_with(summary) => description.to_owned(),
            (summary, description) => format!("{summary}\n\n{description}"),
        };
        let mark = if self.is_deprecated {
            "Deprecated. "
        } else {
            ""
        };
        format!("{mark}{}", clipped(&text, LONGEST_DESCRIPTION))
    }

    fn input(&self, reader: &Reader<'d>) -> Result<Option<String>, OpenApiError> {
        within_limit(reader, Direction::Input, |writer| {
            let required = self.arguments.iter().filter(|one| one.argument.is_required);
            let required: Vec<String> = required.map(|one| quote(&one.argument.name)).collect();
            writer.push(r#"{"type":"object","properties":{"#)?;
            let start = writer.out.len();
            for declared in self.arguments {
                writer.key(start, &declared.argument.name)?;
                match declared.schema {
                    Some(schema) => {
                        writer.schema(schema, declared.note, declared.argument.is_file)?;
                    }
                    None => writer.push(&without_schema(&declared.argument, declared.note))?,
                }
            }
            writer.push("}")?;
            if !required.is_empty() {
                writer.push(&format!(r#","required":[{}]"#, required.join(",")))?;
            }
            writer.push("}")
        })
    }
}

/// Writes a schema with as many levels as fit the limit.
pub(crate) fn within_limit<'r, 'd>(
    reader: &'r Reader<'d>,
    direction: Direction,
    write: impl Fn(&mut SchemaWriter<'r, 'd>) -> Result<(), Stop>,
) -> Result<Option<String>, OpenApiError> {
    for (levels, description) in SIZES {
        let size = Size {
            levels,
            description,
            bytes: SCHEMA_LIMIT,
        };
        let mut writer = SchemaWriter::new(reader, direction, size);
        match write(&mut writer) {
            Ok(()) => return Ok(Some(writer.out)),
            Err(Stop::Full) => {}
            Err(Stop::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

fn without_schema(argument: &Argument, note: Option<&str>) -> String {
    let is_any = argument.place == Place::Body || argument.encoding.style == Style::Json;
    let kind = if is_any && !argument.is_file {
        ""
    } else {
        r#""type":"string""#
    };
    let note = clipped(note.unwrap_or_default(), LONGEST_DESCRIPTION / 4);
    match (kind, note.trim()) {
        (kind, "") => format!("{{{kind}}}"),
        ("", note) => format!(r#"{{"description":{}}}"#, quote(note)),
        (kind, note) => format!(r#"{{{kind},"description":{}}}"#, quote(note)),
    }
}

fn annotations(method: &Method) -> &'static str {
    match *method {
        Method::GET | Method::HEAD | Method::OPTIONS | Method::TRACE => {
            r#"{"readOnlyHint":true,"openWorldHint":true}"#
        }
        Method::DELETE => {
            r#"{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true}"#
        }
        Method::PUT => r#"{"readOnlyHint":false,"idempotentHint":true,"openWorldHint":true}"#,
        _ => r#"{"readOnlyHint":false,"openWorldHint":true}"#,
    }
}
