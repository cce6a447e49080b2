use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

#[test]
fn errors_have_the_path_of_the_value() {
    let schema = Schema::new(&json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
    }));
    let schema = schema.unwrap();
    assert_eq!(schema.check(&json!({"n": 1})), Vec::<String>::new());
    assert_eq!(
        schema.check(&json!({"n": "x"})),
        [r#"/n: "x" is not of type "integer""#]
    );
    assert_eq!(schema.check(&json!({})), [r#""n" is a required property"#]);
}

#[test]
fn an_invalid_schema_is_rejected_at_once() {
    for broken in [
        json!({"type": "text"}),
        json!({"properties": []}),
        json!({"required": "name"}),
        json!({"properties": {"x": {"type": "integer", "minLength": -1}}}),
        json!({"pattern": "("}),
        json!({"$ref": "#/$defs/nowhere"}),
        json!({"enum": {}}),
    ] {
        assert!(Schema::new(&broken).is_err(), "{broken}");
    }
}

#[test]
fn references_are_not_fetched() {
    for remote in [
        json!({"$ref": "https://example.com/schema.json"}),
        json!({"$ref": "file:///etc/hosts"}),
    ] {
        assert!(Schema::new(&remote).is_err(), "{remote}");
    }
}

#[test]
fn older_drafts_are_read_as_such() {
    let schema = Schema::new(&json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": [{"type": "string"}],
    }));
    assert_eq!(schema.unwrap().check(&json!([1])).len(), 1);
}

/// Valid schemas and near misses.
fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i8>().prop_map(|n| json!(n)),
        prop::sample::select(vec!["string", "object", "number", "text", "a", ""])
            .prop_map(|s| json!(s)),
        Just(json!([])),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let names = prop::sample::select(vec![
            "type",
            "properties",
            "required",
            "items",
            "additionalProperties",
            "enum",
            "anyOf",
            "minLength",
            "minimum",
            "uniqueItems",
            "title",
            "examples",
            "default",
            "const",
            "name",
        ]);
        prop_oneof![
            prop::collection::vec((names, inner.clone()), 0..4).prop_map(|pairs| {
                Value::Object(pairs.into_iter().map(|(n, v)| (n.to_owned(), v)).collect())
            }),
            prop::collection::vec(inner, 0..3).prop_map(Value::Array),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_is_plainly_in_order_compiles(schema in schemas()) {
        if plain::is_plain(&schema) {
            let compiled = compile(&schema);
            prop_assert!(compiled.is_ok(), "{schema}: {compiled:?}");
        }
    }
}
