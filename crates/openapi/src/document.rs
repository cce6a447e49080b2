//! The text of a document as a value.

use serde_json::{Map, Value};

use crate::error::OpenApiError;

/// The most bytes of a document.
pub const DOCUMENT_LIMIT: usize = 64 << 20;

/// The parsed document.
pub(crate) struct Document {
    pub(crate) root: Map<String, Value>,
    /// Whether it is Swagger 2.0.
    pub(crate) is_swagger: bool,
}

impl Document {
    /// Reads JSON or YAML and checks the version.
    pub(crate) fn parse(text: &str) -> Result<Self, OpenApiError> {
        let text = text.trim_start_matches('\u{feff}');
        if text.len() > DOCUMENT_LIMIT {
            return Err(OpenApiError::TooLarge(DOCUMENT_LIMIT));
        }
        let value = if text.trim_start().starts_with('{') {
            json(text)?
        } else {
            yaml(text)?
        };
        let Value::Object(root) = value else {
            return Err(OpenApiError::NotOpenApi("openapi"));
        };
        // An unquoted version in YAML may be a number.
        let version = |name| match root.get(name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        let is_swagger = match (version("openapi"), version("swagger")) {
            (Some(version), _) if is_supported(&version) => false,
            (None, Some(version)) if version == "2.0" || version == "2" => true,
            (Some(version), _) | (None, Some(version)) => {
                let shown = version.chars().take(20).collect();
                return Err(OpenApiError::Version(shown));
            }
            (None, None) => return Err(OpenApiError::NotOpenApi("openapi")),
        };
        Ok(Self { root, is_swagger })
    }

    /// The operations by path and method.
    pub(crate) fn paths(&self) -> Result<&Map<String, Value>, OpenApiError> {
        let paths = self.root.get("paths").and_then(Value::as_object);
        paths.ok_or(OpenApiError::NotOpenApi("paths"))
    }
}

/// Versions whose documents differ from 3.1 in additions only are read as 3.1.
fn is_supported(version: &str) -> bool {
    version == "3" || version.starts_with("3.")
}

fn json(text: &str) -> Result<Value, OpenApiError> {
    serde_json::from_str(text).map_err(|error| OpenApiError::Syntax {
        line: error.line(),
        column: error.column(),
        why: first_line(&error.to_string()),
    })
}

fn yaml(text: &str) -> Result<Value, OpenApiError> {
    // The limits of aliases stay those of the parser: a document that repeats itself by anchors has few of them.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 8_000_000,
            max_nodes: 4_000_000,
            max_total_scalar_bytes: DOCUMENT_LIMIT,
        },
        strict_booleans: true,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let place = error.location();
        OpenApiError::Syntax {
            line: place.map_or(1, |place| place.line() as usize),
            column: place.map_or(1, |place| place.column() as usize),
            why: first_line(&error.without_snippet().to_string()),
        }
    })
}

/// The message of a parser without its place.
fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let line = line.split(" at line ").next().unwrap_or(line);
    line.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> OpenApiError {
        Document::parse(text).err().expect("it is refused")
    }

    #[test]
    fn json_and_yaml_are_the_same_document() {
        let json = Document::parse(
            r#"{"openapi":"3.1.0","paths":{"/":{"get":{"responses":{"200":{}}}}}}"#,
        );
        let yaml = Document::parse(
            "openapi: 3.1.0\npaths:\n  /:\n    get:\n      responses:\n        200: {}\n",
        );
        assert_eq!(json.unwrap().root, yaml.unwrap().root);
    }

    #[test]
    fn words_of_yaml_1_1_stay_text() {
        let text = "swagger: 2.0\npaths: {}\nx-a: [yes, no, on, off, y, n, true]\n";
        let document = Document::parse(text).unwrap();
        assert!(document.is_swagger);
        assert_eq!(
            document.root["x-a"].to_string(),
            r#"["yes","no","on","off","y","n",true]"#
        );
    }

    #[test]
    fn anchors_are_expanded_within_limits() {
        let text = "openapi: 3.0.0\npaths: {}\nx-a: &a {type: string}\nx-b: *a\n";
        let document = Document::parse(text).unwrap();
        assert_eq!(document.root["x-b"].to_string(), r#"{"type":"string"}"#);
        let mut bomb = "openapi: 3.0.0\nx0: &x0 [1,1,1,1,1,1,1,1,1,1]\n".to_owned();
        for n in 1..12 {
            let list = format!("*x{},", n - 1).repeat(10);
            bomb += &format!("x{n}: &x{n} [{list}]\n");
        }
        assert!(matches!(error(&bomb), OpenApiError::Syntax { .. }));
    }

    #[test]
    fn errors_have_their_place() {
        let json = error("{\"openapi\":\n \"3.0.0\",,}");
        assert!(
            matches!(
                json,
                OpenApiError::Syntax {
                    line: 2,
                    column: 10,
                    ..
                }
            ),
            "{json}"
        );
        let yaml = error("openapi: 3.0.0\npaths: [\n");
        assert!(
            matches!(yaml, OpenApiError::Syntax { line: 2.., .. }),
            "{yaml}"
        );
    }

    #[test]
    fn other_texts_are_refused() {
        assert_eq!(error("<html>"), OpenApiError::NotOpenApi("openapi"));
        assert_eq!(error("{}"), OpenApiError::NotOpenApi("openapi"));
        assert_eq!(
            error(r#"{"openapi":"4.0.0"}"#),
            OpenApiError::Version("4.0.0".to_owned())
        );
        assert_eq!(
            error(r#"{"swagger":"1.2"}"#),
            OpenApiError::Version("1.2".to_owned())
        );
        let deep = format!("{{\"openapi\":{}", "[".repeat(10_000));
        assert!(matches!(error(&deep), OpenApiError::Syntax { .. }));
    }
}
