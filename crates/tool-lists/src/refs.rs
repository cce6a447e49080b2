//! References inside a schema.

use std::cell::Cell;

use linkspan_wire::Json;

/// References of one schema that are followed. Each one costs a scan of the schema.
const MOST: u32 = 256;
/// References in a larger schema are not followed, in bytes.
const LARGEST: usize = 32 << 10;

/// Follows the references inside a schema.
pub(crate) struct Refs<'a> {
    root: Json<'a>,
    left: Cell<u32>,
}

impl<'a> Refs<'a> {
    /// Of this schema.
    pub(crate) fn new(root: Json<'a>) -> Self {
        let is_small = root.text().len() <= LARGEST;
        Self {
            root,
            left: Cell::new(if is_small { MOST } else { 0 }),
        }
    }

    /// The schema that a reference means; the schema itself if it is none, or cannot be resolved.
    pub(crate) fn resolve(&self, schema: Json<'a>) -> Json<'a> {
        let mut found = schema;
        while let Some(next) = self.target(found) {
            found = next;
        }
        found
    }

    /// The target of a reference into the same schema (`#/$defs/Name`).
    pub(crate) fn target(&self, schema: Json<'a>) -> Option<Json<'a>> {
        let reference = schema.get("$ref")?.as_str()?;
        let pointer = reference.strip_prefix('#')?;
        self.left.set(self.left.get().checked_sub(1)?);
        let mut steps = pointer.split('/').skip(1);
        steps.try_fold(self.root, |value, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match step.parse() {
                Ok(index) if value.text().starts_with('[') => value.elements().nth(index),
                _ => value.get(&step),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_followed_through_objects_and_arrays() {
        let root = Json::parse(r##"{"a/b":[1,{"$ref":"#/c"}],"c":{"x":1}}"##).unwrap();
        let reference = Json::parse(r##"{"$ref":"#/a~1b/1"}"##).unwrap();
        assert_eq!(Refs::new(root).resolve(reference).text(), r#"{"x":1}"#);
        let elsewhere = Json::parse(r#"{"$ref":"https://example.com/x"}"#).unwrap();
        assert_eq!(Refs::new(root).resolve(elsewhere), elsewhere);
    }

    #[test]
    fn a_circle_of_references_ends() {
        let root = Json::parse(r##"{"a":{"$ref":"#/b"},"b":{"$ref":"#/a"}}"##).unwrap();
        let found = Refs::new(root).resolve(root.get("a").unwrap());
        assert!(found.get("$ref").is_some());
    }
}
