use super::read;
use crate::edit::{self, EditError};
use crate::format::Format;
use crate::slot::Slot;
use serde_json::{Value, json};

fn slot<'a>() -> Slot<'a> {
    Slot {
        key: "mcpServers",
        named_by: None,
        name: "x",
    }
}

fn put(text: &str, value: &Value) -> Result<Option<String>, EditError> {
    edit::put(Format::Json, text, slot(), value)
}

fn remove(text: &str) -> String {
    let removed = edit::remove(Format::Json, text, slot());
    removed.unwrap().unwrap()
}

#[track_caller]
fn put_x(text: &str) -> String {
    put(text, &json!({"command": "c"})).unwrap().unwrap()
}

#[test]
fn an_empty_file_becomes_a_whole_one() {
    let whole = "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"c\"\n    }\n  }\n}\n";
    assert_eq!(put_x(""), whole);
    assert_eq!(put_x(" \n"), whole);
    assert_eq!(put_x("{}\n"), whole);
    assert_eq!(put_x("{\n  \"mcpServers\": null\n}\n"), whole);
}

#[test]
fn everything_else_keeps_its_bytes() {
    let text = "// mine\n{\n\t\"a\": 1.0e5, // why\n\t\"mcpServers\": {\n\t\t\"y\": { \"command\": \"d\" } // last\n\t},\n\t/* and */ \"z\": [1,],\n}\n";
    let after = put_x(text);
    assert_eq!(
        after,
        text.replace(
            "} // last\n",
            "}, // last\n\t\t\"x\": {\n\t\t\t\"command\": \"c\"\n\t\t}\n"
        )
    );
}

#[test]
fn a_trailing_comma_is_kept() {
    let text = "{\n    \"mcpServers\": {\n        \"y\": 1, // last\n    },\n}";
    assert_eq!(
        put_x(text),
        "{\n    \"mcpServers\": {\n        \"y\": 1, // last\n        \"x\": {\n            \"command\": \"c\"\n        },\n    },\n}"
    );
}

#[test]
fn an_entry_of_that_name_is_replaced() {
    let text = "{\n  \"mcpServers\": {\n    \"x\": { \"url\": \"old}\" },\n    \"y\": 1\n  }\n}";
    assert_eq!(
        put_x(text),
        "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"c\"\n    },\n    \"y\": 1\n  }\n}"
    );
    assert_eq!(put(&put_x(text), &json!({"command": "c"})), Ok(None));
}

