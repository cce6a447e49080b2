use super::*;
use proptest::prelude::*;

const TOOL: &str = r#"{"name":"a","title":"A","description":"Does it. And more.","inputSchema":{"type":"object","properties":{"x":{"type":"string","description":"long"}}},"outputSchema":{"type":"object", "n":1.0},"annotations":{"readOnlyHint": true},"_meta":{"k":18446744073709551616},"icons":[ ],"execution":{}}"#;

#[test]
fn a_shorter_definition_keeps_every_other_member() {
    let rest = r#""outputSchema":{"type":"object", "n":1.0},"annotations":{"readOnlyHint": true},"_meta":{"k":18446744073709551616},"icons":[ ],"execution":{}}"#;
    let tool = Json::parse(TOOL).unwrap();
    assert_eq!(
        Level::Brief.shorten(tool).unwrap(),
        format!(
            r#"{{"name":"a","title":"A","description":"Does it.","inputSchema":{{"type":"object","properties":{{"x":{{"type":"string"}}}}}},{rest}"#
        )
    );
    assert_eq!(
        Level::Thin.shorten(tool).unwrap(),
        format!(
            r#"{{"name":"a","title":"A","description":"Does it.","inputSchema":{{"type":"object"}},{rest}"#
        )
    );
    assert_eq!(Level::Full.shorten(tool), None);
}

#[test]
fn a_definition_that_cannot_get_shorter_stays() {
    for tool in [
        r#"{"name":"a","description":"Does it.","inputSchema":{"type":"object"}}"#,
        r#"{"name":"a","inputSchema":true}"#,
        r#"{"name":"a","description":7}"#,
        "[]",
    ] {
        assert_eq!(
            Level::Thin.shorten(Json::parse(tool).unwrap()),
            None,
            "{tool}"
        );
    }
}

/// JSON that looks like schemas.
pub(crate) fn schemas() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::{Value, json};
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        (-3..9i64).prop_map(Value::from),
        prop::sample::select(vec![
            "string",
            "object",
            "array",
            "integer",
            "null",
            "a",
            "#/$defs/a",
            "#/properties/b",
            "Does it. More.",
        ])
        .prop_map(|s| json!(s)),
        Just(json!(["a", "b"])),
    ];
    leaf.prop_recursive(5, 48, 5, |inner| {
        let names = prop::sample::select(vec![
            "type",
            "properties",
            "required",
            "items",
            "additionalProperties",
            "enum",
            "anyOf",
            "allOf",
            "oneOf",
            "not",
            "$ref",
            "$defs",
            "description",
            "default",
            "const",
            "a",
            "b",
            "minimum",
            "title",
            "x-mcp-header",
        ]);
        prop_oneof![
            prop::collection::vec((names, inner.clone()), 0..5).prop_map(|pairs| {
                Value::Object(pairs.into_iter().map(|(n, v)| (n.to_owned(), v)).collect())
            }),
            prop::collection::vec(inner, 0..3).prop_map(Value::Array),
        ]
    })
}

proptest! {
    #[test]
    fn a_level_keeps_name_and_annotations_and_is_never_longer(
        schema in schemas(), description in "(?s).{0,80}", annotations in schemas(),
    ) {
        let tool = serde_json::json!({
            "name": "t", "description": description, "inputSchema": schema, "annotations": annotations,
        });
        let text = tool.to_string();
        let tool = Json::parse(&text).unwrap();
        let mut before = text.len();
        for level in Level::ALL {
            let shorter = level.shorten(tool).unwrap_or_else(|| text.clone());
            prop_assert!(shorter.len() <= before, "{level}: {shorter}");
            before = shorter.len();
            let shorter = Json::parse(&shorter).unwrap();
            for key in ["name", "annotations"] {
                prop_assert_eq!(shorter.get(key), tool.get(key));
            }
        }
    }
}
