//! Checks the arguments of a call against the real schema of a tool whose definition was shortened, and repairs the
//! two kinds of damage that models cause when they do not see a schema.

mod reduced;

use linkspan_schema::Schema;
use linkspan_wire::{Json, JsonKind};
use serde_json::Value;

use self::reduced::reduced;

/// Members that some models put around the arguments.
const WRAPPERS: [&str; 3] = ["arguments", "args", "input"];
/// Errors that are reported, and the bytes of each.
const MOST_ERRORS: usize = 5;
const LONGEST_ERROR: usize = 300;
/// By larger schemas nothing is judged, and no larger arguments are judged, in bytes.
const LARGEST_SCHEMA: usize = 64 << 10;
const LARGEST: usize = 1 << 20;
/// Nothing is judged if the product of the numbers of values in both is larger.
const MOST_STEPS: usize = 1_000_000;

/// What is known about the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judged {
    /// They fit, or cannot be judged.
    Fits,
    /// What was meant, in the sender's spelling.
    Repaired(String),
    /// They do not fit.
    Wrong(Vec<String>),
}

/// The schema of a tool, as far as arguments can be judged by it.
#[derive(Debug)]
pub(crate) struct Judge {
    schema: Schema,
    size: usize,
    /// The names of all arguments; empty if there may be others.
    names: Vec<String>,
}

impl Judge {
    /// By this schema; `None` if nothing can be said.
    pub(crate) fn new(schema: Json<'_>) -> Option<Self> {
        if schema.text().len() > LARGEST_SCHEMA {
            return None;
        }
        let schema: Value = serde_json::from_str(schema.text()).ok()?;
        let names = names(&schema);
        let reduced = reduced(&schema);
        Some(Self {
            schema: Schema::new(&reduced).ok()?,
            size: values(&reduced),
            names,
        })
    }

    /// Judges the arguments of a call.
    pub(crate) fn judge(&self, arguments: Option<Json<'_>>) -> Judged {
        let Some(arguments) = arguments.filter(|it| it.kind() != JsonKind::Null) else {
            return match self.errors("{}") {
                None => Judged::Fits,
                Some(errors) => Judged::Wrong(errors),
            };
        };
        let meant = match arguments.as_str() {
            Some(text) => object(&text),
            None => self.wrapped(arguments).map(|inner| inner.text().to_owned()),
        };
        match (self.errors(arguments.text()), meant) {
            // Arguments with a further member fit most schemas, so a wrapper is looked for in those as well.
            (_, Some(meant)) if self.errors(&meant).is_none() => Judged::Repaired(meant),
            (None, _) => Judged::Fits,
            (Some(errors), _) => Judged::Wrong(errors),
        }
    }

    /// What a wrapper contains, if the tool has no such argument and has every argument in it.
    fn wrapped<'a>(&self, arguments: Json<'a>) -> Option<Json<'a>> {
        let mut members = arguments.members();
        let (wrapper, inner) = members.next()?;
        let is_only = members.next().is_none();
        let is_known = |name: &str| self.names.iter().any(|one| one == name);
        let mut inside = inner.members().peekable();
        inside.peek()?;
        let is_wrapper = is_only && WRAPPERS.contains(&&*wrapper) && !is_known(&wrapper);
        (is_wrapper && inside.all(|(name, _)| is_known(&name))).then_some(inner)
    }

    /// The errors of arguments; `None` if there are none, or the arguments cannot be judged.
    fn errors(&self, arguments: &str) -> Option<Vec<String>> {
        if arguments.len() > LARGEST {
            return None;
        }
        let arguments: Value = serde_json::from_str(arguments).ok()?;
        if values(&arguments).saturating_mul(self.size) > MOST_STEPS {
            return None;
        }
        let errors = self.schema.check(&arguments);
        let errors: Vec<String> = errors.into_iter().take(MOST_ERRORS).map(cut).collect();
        (!errors.is_empty()).then_some(errors)
    }
}

/// The text of an object inside a string.
fn object(text: &str) -> Option<String> {
    let json = Json::parse(text).ok()?;
    (json.kind() == JsonKind::Object).then(|| json.text().to_owned())
}

/// The names of all arguments of a schema, if it has no others.
fn names(schema: &Value) -> Vec<String> {
    let has = |key: &str| schema.get(key).is_some();
    let others = ["$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties"];
    let is_open = schema
        .get("additionalProperties")
        .is_some_and(|it| it != &Value::Bool(false));
    if is_open || others.into_iter().any(has) {
        return Vec::new();
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flat_map(|it| it.keys().cloned())
        .collect()
}

/// The number of values in a value.
fn values(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(values).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(values).sum::<usize>(),
        _ => 1,
    }
}

fn cut(mut error: String) -> String {
    if error.len() > LONGEST_ERROR {
        error.truncate(error.floor_char_boundary(LONGEST_ERROR));
        error.push('…');
    }
    error
}

#[cfg(test)]
mod tests;