#[test]
fn a_file_on_one_line_stays_on_one_line() {
    assert_eq!(
        put_x(r#"{"a":1}"#),
        r#"{"a":1, "mcpServers": {"x":{"command":"c"}}}"#
    );
    assert_eq!(
        put_x(r#"{"mcpServers":{"y":{}}}"#),
        r#"{"mcpServers":{"y":{}, "x": {"command":"c"}}}"#
    );
}

#[test]
fn crlf_line_ends_are_kept() {
    let after = put_x("{\r\n  \"a\": 1\r\n}\r\n");
    assert!(!after.replace("\r\n", "").contains('\n'), "{after:?}");
}

#[test]
fn files_with_an_unknown_structure_are_not_changed() {
    let entry = json!({});
    let put = |text: &str| put(text, &entry).unwrap_err();
    assert!(matches!(put("{\"a\": "), EditError::Syntax(_)));
    assert!(matches!(put("[]"), EditError::NoObject(_)));
    assert!(matches!(put(r#"{"mcpServers":3}"#), EditError::NoObject(_)));
    assert!(matches!(
        put(r#"{"mcpServers":{},"mcpServers":{"y":1}}"#),
        EditError::Duplicate(_) | EditError::Unsafe
    ));
    assert!(matches!(put("{'a': 1}"), EditError::Syntax(_)));
}

#[test]
fn strings_are_not_comments_and_line_numbers_do_not_change() {
    let text = "{ // é\n \"a\": \"// no */\", /* x\n y */ \"b\": 1, }";
    let plain = linkspan_wire::without_comments(text).unwrap();
    assert_eq!(plain.lines().count(), text.lines().count());
    assert_eq!(read(text), Ok(json!({"a": "// no */", "b": 1})));
}

/// Arbitrary text causes no panic and no wrong edit.
#[test]
fn damaged_and_odd_files_do_no_harm() {
    let good = "\u{feff}// é\n{ \"a\": [1, {\"b\": \"\\\"x\\\\é\"}, ], /* é */ \"mcpServers\": { \"y\": {}, }, }\n";
    assert!(put(good, &json!(1)).is_ok());
    let odd = [
        "é", "\"", "\\", "/", "*", "{", "}", ",", ":", "\n", "//", "/*", "*/", "0",
    ];
    for at in (0..=good.len()).filter(|at| good.is_char_boundary(*at)) {
        for piece in odd {
            let text = format!("{}{piece}{}", &good[..at], &good[at..]);
            try_put(&text);
        }
        try_put(&good[..at]);
        try_put(&good[at..]);
    }
}

fn try_put(text: &str) {
    if let Ok(Some(after)) = put(text, &json!(1)) {
        let after = read(&after).unwrap();
        assert_eq!(after["mcpServers"]["x"], 1, "{text}");
    }
}

#[test]
fn an_empty_object_with_a_comment_keeps_it() {
    let after = put_x("{\n  \"mcpServers\": {\n    // none yet\n  }\n}");
    assert!(after.contains("// none yet\n"), "{after}");
    assert_eq!(
        read(&after),
        Ok(json!({"mcpServers": {"x": {"command": "c"}}}))
    );
}

#[test]
fn a_removed_server_leaves_the_bytes_of_the_others() {
    for text in [
        "{\n  \"mcpServers\": {\n    \"y\": 1\n  }\n}\n",
        "{\n  \"mcpServers\": {\n    \"y\": {\"a\": [1, 2]}, // why\n    // about z\n    \"z\": 2 // last\n  },\n  \"k\": 1\n}",
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"y\": 1,\r\n\t},\r\n}\r\n",
        "\u{feff}{\"mcpServers\":{\"y\":{}}}",
        "{\"mcpServers\": {\"y\": 1,}}",
        "{\"mcpServers\": {}, \"k\": 1}",
        "{\n    \"mcpServers\": {}\n}",
    ] {
        let with = put_x(text);
        assert_eq!(remove(&with), text, "{with}");
    }
}

#[test]
fn a_server_between_others_can_be_removed() {
    let text =
        "{\n  \"mcpServers\": {\n    \"x\": 1, // mine\n    // about y\n    \"y\": 1\n  }\n}";
    assert_eq!(
        remove(text),
        "{\n  \"mcpServers\": {\n    // about y\n    \"y\": 1\n  }\n}"
    );
    let text = "{\"mcpServers\": {\"a\": 1, \"x\": 2, \"y\": 3}}";
    assert_eq!(remove(text), "{\"mcpServers\": {\"a\": 1, \"y\": 3}}");
    let text = "{\n  \"mcpServers\": {\n    // first\n    \"x\": 1\n  }\n}";
    assert_eq!(remove(text), "{\n  \"mcpServers\": {\n    // first\n  }\n}");
    assert_eq!(edit::remove(Format::Json, "{}", slot()), Ok(None));
}

#[test]
fn an_item_of_a_list_is_found_by_its_id() {
    let slot = Slot {
        key: "inputs",
        named_by: Some("id"),
        name: "x",
    };
    let item = json!({"id": "x", "type": "promptString"});
    let text = "{\n  \"servers\": {},\n  \"inputs\": [\n    {\"id\": \"y\"}\n  ]\n}\n";
    let with = edit::put(Format::Json, text, slot, &item).unwrap().unwrap();
    assert_eq!(
        with,
        "{\n  \"servers\": {},\n  \"inputs\": [\n    {\"id\": \"y\"},\n    {\n      \"id\": \"x\",\n      \"type\": \"promptString\"\n    }\n  ]\n}\n"
    );
    assert_eq!(edit::put(Format::Json, &with, slot, &item), Ok(None));
    assert_eq!(
        edit::remove(Format::Json, &with, slot),
        Ok(Some(text.to_owned()))
    );
    let with = edit::put(Format::Json, "{}", slot, &item).unwrap().unwrap();
    assert_eq!(read(&with).unwrap()["inputs"][0], item);
}
