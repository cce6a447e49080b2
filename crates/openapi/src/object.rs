//! Schemas of objects whose properties can be told apart.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::error::OpenApiError;
use crate::reader::Reader;
use crate::view::{Direction, View};

/// Schemas inside `allOf` inside each other.
const DEEPEST: usize = 8;
/// What makes the properties of an object depend on its value.
const CONDITIONS: [&str; 9] = [
    "anyOf",
    "oneOf",
    "not",
    "if",
    "patternProperties",
    "propertyNames",
    "dependentSchemas",
    "enum",
    "const",
];
/// The most characters of a property's name.
const LONGEST_NAME: usize = 256;
/// The most elements of an array that are looked at.
const MOST_ELEMENTS: usize = 4096;

/// The properties of an object, with those of all schemas in its `allOf`.
#[derive(Default)]
pub(crate) struct ObjectSchema<'d> {
    /// In the order of the document; a later property of the same name replaces the earlier.
    pub(crate) properties: Vec<(&'d str, &'d Value)>,
    pub(crate) required: HashSet<&'d str>,
    places: HashMap<&'d str, usize>,
}

impl<'d> ObjectSchema<'d> {
    /// The properties of a schema; `None` if there are none, or if a value may have others, or not all of them.
    pub(crate) fn of(
        reader: &Reader<'d>,
        schema: &View<'d>,
        direction: Direction,
    ) -> Result<Option<Self>, OpenApiError> {
        let mut object = Self::default();
        if !object.add(reader, schema, 0)? || object.properties.is_empty() {
            return Ok(None);
        }
        let mut kept = Vec::with_capacity(object.properties.len());
        for (name, property) in object.properties {
            if name.len() <= LONGEST_NAME && !direction.drops(&View::new(reader, property)?) {
                kept.push((name, property));
            }
        }
        object.properties = kept;
        Ok(Some(object))
    }

    /// Adds what a schema and those in its `allOf` have; `false` if it is no such object.
    fn add(
        &mut self,
        reader: &Reader<'d>,
        schema: &View<'d>,
        depth: usize,
    ) -> Result<bool, OpenApiError> {
        if depth > DEEPEST || !is_plain(schema) {
            return Ok(false);
        }
        for part in elements(schema.get("allOf")) {
            let part = View::new(reader, part)?;
            if !self.add(reader, &part, depth + 1)? {
                return Ok(false);
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            reader.spend(16)?;
            match self.places.get(name.as_str()) {
                Some(at) => self.properties[*at].1 = property,
                None => {
                    self.places.insert(name, self.properties.len());
                    self.properties.push((name, property));
                }
            }
        }
        let required = elements(schema.get("required"));
        self.required.extend(required.filter_map(Value::as_str));
        Ok(true)
    }
}

/// Whether all properties of a value are named, whatever the value is.
fn is_plain(schema: &View<'_>) -> bool {
    let is_conditional = CONDITIONS.iter().any(|key| schema.get(key).is_some());
    let is_open = match schema.get("additionalProperties") {
        None | Some(Value::Bool(false)) => false,
        // Some generators write it for every object.
        Some(Value::Bool(true)) => schema.get("properties").is_none(),
        Some(_) => true,
    };
    let is_object = match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(kind) => kind == "object",
    };
    is_object && !schema.is_broken && !is_conditional && !is_open
}

/// The elements of an array, up to a limit that only a hostile document exceeds; none for other values.
pub(crate) fn elements(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    let all = value.and_then(Value::as_array).into_iter().flatten();
    all.take(MOST_ELEMENTS)
}
