use super::headers;
use crate::edit::{self, EditError};
use crate::format::Format;
use crate::slot::Slot;
use serde_json::{Value, json};

fn slot(name: &str) -> Slot<'_> {
    Slot {
        key: "mcp_servers",
        named_by: None,
        name,
    }
}

fn entry() -> Value {
    json!({"command": "c", "args": ["a", "\"b\\"], "env": {"PATH": "/bin"}})
}

#[track_caller]
fn put(text: &str, name: &str) -> String {
    let with = edit::put(Format::Toml, text, slot(name), &entry());
    with.unwrap().unwrap()
}

const FILE: &str = "# my settings\nmodel = \"m\" # why\n\n[mcp_servers.docs]\ncommand = \"npx\"\nargs = [\n  \"-y\",\n  \"[docs]\",\n]\n\n# about the profile\n[profiles.fast]\nmodel = \"n\"\n";

#[test]
fn a_table_is_added_at_the_end() {
    let with = put(FILE, "x");
    let added = "\n[mcp_servers.x]\ncommand = \"c\"\nargs = [\"a\", \"\\\"b\\\\\"]\n\n[mcp_servers.x.env]\nPATH = \"/bin\"\n";
    assert_eq!(with, format!("{FILE}{added}"));
    assert_eq!(
        edit::put(Format::Toml, &with, slot("x"), &entry()),
        Ok(None)
    );
    assert_eq!(put("", "x"), added[1..]);
    assert!(put(FILE, "a b").contains("[mcp_servers.\"a b\"]"));
}

#[test]
fn a_removed_table_leaves_the_bytes_of_the_others() {
    for text in [
        FILE.to_owned(),
        FILE.replace('\n', "\r\n"),
        format!("\u{feff}{FILE}"),
    ] {
        let with = put(&text, "x");
        let without = edit::remove(Format::Toml, &with, slot("x"))
            .unwrap()
            .unwrap();
        assert_eq!(without, text);
    }
    let docs = edit::remove(Format::Toml, FILE, slot("docs"))
        .unwrap()
        .unwrap();
    assert_eq!(
        docs,
        "# my settings\nmodel = \"m\" # why\n\n# about the profile\n[profiles.fast]\nmodel = \"n\"\n"
    );
}

#[test]
fn a_table_is_replaced_with_those_below_it() {
    let with = put(FILE, "docs");
    assert!(!with.contains("npx"), "{with}");
    assert!(
        with.contains("\n\n# about the profile\n[profiles.fast]"),
        "{with}"
    );
    let text = "[mcp_servers.x]\ncommand = \"o\"\n[mcp_servers.x.env]\nA = \"1\"\n[other]\n[mcp_servers.x.tools]\nB = 1\n";
    let with = put(text, "x");
    let expected = "[mcp_servers.x]\ncommand = \"c\"\nargs = [\"a\", \"\\\"b\\\\\"]\n\n[mcp_servers.x.env]\nPATH = \"/bin\"\n[other]\n";
    assert_eq!(with, expected);
}

#[test]
fn brackets_in_strings_are_no_headers() {
    let text = "a = '''\n[no]\n'''\nb = \"\"\"\n[no] \\\"\"\"\n[no]\"\"\"\nc = [\n [1],\n]\n # [no]\n [yes]\n";
    let found = headers(text);
    assert_eq!(found.len(), 1);
    assert!(text[found[0]..].starts_with("[yes]"));
}

#[test]
fn forms_that_cannot_be_edited_are_refused() {
    let put = |text: &str| edit::put(Format::Toml, text, slot("x"), &entry()).unwrap_err();
    assert_eq!(
        put("mcp_servers = { y = { command = \"c\" } }\n"),
        EditError::Unsafe
    );
    assert_eq!(
        put("[mcp_servers]\nx = { command = \"o\" }\n"),
        EditError::Unsafe
    );
    assert!(matches!(put("mcp_servers = 3\n"), EditError::NoObject(_)));
    let error = put("model = \"m\"\n\n[mcp_servers.y\ncommand = 1\n");
    assert!(error.to_string().starts_with("line 3, column "), "{error}");
}

/// Arbitrary text causes no panic and no wrong edit.
#[test]
fn damaged_and_odd_files_do_no_harm() {
    let odd = [
        "é",
        "\"",
        "'",
        "\"\"\"",
        "'''",
        "[",
        "]",
        "[[",
        "{",
        "}",
        ",",
        "=",
        "\n",
        "\r",
        "#",
        "\\",
        ".",
        "[mcp_servers.x]\n",
    ];
    for at in 0..=FILE.len() {
        for piece in odd.iter().skip(at % 4).step_by(4) {
            try_edits(&format!("{}{piece}{}", &FILE[..at], &FILE[at..]));
        }
        try_edits(&FILE[..at]);
        try_edits(&FILE[at..]);
    }
}

fn try_edits(text: &str) {
    let slot = slot("x");
    if let Ok(Some(with)) = edit::put(Format::Toml, text, slot, &entry()) {
        let value = super::read(&with).unwrap();
        assert_eq!(slot.find(&value), Some(&entry()), "{text}");
        if let Ok(Some(without)) = edit::remove(Format::Toml, &with, slot) {
            let left = super::read(&without).unwrap();
            assert_eq!(slot.find(&left), None, "{text}");
        }
    }
}
