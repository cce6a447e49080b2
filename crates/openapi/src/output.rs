//! The result of an operation: what is accepted, and its schema.

use linkspan_wire::Json;
use serde_json::{Map, Value};

use crate::content;
use crate::error::OpenApiError;
use crate::object::elements;
use crate::reader::Reader;
use crate::tool::within_limit;
use crate::view::{Direction, View};

/// Media types in `Accept`.
const MOST_MEDIA: usize = 8;

/// The schema of a result.
pub(crate) struct Output<'d> {
    schema: &'d Value,
    /// Whether results are a member `result` of the structured content, which has to be an object.
    pub(crate) is_wrapped: bool,
}

impl<'d> Output<'d> {
    /// The schema of all successful responses, if they have one and the same. A tool with an output schema must not
    /// return anything else.
    pub(crate) fn of(
        reader: &Reader<'d>,
        operation: &'d Map<String, Value>,
    ) -> Result<Option<Self>, OpenApiError> {
        let mut found: Option<&'d Value> = None;
        for response in successes(reader, operation)? {
            let schema = match response.get("content") {
                Some(content) => content::best(Some(content))
                    .filter(|(media, _)| content::is_json(&content::essence(media)))
                    .and_then(|(_, content)| content.get("schema")),
                None => response.get("schema"),
            };
            match (schema, found) {
                (Some(schema), None) => found = Some(schema),
                (Some(schema), Some(known)) if schema == known => {}
                _ => return Ok(None),
            }
        }
        let Some(schema) = found else {
            return Ok(None);
        };
        let view = View::new(reader, schema)?;
        let is_object = view.get("type").is_some_and(|kind| kind == "object")
            || view.get("type").is_none() && view.get("properties").is_some();
        Ok(Some(Self {
            schema,
            is_wrapped: !is_object || view.is("nullable"),
        }))
    }

    /// The `outputSchema`; `None` if it is too large.
    pub(crate) fn schema_text(&self, reader: &Reader<'d>) -> Result<Option<String>, OpenApiError> {
        within_limit(reader, Direction::Output, |writer| {
            if !self.is_wrapped {
                return writer.schema(self.schema, None, false);
            }
            writer.push(r#"{"type":"object","properties":{"result":"#)?;
            writer.schema(self.schema, None, false)?;
            writer.push(r#"},"required":["result"]}"#)
        })
    }
}

/// The structured content of a JSON response; `None` if it cannot be that of the schema.
pub(crate) fn structured(body: Json<'_>, is_wrapped: bool) -> Option<String> {
    if is_wrapped {
        return Some(format!(r#"{{"result":{}}}"#, body.text()));
    }
    let is_object = body.kind() == linkspan_wire::JsonKind::Object;
    is_object.then(|| body.text().to_owned())
}

/// The value of `Accept`: JSON if the document has it.
pub(crate) fn accept<'d>(
    reader: &Reader<'d>,
    operation: &'d Map<String, Value>,
) -> Result<Box<str>, OpenApiError> {
    let mut media: Vec<&str> = Vec::new();
    if reader.document.is_swagger {
        let produces = operation
            .get("produces")
            .or_else(|| reader.document.root.get("produces"));
        media.extend(elements(produces).filter_map(Value::as_str));
    } else {
        for response in successes(reader, operation)? {
            let content = response.get("content").and_then(Value::as_object);
            let content = content.into_iter().flatten();
            media.extend(content.take(MOST_MEDIA).map(|(media, _)| media.as_str()));
        }
    }
    media.retain(|media| content::is_valid(media));
    let json = media
        .iter()
        .find(|media| content::is_json(&content::essence(media)));
    Ok(match json {
        Some(json) if !json.contains('*') => format!("{json}, */*;q=0.1").into(),
        None if !media.is_empty() => {
            media.dedup();
            media.truncate(MOST_MEDIA);
            format!("{}, */*;q=0.1", media.join(", ")).into()
        }
        _ => "application/json, */*;q=0.5".into(),
    })
}

/// The responses of success.
fn successes<'d>(
    reader: &Reader<'d>,
    operation: &'d Map<String, Value>,
) -> Result<Vec<&'d Map<String, Value>>, OpenApiError> {
    let responses = operation.get("responses").and_then(Value::as_object);
    let mut found = Vec::new();
    for (status, response) in responses.into_iter().flatten().take(100) {
        if status.starts_with('2')
            && let Some(response) = reader.object(response)?
        {
            found.push(response);
        }
    }
    Ok(found)
}
