//! Recognises valid schemas without compiling them, for the subset of the language that most tools use. `false`
//! means undecided.

use serde_json::Value;

const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

pub(super) fn is_plain(schema: &Value) -> bool {
    is_plain_at(schema, 0)
}

fn is_plain_at(schema: &Value, depth: usize) -> bool {
    let Value::Object(members) = schema else {
        return schema.is_boolean();
    };
    let plain = |value: &Value| is_plain_at(value, depth + 1);
    depth < 32
        && members.iter().all(|(name, value)| match name.as_str() {
            "type" => match value {
                Value::Array(types) => {
                    !types.is_empty() && types.iter().all(is_type) && are_unique(types)
                }
                one => is_type(one),
            },
            "properties" => value.as_object().is_some_and(|o| o.values().all(plain)),
            "required" => {
                let list = value.as_array();
                list.is_some_and(|list| list.iter().all(Value::is_string) && are_unique(list))
            }
            "items" | "additionalProperties" => plain(value),
            "enum" => value
                .as_array()
                .is_some_and(|list| !list.is_empty() && are_unique(list)),
            "anyOf" | "oneOf" | "allOf" => value
                .as_array()
                .is_some_and(|list| !list.is_empty() && list.iter().all(plain)),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
            | "maxProperties" => value.is_u64(),
            "minimum" | "maximum" => value.is_number(),
            "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => value.is_boolean(),
            "title" | "description" | "$comment" => value.is_string(),
            "examples" => value.is_array(),
            "default" | "const" => true,
            "$schema" => value == "https://json-schema.org/draft/2020-12/schema",
            // These need the compiler: `pattern` may be an invalid regular expression, `$ref` may not resolve.
            _ => false,
        })
}

fn is_type(value: &Value) -> bool {
    value.as_str().is_some_and(|name| TYPES.contains(&name))
}

/// Compares short lists only; a long one is left to the compiler.
fn are_unique(list: &[Value]) -> bool {
    let before = |at: usize| list[..at].contains(&list[at]);
    list.len() <= 64 && !(1..list.len()).any(before)
}
