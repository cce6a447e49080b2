//! The keywords of schemas that tools keep, and which of their values are valid.

use serde_json::Value;

/// The most characters of a `pattern`.
const LONGEST_PATTERN: usize = 512;
/// The most repetitions in a `pattern`; engines unroll them.
const MOST_REPETITIONS: u32 = 1000;
/// The most values of an `enum`.
const MOST_CHOICES: usize = 512;
/// The most characters of a value in a schema.
const LONGEST_VALUE: usize = 512;

/// What the value of a keyword is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Keyword {
    /// A value that is copied if it is valid.
    Plain(fn(&Value) -> bool),
    /// A schema.
    Schema,
    /// An array of schemas.
    Schemas,
    /// An object of schemas.
    SchemaMap,
    /// A text for the model.
    Description,
    /// `type`, `properties` and `required`, which are made of several members.
    Structure,
    /// Not for tools.
    Dropped,
}

impl Keyword {
    pub(crate) fn of(name: &str) -> Self {
        match name {
            "type" | "properties" | "required" => Self::Structure,
            "description" => Self::Description,
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
            | "maxProperties" | "minContains" | "maxContains" => Self::Plain(Value::is_u64),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                Self::Plain(Value::is_number)
            }
            "multipleOf" => Self::Plain(|value| value.as_f64().is_some_and(|number| number > 0.0)),
            "uniqueItems" | "deprecated" => Self::Plain(|value| *value == Value::Bool(true)),
            "format" | "contentEncoding" | "contentMediaType" => Self::Plain(is_short_text),
            "pattern" => Self::Plain(|value| value.as_str().is_some_and(is_pattern)),
            "enum" => Self::Plain(is_choice),
            "const" | "default" => Self::Plain(is_small),
            "items"
            | "additionalProperties"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "propertyNames" => Self::Schema,
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => Self::Schemas,
            "patternProperties" | "dependentSchemas" => Self::SchemaMap,
            _ => Self::Dropped,
        }
    }
}

fn is_short_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() <= 64)
}

fn is_choice(value: &Value) -> bool {
    let choices = value.as_array();
    choices
        .is_some_and(|all| !all.is_empty() && all.len() <= MOST_CHOICES && all.iter().all(is_small))
}

/// A scalar, or a short list of scalars.
fn is_small(value: &Value) -> bool {
    let is_scalar = |value: &Value| match value {
        Value::String(text) => text.len() <= LONGEST_VALUE,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => true,
    };
    match value {
        Value::Array(items) => items.len() <= 16 && items.iter().all(is_scalar),
        other => is_scalar(other),
    }
}

/// Whether clients can compile a regular expression. A pattern that only some engines read is dropped, since a client
/// may refuse the tool for it, or the whole list.
pub(crate) fn is_pattern(pattern: &str) -> bool {
    let is_common = pattern
        .split("(?")
        .skip(1)
        .all(|rest| rest.starts_with(':'));
    pattern.len() <= LONGEST_PATTERN
        && is_common
        && counts(pattern).all(|count| count <= MOST_REPETITIONS)
        && !["\\A", "\\z", "[:", "&&", "--", "~~", "\\x{", "\\p", "\\P"]
            .iter()
            .any(|odd| pattern.contains(odd))
        && regex_syntax::parse(pattern).is_ok()
}

/// The numbers of repetitions such as `{1,64}`.
fn counts(pattern: &str) -> impl Iterator<Item = u32> {
    let inside = pattern
        .split('{')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0));
    let numbers = inside.flat_map(|text| text.split(','));
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    numbers
        .filter(is_number)
        .map(|text| text.parse().unwrap_or(u32::MAX))
}

/// The types of JSON Schema.
pub(crate) fn is_type(name: &str) -> bool {
    matches!(
        name,
        "string" | "number" | "integer" | "boolean" | "array" | "object" | "null"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_patterns_that_every_engine_reads_are_kept() {
        for good in ["^[a-z]+$", r"^\d{3,}-\w{0,64}$", "(?:a|b)c", r"^[^/\\]+$"] {
            assert!(is_pattern(good), "{good}");
        }
        for bad in [
            "(",
            "[a",
            "(?i)x",
            r"\A\z",
            "(?<n>x)",
            "(?!x)",
            "a{2,1}",
            r"^.{0,262144}$",
            "[0-9A--a-f]",
            "[[:alpha:]]",
            "*",
        ] {
            assert!(!is_pattern(bad), "{bad}");
        }
        assert!(!is_pattern(&"a".repeat(LONGEST_PATTERN + 1)));
        assert!(!is_pattern(&"(".repeat(300)));
    }
}
