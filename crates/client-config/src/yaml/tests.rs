use super::read;
use crate::edit::{self, EditError};
use crate::format::Format;
use crate::slot::Slot;
use serde_json::{Value, json};

fn goose(name: &str) -> Slot<'_> {
    Slot {
        key: "extensions",
        named_by: None,
        name,
    }
}

fn list(name: &str) -> Slot<'_> {
    Slot {
        key: "mcpServers",
        named_by: Some("name"),
        name,
    }
}

fn entry() -> Value {
    json!({"name": "x", "cmd": "c", "args": ["-y", "a: b"], "envs": {}, "env": {"A": "true"}, "timeout": 300})
}

#[track_caller]
fn put(text: &str, slot: Slot<'_>) -> String {
    let with = edit::put(Format::Yaml, text, slot, &entry());
    with.unwrap().unwrap()
}

#[track_caller]
fn remove(text: &str, slot: Slot<'_>) -> String {
    let without = edit::remove(Format::Yaml, text, slot);
    without.unwrap().unwrap()
}

const GOOSE: &str = "# goose\nGOOSE_MODEL: m  # the model\nextensions:\n  developer:\n    bundled: true\n    args: []\n    note: |\n      two\n      lines\n\n  # the last one\n  memory:\n    enabled: true # on\n\nGOOSE_MODE: auto\n";
const LIST: &str = "name: me\nmcpServers:\n  # first\n  - name: docs\n    command: npx\n    args:\n    - \"-y\"\n  - url: https://x\nrules: []\n";

#[test]
fn a_member_is_added_behind_the_last_one() {
    let with = put(GOOSE, goose("x"));
    let added = "\n  x:\n    name: x\n    cmd: c\n    args:\n      - \"-y\"\n      - \"a: b\"\n    envs: {}\n    env:\n      A: \"true\"\n    timeout: 300";
    assert_eq!(with, GOOSE.replace(" # on", &format!(" # on{added}")));
    assert_eq!(
        edit::put(Format::Yaml, &with, goose("x"), &entry()),
        Ok(None)
    );
}

#[test]
fn an_item_is_added_behind_the_last_one() {
    let with = put(LIST, list("x"));
    let added = "\n  - name: x\n    cmd: c\n    args:\n      - \"-y\"\n      - \"a: b\"\n    envs: {}\n    env:\n      A: \"true\"\n    timeout: 300";
    assert_eq!(
        with,
        LIST.replace("https://x", &format!("https://x{added}"))
    );
    assert_eq!(remove(&with, list("x")), LIST);
    // A list may have the indentation of its key.
    let flat = "mcpServers:\n- name: docs\n  command: npx\n";
    let with = put(flat, list("x"));
    assert!(with.starts_with("mcpServers:\n- name: docs\n  command: npx\n- name: x\n  cmd: c\n"));
    assert_eq!(remove(&with, list("x")), flat);
}

#[test]
fn a_removed_server_leaves_the_bytes_of_the_others() {
    for text in [
        GOOSE.to_owned(),
        GOOSE.replace('\n', "\r\n"),
        format!("\u{feff}{GOOSE}"),
        GOOSE.trim_end().to_owned(),
        "extensions:\n    a:\n        cmd: x".to_owned(),
        "extensions: {}\nother: 1\n".to_owned(),
        "---\nextensions: {} # none\n".to_owned(),
    ] {
        let with = put(&text, goose("x"));
        assert_eq!(remove(&with, goose("x")), text, "{with}");
    }
    let text = remove(GOOSE, goose("developer"));
    assert_eq!(
        text,
        "# goose\nGOOSE_MODEL: m  # the model\nextensions:\n\n  # the last one\n  memory:\n    enabled: true # on\n\nGOOSE_MODE: auto\n"
    );
    assert_eq!(
        remove("mcpServers:\n  - name: x\n", list("x")),
        "mcpServers: []\n"
    );
}

#[test]
fn servers_can_be_missing_empty_or_in_brackets() {
    for text in [
        "",
        "# nothing\n",
        "a: 1",
        "a: 1\nextensions:\n",
        "extensions: null # x\nb: 2\n",
        "extensions:\n# x\nb: 2\n",
    ] {
        let with = put(text, goose("x"));
        assert_eq!(read(&with).unwrap()["extensions"]["x"], entry(), "{with}");
    }
    let with = put("extensions: {a: {cmd: b}}\n", goose("x"));
    assert!(
        with.starts_with("extensions: {a: {cmd: b}, \"x\": {"),
        "{with}"
    );
    let with = put("mcpServers: [{name: a}]\n", list("x"));
    assert_eq!(read(&with).unwrap()["mcpServers"][1], entry());
}

#[test]
fn an_entry_is_replaced_in_its_place() {
    let with = put(GOOSE, goose("developer"));
    let (head, tail) = (
        GOOSE.split_once("    bundled").unwrap().0,
        "\n\n  # the last one\n",
    );
    assert!(with.starts_with(head) && with.contains(tail), "{with}");
    let with = put(&LIST.replace("docs", "x"), list("x"));
    assert!(
        with.contains("  # first\n  - name: x\n    cmd: c\n"),
        "{with}"
    );
    assert!(
        with.contains("    timeout: 300\n  - url: https://x\n"),
        "{with}"
    );
}

#[test]
fn forms_that_cannot_be_edited_are_refused() {
    let put = |text: &str| edit::put(Format::Yaml, text, goose("x"), &entry()).unwrap_err();
    assert_eq!(put("{a: 1}\n"), EditError::Unsafe);
    assert_eq!(put("a: &a {b: {}}\nextensions: *a\n"), EditError::Unsafe);
    assert!(matches!(put("extensions: 3\n"), EditError::NoObject(_)));
    assert!(matches!(put("extensions: []\n"), EditError::NoObject(_)));
    assert!(matches!(put("- a\n"), EditError::NoObject(_)));
    let error = put("a: 1\nb: [1, 2\nc: 3\n");
    assert!(error.to_string().starts_with("line "), "{error}");
    let error = put("a: 1\na: 2\n");
    assert!(error.to_string().starts_with("line 2, column "), "{error}");
    assert!(matches!(put("a: 1\n---\nb: 2\n"), EditError::Syntax(_)));
}

/// Arbitrary text causes no panic and no wrong edit.
#[test]
fn damaged_and_odd_files_do_no_harm() {
    let odd = [
        "é", "\"", "'", "|", "*a", "&a ", "{", "}", "[", "]", ",", ": ", "- ", "\n", "\r", "#",
        "\t", "---\n", "? ", "!!x ",
    ];
    for (good, slot) in [(GOOSE, goose("x")), (LIST, list("x"))] {
        for at in 0..=good.len() {
            for piece in odd.iter().skip(at % 4).step_by(4) {
                try_edits(&format!("{}{piece}{}", &good[..at], &good[at..]), slot);
            }
            try_edits(&good[..at], slot);
            try_edits(&good[at..], slot);
        }
    }
}

fn try_edits(text: &str, slot: Slot<'_>) {
    if let Ok(Some(with)) = edit::put(Format::Yaml, text, slot, &entry()) {
        assert_eq!(slot.find(&read(&with).unwrap()), Some(&entry()), "{text}");
        if let Ok(Some(without)) = edit::remove(Format::Yaml, &with, slot) {
            let left = read(&without).unwrap();
            assert_eq!(slot.find(&left), None, "{text}");
        }
    }
}
