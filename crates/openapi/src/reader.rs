//! References, and the limit of the work that they cause.

use std::cell::Cell;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::document::Document;
use crate::error::OpenApiError;

/// References that may lead to each other.
const CHAIN: usize = 16;
/// Characters of a reference.
const LONGEST_REFERENCE: usize = 1024;
/// Members and bytes that are looked at or written, for the whole document. GitHub's document with 1,200 operations
/// needs a tenth of it.
const WORK: usize = 200_000_000;

/// Reads values of a document.
pub(crate) struct Reader<'d> {
    pub(crate) document: &'d Document,
    work: Cell<usize>,
}

impl<'d> Reader<'d> {
    pub(crate) fn new(document: &'d Document) -> Self {
        Self {
            document,
            work: Cell::new(WORK),
        }
    }

    /// Counts work. References can repeat the same schema any number of times.
    pub(crate) fn spend(&self, work: usize) -> Result<(), OpenApiError> {
        let left = self.work.get().checked_sub(work);
        self.work.set(left.ok_or(OpenApiError::TooMuchWork)?);
        Ok(())
    }

    /// The target of a `$ref`, directly or through others; a value without `$ref` is its own target. `None` for a
    /// reference to nothing.
    pub(crate) fn resolve(&self, value: &'d Value) -> Result<Option<&'d Value>, OpenApiError> {
        let mut value = value;
        for _ in 0..CHAIN {
            match value.get("$ref").and_then(Value::as_str) {
                None => return Ok(Some(value)),
                Some(reference) => match self.target(reference)? {
                    Some(target) => value = target,
                    None => return Ok(None),
                },
            }
        }
        Ok(None)
    }

    /// The target as an object.
    pub(crate) fn object(
        &self,
        value: &'d Value,
    ) -> Result<Option<&'d Map<String, Value>>, OpenApiError> {
        Ok(self.resolve(value)?.and_then(Value::as_object))
    }

    /// What one reference names.
    pub(crate) fn target(&self, reference: &str) -> Result<Option<&'d Value>, OpenApiError> {
        self.spend(1 + reference.len().min(LONGEST_REFERENCE))?;
        if reference.len() > LONGEST_REFERENCE {
            return Ok(None);
        }
        let Some(pointer) = reference.strip_prefix('#') else {
            return Err(OpenApiError::RemoteReference(reference.to_owned()));
        };
        let pointer = percent_decode_str(pointer).decode_utf8_lossy();
        let mut steps = pointer.split('/');
        if steps.next() != Some("") {
            // The name of an anchor.
            return Ok(None);
        }
        let Some(first) = steps.next() else {
            return Ok(None);
        };
        let found = self.document.root.get(&*unescape(first));
        Ok(steps
            .try_fold(found, |value, step| {
                let step = unescape(step);
                Some(match value? {
                    Value::Object(map) => map.get(&*step),
                    Value::Array(items) => step.parse().ok().and_then(|at: usize| items.get(at)),
                    _ => None,
                })
            })
            .flatten())
    }
}

fn unescape(step: &str) -> std::borrow::Cow<'_, str> {
    if step.contains('~') {
        step.replace("~1", "/").replace("~0", "~").into()
    } else {
        step.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document::parse(&format!(r#"{{"openapi":"3.0.0",{text}}}"#)).unwrap()
    }

    #[test]
    fn references_are_followed_inside_the_document() {
        let document = document(
            r##""a":{"$ref":"#/b~1c/d%20e/1"},"b/c":{"d e":[0,{"x":1}]},"l":{"$ref":"#/l"}"##,
        );
        let reader = Reader::new(&document);
        let at = |name: &str| reader.resolve(&document.root[name]).unwrap();
        assert_eq!(at("a").unwrap().to_string(), r#"{"x":1}"#);
        assert_eq!(at("l"), None);
        for none in [
            "#",
            "#/",
            "#/nothing",
            "#/b~1c/d%20e/2",
            "#anchor",
            "#/b~1c/x/y",
        ] {
            assert_eq!(reader.target(none).unwrap(), None, "{none}");
        }
    }

    #[test]
    fn other_documents_are_not_followed() {
        let document = document(r##""a":{"$ref":"common.yaml#/Pet"}"##);
        let reader = Reader::new(&document);
        let refused = reader.resolve(&document.root["a"]).unwrap_err();
        assert_eq!(
            refused,
            OpenApiError::RemoteReference("common.yaml#/Pet".to_owned())
        );
    }

    #[test]
    fn work_has_an_end() {
        let document = document(r#""a":1"#);
        let reader = Reader::new(&document);
        assert_eq!(reader.spend(WORK), Ok(()));
        assert_eq!(reader.spend(1), Err(OpenApiError::TooMuchWork));
    }
}
