use proptest::prelude::*;
use serde_json::json;

use super::*;

fn yaml(text: &str) -> Node {
    Format::Yaml.parse(text).unwrap()
}

/// The lines of all members, by path.
fn lines(node: &Node) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for member in node.map().unwrap_or_default() {
        found.push((member.name.clone(), member.line));
        let inner = lines(&member.value).into_iter();
        found.extend(inner.map(|(name, line)| (format!("{}.{name}", member.name), line)));
    }
    found
}

#[test]
fn all_three_formats_give_the_same_value() {
    let expected = json!({"a": {"b": [1, -2.5, "x"], "c": true}, "d": "e"});
    let yaml = "a:\n  b: [1, -2.5, x]\n  c: true\nd: e\n";
    let json = r#"{"a": {"b": [1, -2.5, "x"], "c": true}, "d": "e"}"#;
    let toml = "a.b = [1, -2.5, 'x']\na.c = true\nd = 'e'\n";
    assert_eq!(Format::Yaml.parse(yaml).unwrap().to_value(), expected);
    assert_eq!(Format::Json.parse(json).unwrap().to_value(), expected);
    assert_eq!(Format::Toml.parse(toml).unwrap().to_value(), expected);
}

#[test]
fn members_have_the_lines_of_their_names() {
    let yaml = "# first\nb: 1\n\na:\n  z: 1\n  y: |\n    text\n    text\n  x: 2\n";
    let json =
        "{\n  \"b\": 1,\n\n  \"a\": {\n    \"z\":\n 1,\n    \"y\": \"\\\"}\\\\\",\n\"x\": [] }}";
    let toml = "# first\nb = 1\n\n[a]\nz = 1\ny = '''\ntext\n'''\nx = 2\n";
    let names = ["b", "a", "a.z", "a.y", "a.x"];
    for (format, text, expected) in [
        (Format::Yaml, yaml, [2, 4, 5, 6, 9]),
        (Format::Json, json, [2, 4, 5, 7, 8]),
        (Format::Toml, toml, [2, 4, 5, 6, 9]),
    ] {
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            let node = format.parse(&text).unwrap();
            let expected: Vec<_> = names
                .iter()
                .map(|n| (*n).to_owned())
                .zip(expected)
                .collect();
            assert_eq!(lines(&node), expected, "{format:?}");
        }
    }
}

#[test]
fn syntax_errors_have_their_line() {
    for (format, text, line) in [
        (Format::Yaml, "a: 1\nb: [1\nc: 2\n", 3),
        (Format::Yaml, "a: 1\n b: 2\n", 2),
        (Format::Yaml, "a: 1\nb: *missing\n", 2),
        (Format::Json, "{\"a\": 1,\n \"b\": }", 2),
        (Format::Toml, "a = 1\nb = = 2\n", 2),
    ] {
        let error = format.parse(text).unwrap_err();
        assert_eq!(error.line, line, "{format:?} {text:?}: {}", error.text);
        assert!(
            !error.text.is_empty() && !error.text.contains("at line"),
            "{}",
            error.text
        );
    }
}

#[test]
fn duplicate_names_are_refused() {
    for (format, text) in [
        (Format::Yaml, "a: 1\na: 2\n"),
        (Format::Json, "{\"a\": 1,\n\"a\": 2}"),
        (Format::Toml, "a = 1\na = 2\n"),
    ] {
        assert_eq!(format.parse(text).unwrap_err().line, 2, "{format:?}");
    }
}

#[test]
fn a_number_keeps_its_spelling() {
    for (format, text) in [
        (Format::Yaml, "v: 1.10"),
        (Format::Json, "{\"v\": 1.10}"),
        (Format::Toml, "v = 1.10"),
    ] {
        let node = format.parse(text).unwrap();
        assert_eq!(
            node.member("v").unwrap().scalar(),
            Some("1.10"),
            "{format:?}"
        );
    }
}

#[test]
fn yaml_has_the_core_schema() {
    let node = yaml(
        "- yes\n- True\n- ~\n- 0x1F\n- 0o17\n- 1e3\n- '1'\n- !!str 1\n- 2024-01-01\n- .5\n- 1.2.3\n- -\n- +7\n- .inf\n",
    );
    let expected = json!([
        "yes",
        true,
        null,
        31,
        15,
        1000.0,
        "1",
        "1",
        "2024-01-01",
        0.5,
        "1.2.3",
        [null],
        7,
        ".inf"
    ]);
    let mut value = node.to_value();
    // `- -` is a list in a list.
    assert_eq!(value.as_array_mut().map(|list| list.len()), Some(14));
    assert_eq!(value, expected);
}

#[test]
fn aliases_are_expanded_up_to_a_limit() {
    let node = yaml("a: &a {x: 1}\nb: *a\n");
    assert_eq!(node.to_value(), json!({"a": {"x": 1}, "b": {"x": 1}}));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for i in 1..12 {
        let items = vec![format!("*a{}", i - 1); 10].join(", ");
        bomb.push_str(&format!("a{i}: &a{i} [{items}]\n"));
    }
    let error = Format::Yaml.parse(&bomb).unwrap_err();
    assert_eq!(error.text, "more than 200000 values");
    assert!(Format::Yaml.parse("a: &a [*a]").is_err());
}

#[test]
fn depth_is_limited() {
    for (format, text) in [
        (Format::Yaml, "[".repeat(5_000)),
        (
            Format::Yaml,
            format!("{}{}", "[".repeat(5_000), "]".repeat(5_000)),
        ),
        (
            Format::Yaml,
            (0..2_000)
                .map(|i| format!("{}a:\n", " ".repeat(i)))
                .collect(),
        ),
        (
            Format::Json,
            format!("{}{}", "[".repeat(500_000), "]".repeat(500_000)),
        ),
        (
            Format::Toml,
            format!("a = {}{}", "[".repeat(5_000), "]".repeat(5_000)),
        ),
        (Format::Toml, format!("{}a = 1", "a.".repeat(5_000))),
    ] {
        assert!(format.parse(&text).is_err(), "{format:?}");
    }
}

#[test]
fn empty_texts_and_comments_are_an_empty_map() {
    for format in [Format::Yaml, Format::Json, Format::Toml] {
        assert_eq!(format.parse(" \n").unwrap().to_value(), json!({}));
    }
    assert_eq!(yaml("# nothing\n").to_value(), json!({}));
    assert_eq!(yaml("---\n# nothing\n").to_value(), json!({}));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_text_makes_a_reader_panic(text in "\\PC*|[-:{}\\[\\],&*!|>'\"#%@ \\n\\t\\r0-9a-c=.]{0,80}") {
        for format in [Format::Yaml, Format::Json, Format::Toml] {
            if let Err(error) = format.parse(&text) {
                prop_assert!(error.line >= 1);
                prop_assert!(error.line <= text.matches(['\n', '\r']).count() + 2, "{} {:?}", error.line, error.text);
            }
        }
    }

    #[test]
    fn json_is_read_as_serde_json_reads_it(value in json_values()) {
        let text = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(Format::Json.parse(&text).unwrap().to_value(), value.clone());
        // YAML is a superset of JSON.
        prop_assert_eq!(Format::Yaml.parse(&text).unwrap().to_value(), value);
    }
}

fn json_values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|n| json!(n)),
        "[ -~\\n\"\\\\äß€🦀]{0,12}".prop_map(Value::String),
    ];
    let tree = leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::hash_map("[a-zA-Z \"]{1,6}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    prop::collection::hash_map("[a-z]{1,6}", tree, 0..4)
        .prop_map(|map| Value::Object(map.into_iter().collect()))
}
