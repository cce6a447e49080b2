//! A schema with what its references add.

use serde_json::{Map, Value};

use crate::error::OpenApiError;
use crate::reader::Reader;

/// References and single `allOf` that one schema may be made of.
const LAYERS: usize = 16;

/// What an `allOf` beside it would have to be merged with.
const STRUCTURE: [&str; 7] = [
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "oneOf",
    "not",
];

/// An object whose members come from several places: those beside a `$ref` first, then those of its target. An `allOf`
/// with one schema counts as a reference to it, unless there is more beside it than annotations.
pub(crate) struct View<'d> {
    layers: Vec<&'d Map<String, Value>>,
    all_of: Option<&'d Value>,
    /// Whether a reference leads nowhere or is one of too many.
    pub(crate) is_broken: bool,
}

impl<'d> View<'d> {
    pub(crate) fn new(reader: &Reader<'d>, schema: &'d Value) -> Result<Self, OpenApiError> {
        let mut view = Self {
            layers: Vec::new(),
            all_of: None,
            is_broken: false,
        };
        let mut next = Some(schema);
        while let Some(Value::Object(map)) = next {
            if view.layers.len() == LAYERS {
                view.is_broken = true;
                break;
            }
            reader.spend(16 + 4 * map.len())?;
            view.layers.push(map);
            let all_of = map.get("allOf");
            next = match (map.get("$ref"), all_of) {
                (Some(Value::String(reference)), _) => {
                    let target = reader.target(reference)?;
                    view.is_broken |= target.is_none();
                    target
                }
                (_, Some(Value::Array(all)))
                    if all.len() == 1 && !STRUCTURE.iter().any(|key| map.contains_key(*key)) =>
                {
                    all.first()
                }
                _ => {
                    view.all_of = all_of;
                    None
                }
            };
        }
        Ok(view)
    }

    /// What tells this schema from others on the way to it: where the last part of it is.
    pub(crate) fn identity(&self) -> usize {
        let last = self.layers.last();
        last.map_or(0, |map| std::ptr::from_ref(*map) as usize)
    }

    /// A member; that of the first layer that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&'d Value> {
        match key {
            "$ref" => None,
            "allOf" => self.all_of,
            _ => self.layers.iter().find_map(|map| map.get(key)),
        }
    }

    /// A member that is text.
    pub(crate) fn text(&self, key: &str) -> Option<&'d str> {
        self.get(key).and_then(Value::as_str)
    }

    /// Whether a member is `true`.
    pub(crate) fn is(&self, key: &str) -> bool {
        self.get(key) == Some(&Value::Bool(true))
    }

    /// All members, each once.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'d str, &'d Value)> {
        self.layers.iter().enumerate().flat_map(move |(at, map)| {
            map.iter()
                .filter(move |(key, _)| !self.layers[..at].iter().any(|map| map.contains_key(*key)))
                .filter_map(|(key, _)| Some((key.as_str(), self.get(key)?)))
        })
    }
}

/// Whether a property is not part of values in this direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Of a request.
    Input,
    /// Of a response.
    Output,
}

impl Direction {
    /// Whether a property with this schema has to be left out.
    pub(crate) fn drops(self, schema: &View<'_>) -> bool {
        match self {
            Self::Input => schema.is("readOnly"),
            Self::Output => schema.is("writeOnly"),
        }
    }
}
