use super::*;
use crate::level::tests::schemas;
use proptest::prelude::*;

fn of(schema: &str) -> String {
    let tool =
        format!(r#"{{"name":"t","description":"Does it.\n\nMore. ","inputSchema":{schema}}}"#);
    signature(Json::parse(&tool).unwrap())
}

#[test]
fn arguments_are_listed_with_types_limits_defaults_and_descriptions() {
    assert_eq!(
        of(
            r#"{"type":"object","$schema":"x","properties":{"path":{"type":"string","title":"Path","description":"Where"},"n":{"type":"integer","minimum":1,"maximum":9007199254740991,"default":5},"mode":{"type":"string","enum":["a","b"]},"tags":{"type":"array","items":{"type":"string","format":"uri"},"minItems":1}},"required":["path"],"additionalProperties":false}"#
        ),
        "t\nDoes it.\n\nMore.\nArguments (* = required):\n- path* string: Where\n- n integer (>=1) = 5\n- mode \"a\"|\"b\"\n- tags (string (uri))[] (minItems 1)"
    );
}

#[test]
fn arguments_inside_arguments_are_indented() {
    assert_eq!(
        of(
            r#"{"properties":{"files":{"type":"array","description":"What\nto move","items":{"type":"object","properties":{"p":{"type":"string"}},"required":["p"]}},"map":{"type":"object","additionalProperties":{"type":"number"}}}}"#
        ),
        "t\nDoes it.\n\nMore.\nArguments (* = required):\n- files object[]: What\n  to move\n  - p* string\n- map object of number"
    );
}

#[test]
fn unions_and_references_are_written_out_once() {
    assert_eq!(
        of(
            r##"{"properties":{"a":{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}],"default":null},"b":{"$ref":"#/$defs/Node","description":"first"},"c":{"$ref":"#/$defs/Node"}},"$defs":{"Node":{"type":"object","description":"A node","properties":{"next":{"$ref":"#/$defs/Node"}}}}}"##
        ),
        "t\nDoes it.\n\nMore.\nArguments (* = required):\n- a string (maxLength 3) or null = null\n- b object Node: first\n  - next object Node: A node\n- c object Node: A node"
    );
}

#[test]
fn the_objects_of_a_union_are_kept_apart() {
    assert_eq!(
        of(
            r#"{"properties":{"u":{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}}},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}}}"#
        ),
        "t\nDoes it.\n\nMore.\nArguments (* = required):\n- u object or object\n  - object 1:\n    - k \"a\"\n  - object 2:\n    - k* \"b\""
    );
}

#[test]
fn rare_keywords_are_kept_as_they_are() {
    let text = of(
        r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^x$","title":"The name","x-of":{"k":[1]}}},"not":{"required":["b"]}}"#,
    );
    for part in [
        "pattern \"^x$\"",
        "title \"The name\"",
        "x-of {\"k\":[1]}",
        "not {\"required\":[\"b\"]}",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_tool_without_arguments_says_so() {
    assert_eq!(
        of(r#"{"type":"object"}"#),
        "t\nDoes it.\n\nMore.\nNo arguments."
    );
}

#[test]
fn references_that_multiply_are_bounded() {
    let level = |at: usize| {
        let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, at + 1);
        format!(r#""d{at}":{{"anyOf":[{next},{next},{next},{next}]}}"#)
    };
    let defs: Vec<String> = (0..60).map(level).collect();
    let text = of(&format!(
        r##"{{"properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{}}}}}"##,
        defs.join(",")
    ));
    assert!(text.len() <= LONGEST + 100, "{}", text.len());
}

proptest! {
    #[test]
    fn every_name_of_an_argument_is_in_the_text(schema in schemas()) {
        let text = of(&schema.to_string());
        prop_assert!(text.len() <= LONGEST + 100);
        let schema = schema.to_string();
        let schema = Json::parse(&schema).unwrap();
        if schema.get("$ref").is_none() {
            let properties = schema.get("properties").into_iter().flat_map(Json::members);
            for (name, _) in properties {
                prop_assert!(text.contains(&format!("- {name}")), "{name}: {text}");
            }
        }
    }
}
