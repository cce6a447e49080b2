use super::*;
use crate::level::tests::schemas;
use proptest::prelude::*;
use serde_json::json;

const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer","minimum":1},"mode":{"enum":["a","b"]},"list":{"type":"array","items":{"type":"string"}}},"required":["path"]}"#;

fn judge(schema: &str, arguments: &str) -> Judged {
    let judge = Judge::new(Json::parse(schema).unwrap()).unwrap();
    judge.judge(Some(Json::parse(arguments).unwrap()))
}

fn is_wrong(schema: &str, arguments: &str) -> bool {
    matches!(judge(schema, arguments), Judged::Wrong(_))
}

#[test]
fn arguments_that_fit_are_not_touched() {
    for arguments in [
        r#"{"path":"x"}"#,
        r#"{"path":"x","n":18446744073709551616,"further":1}"#,
        r#"{ "path" : "" , "list":[]}"#,
    ] {
        assert_eq!(judge(SCHEMA, arguments), Judged::Fits, "{arguments}");
    }
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    for arguments in [
        "{}",
        "null",
        "[]",
        "7",
        r#"{"path":7}"#,
        r#"{"path":"x","n":0}"#,
        r#"{"path":"x","mode":"c"}"#,
        r#"{"path":"x","list":[7]}"#,
    ] {
        assert!(is_wrong(SCHEMA, arguments), "{arguments}");
    }
    let none = Judge::new(Json::parse(SCHEMA).unwrap())
        .unwrap()
        .judge(None);
    assert!(matches!(none, Judged::Wrong(errors) if errors[0].contains("path")));
}

#[test]
fn an_object_in_a_string_is_what_was_meant() {
    let meant = |text: &str| Judged::Repaired(text.to_owned());
    assert_eq!(
        judge(SCHEMA, r#""{\"path\": \"x\", \"n\":1.0}""#),
        meant(r#"{"path": "x", "n":1.0}"#)
    );
    assert!(is_wrong(SCHEMA, r#""{\"n\":1}""#));
    assert!(is_wrong(SCHEMA, r#""path""#));
}

#[test]
fn a_wrapper_is_removed_only_where_the_tool_has_no_such_argument() {
    for wrapper in WRAPPERS {
        let wrapped = format!(r#"{{"{wrapper}":{{"path" :"x"}}}}"#);
        assert_eq!(
            judge(SCHEMA, &wrapped),
            Judged::Repaired(r#"{"path" :"x"}"#.to_owned())
        );
        // Without required arguments the wrapper fits, too.
        let optional = SCHEMA.replace(r#","required":["path"]"#, "");
        assert!(matches!(judge(&optional, &wrapped), Judged::Repaired(_)));
        let own = format!(
            r#"{{"type":"object","properties":{{"{wrapper}":{{"type":"object"}},"path":{{}}}}}}"#
        );
        assert_eq!(judge(&own, &wrapped), Judged::Fits);
        let open = r#"{"type":"object","properties":{"path":{}},"additionalProperties":true}"#;
        assert_eq!(judge(open, &wrapped), Judged::Fits);
        assert_eq!(judge(r#"{"type":"object"}"#, &wrapped), Judged::Fits);
    }
    let twice = r#"{"args":{"args":{"path":"x"}}}"#;
    assert!(is_wrong(SCHEMA, twice), "once only");
    assert!(
        is_wrong(SCHEMA, r#"{"args":{"path":"x"},"n":1}"#),
        "not the only member"
    );
    assert!(
        is_wrong(SCHEMA, r#"{"args":{"other":"x"}}"#),
        "not an argument of the tool"
    );
}

#[test]
fn what_cannot_be_judged_passes() {
    for (schema, arguments) in [
        (
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}"##,
            "{}",
        ),
        (r#"{"not":{}}"#, "{}"),
        (r#"{"properties":{"a":{"pattern":"("}}}"#, r#"{"a":"x"}"#),
        (
            r#"{"properties":{"a":{"type":"string","nullable":true}}}"#,
            r#"{"a":null}"#,
        ),
        (
            r#"{"properties":{"a":{"default":1}},"required":["a"]}"#,
            "{}",
        ),
        (r#"{"oneOf":[{},{}]}"#, "{}"),
        (
            r#"{"properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}"#,
            r#"{"a":1}"#,
        ),
    ] {
        assert_eq!(judge(schema, arguments), Judged::Fits, "{schema}");
    }
}

#[test]
fn the_schemas_of_real_servers_can_be_judged() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/tool-lists");
    let mut refusing = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let Ok(list) = Json::parse(&text) else {
            continue;
        };
        for tool in list.get("tools").unwrap().elements() {
            let schema = tool.get("inputSchema").unwrap();
            let judge = Judge::new(schema).unwrap();
            let has_required = schema.get("required").is_some_and(|it| it.text() != "[]");
            match judge.judge(None) {
                Judged::Wrong(errors) => {
                    assert!(has_required && errors[0].contains("required"), "{errors:?}");
                    refusing += 1;
                }
                other => assert_eq!(other, Judged::Fits),
            }
        }
    }
    assert!(refusing > 200, "{refusing}");
}

#[test]
fn a_check_of_large_arguments_against_a_large_schema_is_left_out() {
    let branches = vec![r#"{"type":"string"}"#; 2000].join(",");
    let schema =
        format!(r#"{{"properties":{{"a":{{"type":"array","items":{{"anyOf":[{branches}]}}}}}}}}"#);
    let few = r#"{"a":[1]}"#;
    let many = format!(r#"{{"a":[{}]}}"#, vec!["1"; 10_000].join(","));
    assert!(is_wrong(&schema, few));
    assert_eq!(judge(&schema, &many), Judged::Fits);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn whatever_fits_the_schema_of_the_server_is_not_refused(schema in schemas(), value in schemas()) {
        let schema = json!({"properties": {"a": schema, "b": {"type": "string"}}});
        if let (Ok(real), Some(judge)) = (Schema::new(&schema), Judge::new(Json::parse(&schema.to_string()).unwrap())) {
            let arguments = json!({"a": value}).to_string();
            let judged = judge.judge(Some(Json::parse(&arguments).unwrap()));
            if real.check(&serde_json::from_str(&arguments).unwrap()).is_empty() {
                prop_assert_eq!(judged, Judged::Fits, "{}: {}", schema, arguments);
            }
        }
    }
}
