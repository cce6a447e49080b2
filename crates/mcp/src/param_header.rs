//! `x-mcp-header`: tool arguments that a modern client repeats in `Mcp-Param-*` headers.
//!
//! The annotation is in the tool's schema, so an HTTP client must have listed the tools.

use std::collections::HashMap;

use linkspan_wire::{Json, JsonKind, Message};

use crate::header::encode_value;

/// The annotation in a schema.
pub const ANNOTATION: &str = "x-mcp-header";

/// A server may list many tools, so the number of the stored ones is bounded.
const MAX_TOOLS: usize = 10_000;
const MAX_PARAMS: usize = 64;
/// The maximum depth of an annotation below the schema's root.
const MAX_PATH: usize = 16;

/// The annotations of known tools.
#[derive(Debug, Default)]
pub struct ParamHeaders {
    tools: HashMap<String, Vec<Param>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Param {
    pub(crate) path: Vec<String>,
    pub(crate) header: String,
}

impl Param {
    /// The argument that the annotation describes.
    pub(crate) fn value<'a>(&self, arguments: Json<'a>) -> Option<Json<'a>> {
        self.path
            .iter()
            .try_fold(arguments, |value, key| value.get(key))
    }
}

impl ParamHeaders {
    /// Looks through the result of `tools/list`.
    pub fn learn(&mut self, result: Json<'_>) {
        // Almost no server has annotations, and a list can be long.
        if self.tools.is_empty() && !result.text().contains(ANNOTATION) {
            return;
        }
        let tools = result.get("tools").into_iter().flat_map(|t| t.elements());
        for tool in tools {
            let Some(name) = tool.get("name").and_then(Json::as_str) else {
                continue;
            };
            let mut params = Vec::new();
            if let Some(schema) = tool.get("inputSchema") {
                collect(schema, &mut Vec::new(), &mut params);
            }
            if params.is_empty() {
                // It may have had annotations before.
                self.tools.remove(&*name);
            } else if self.tools.len() < MAX_TOOLS || self.tools.contains_key(&*name) {
                self.tools.insert(name.into_owned(), params);
            }
        }
    }

    /// Whether no tool has annotations.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub(crate) fn of(&self, tool: &str) -> &[Param] {
        self.tools.get(tool).map_or(&[], Vec::as_slice)
    }

    /// The headers for a `tools/call`.
    pub fn headers(&self, call: &Message) -> Vec<(String, String)> {
        let Some(request) = call.params() else {
            return Vec::new();
        };
        let Some(tool) = request.get("name").and_then(Json::as_str) else {
            return Vec::new();
        };
        let Some(arguments) = request.get("arguments") else {
            return Vec::new();
        };
        self.of(&tool)
            .iter()
            .filter_map(|param| {
                let value = param.value(arguments)?;
                let text = match value.kind() {
                    JsonKind::String => value.as_str()?,
                    JsonKind::Number | JsonKind::Bool => value.text().into(),
                    _ => return None,
                };
                Some((format!("mcp-param-{}", param.header), encode_value(&text)))
            })
            .collect()
    }
}

/// Walks `properties` only: an annotation under `anyOf` and the like is not reachable statically.
fn collect(schema: Json<'_>, path: &mut Vec<String>, out: &mut Vec<Param>) {
    let properties = schema.get("properties").into_iter().flat_map(Json::members);
    for (name, property) in properties {
        path.push(name.into_owned());
        if let Some(header) = property.get(ANNOTATION).and_then(Json::as_str) {
            let header = header.to_ascii_lowercase();
            if is_token(&header) && out.len() < MAX_PARAMS {
                out.push(Param {
                    path: path.clone(),
                    header,
                });
            }
        }
        if path.len() < MAX_PATH {
            collect(property, path, out);
        }
        path.pop();
    }
}

pub(crate) fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 128
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learnt() -> ParamHeaders {
        let mut headers = ParamHeaders::default();
        let list = r#"{"tools":[{"name":"q","inputSchema":{"type":"object","properties":{
            "region":{"type":"string","x-mcp-header":"Region"},
            "bad":{"type":"string","x-mcp-header":"a b"},
            "deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}}]}"#;
        headers.learn(Json::parse(list).unwrap());
        headers
    }

    fn call(arguments: &str) -> Message {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"q","arguments":{arguments}}}}}"#
        );
        Message::parse(text.into()).unwrap()
    }

    #[test]
    fn annotated_arguments_are_repeated_in_headers() {
        let headers = learnt().headers(&call(r#"{"region":"zürich","deep":{"n":42},"bad":"x"}"#));
        assert_eq!(
            headers,
            [
                (
                    "mcp-param-region".to_owned(),
                    "=?base64?esO8cmljaA==?=".to_owned()
                ),
                ("mcp-param-n".to_owned(), "42".to_owned())
            ]
        );
    }

    #[test]
    fn arguments_that_are_null_or_absent_have_no_header() {
        assert_eq!(learnt().headers(&call(r#"{"region":null}"#)), []);
        assert_eq!(learnt().headers(&call("{}")), []);
    }
}
