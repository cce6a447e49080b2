//! The shape of arguments: names and types, without values.

use linkspan_wire::{Json, JsonKind, quote};

/// Bounds of a shape. What is below or beyond them is left out.
const DEEPEST: usize = 4;
const MOST_MEMBERS: usize = 32;
const LONGEST_KEY: usize = 64;
const LONGEST: usize = 2048;

/// A value with the names of types in place of values: `{"path":"string","lines":["number"]}`. An array has the shape
/// of its first element; `"…"` says how many members are left out.
pub(super) fn shape(json: Json<'_>) -> String {
    let mut out = String::new();
    write(json, 0, &mut out);
    if out.len() > LONGEST {
        return quote(name(json.kind()));
    }
    out
}

fn write(json: Json<'_>, depth: usize, out: &mut String) {
    match json.kind() {
        JsonKind::Object if depth < DEEPEST && out.len() <= LONGEST => {
            out.push('{');
            let mut members = json.members();
            for (index, (key, value)) in members.by_ref().take(MOST_MEMBERS).enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                let key: String = key.chars().take(LONGEST_KEY).collect();
                out.push_str(&quote(&key));
                out.push(':');
                write(value, depth + 1, out);
            }
            match members.count() {
                0 => {}
                left => out.push_str(&format!(r#","…":{left}"#)),
            }
            out.push('}');
        }
        JsonKind::Array if depth < DEEPEST => {
            out.push('[');
            if let Some(first) = json.elements().next() {
                write(first, depth + 1, out);
            }
            out.push(']');
        }
        kind => out.push_str(&quote(name(kind))),
    }
}

fn name(kind: JsonKind) -> &'static str {
    match kind {
        JsonKind::Null => "null",
        JsonKind::Bool => "boolean",
        JsonKind::Number => "number",
        JsonKind::String => "string",
        JsonKind::Array => "array",
        JsonKind::Object => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::tests::values;
    use proptest::prelude::*;

    fn of(text: &str) -> String {
        shape(Json::parse(text).unwrap())
    }

    #[test]
    fn values_are_replaced_by_their_types() {
        let arguments = r#"{"path":"/secret","n":[1,"x"],"o":{"deep":true,"none":null},"e":[]}"#;
        assert_eq!(
            of(arguments),
            r#"{"path":"string","n":["number"],"o":{"deep":"boolean","none":"null"},"e":[]}"#
        );
        assert_eq!(of("[[[[[1]]]]]"), r#"[[[["array"]]]]"#);
    }

    #[test]
    fn members_beyond_the_limit_are_counted() {
        let members: Vec<_> = (0..40).map(|i| format!("\"{i}\":{i}")).collect();
        let shape = of(&format!("{{{}}}", members.join(",")));
        assert!(shape.ends_with(r#""31":"number","…":8}"#), "{shape}");
    }

    #[test]
    fn a_long_shape_is_the_type_only() {
        let members: Vec<_> = (0..30)
            .map(|i| format!("\"{i}{}\":{i}", "k".repeat(80)))
            .collect();
        assert_eq!(of(&format!("{{{}}}", members.join(","))), "\"object\"");
    }

    proptest! {
        #[test]
        fn a_shape_is_bounded_json(value in values()) {
            let shape = of(&value.spelled(" ", true));
            prop_assert!(shape.len() <= LONGEST);
            prop_assert!(Json::parse(&shape).is_ok());
        }
    }
}
