//! A schema without the parts that cannot be judged cheaply and surely.
//!
//! Whatever fits the schema of the server fits the reduced one. It has no references, patterns, negations or
//! conditions: so the time of a check is bounded by the sizes of schema and arguments, although both come from peers,
//! and a keyword that servers read in different ways refuses nothing.

use serde_json::{Map, Value};

/// Deeper schemas accept everything.
const DEEPEST: usize = 32;
const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];
const SIZES: [&str; 6] = [
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
];
const NUMBERS: [&str; 4] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];

/// The schema that accepts everything which `schema` accepts.
pub(super) fn reduced(schema: &Value) -> Value {
    at(schema, 0)
}

fn at(schema: &Value, depth: usize) -> Value {
    let Value::Object(members) = schema else {
        return Value::Bool(schema != &Value::Bool(false));
    };
    let unknown = ["$ref", "$dynamicRef", "$recursiveRef", "extends"];
    let is_nullable = members.get("nullable") == Some(&Value::Bool(true));
    if depth > DEEPEST || is_nullable || unknown.iter().any(|key| members.contains_key(*key)) {
        return Value::Bool(true);
    }
    let mut kept = Map::new();
    let mut all = Vec::new();
    for (key, value) in members {
        match (key.as_str(), value) {
            ("type", one) if is_types(one) => drop(kept.insert(key.clone(), one.clone())),
            ("enum", Value::Array(values)) if !values.is_empty() => {
                kept.insert(key.clone(), value.clone());
            }
            ("const", value) => drop(kept.insert(key.clone(), value.clone())),
            ("properties", Value::Object(properties)) => {
                let properties = properties.iter();
                let properties = properties.map(|(name, one)| (name.clone(), at(one, depth + 1)));
                kept.insert(key.clone(), Value::Object(properties.collect()));
            }
            ("required", Value::Array(names)) => {
                kept.insert(key.clone(), required(names, members));
            }
            ("items", Value::Object(_)) if !members.contains_key("prefixItems") => {
                kept.insert(key.clone(), at(value, depth + 1));
            }
            ("additionalProperties", Value::Object(_) | Value::Bool(false))
                if !members.contains_key("patternProperties") =>
            {
                kept.insert(key.clone(), at(value, depth + 1));
            }
            ("anyOf" | "oneOf", Value::Array(branches)) if !branches.is_empty() => {
                let branches = branches.iter().map(|one| at(one, depth + 1)).collect();
                all.push(Value::Object(Map::from_iter([(
                    "anyOf".to_owned(),
                    Value::Array(branches),
                )])));
            }
            ("allOf", Value::Array(branches)) => {
                all.extend(branches.iter().map(|one| at(one, depth + 1)));
            }
            (size, value) if SIZES.contains(&size) && value.is_u64() => {
                kept.insert(key.clone(), value.clone());
            }
            (limit, value) if NUMBERS.contains(&limit) && value.is_number() => {
                kept.insert(key.clone(), value.clone());
            }
            _ => {}
        }
    }
    if !all.is_empty() {
        kept.insert("allOf".to_owned(), Value::Array(all));
    }
    Value::Object(kept)
}

fn is_types(value: &Value) -> bool {
    let is_type = |one: &Value| one.as_str().is_some_and(|name| TYPES.contains(&name));
    match value {
        Value::Array(types) => {
            let is_new = |at: usize| !types[..at].contains(&types[at]);
            (1..=TYPES.len()).contains(&types.len())
                && types.iter().all(is_type)
                && (0..types.len()).all(is_new)
        }
        one => is_type(one),
    }
}

/// The names that a server surely misses. One with a default is often listed, but need not be given.
fn required(names: &[Value], members: &Map<String, Value>) -> Value {
    let has_default = |name: &str| {
        let property = members.get("properties").and_then(|it| it.get(name));
        property.is_some_and(|one| one.get("default").is_some())
    };
    let mut kept: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
    kept.retain(|name| !has_default(name));
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(Value::from).collect()
}
