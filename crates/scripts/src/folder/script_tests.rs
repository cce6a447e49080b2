use proptest::prelude::*;
use serde_json::json;

use super::*;

fn of(text: &str) -> Script {
    Script::of(text.as_bytes())
}

fn inline(text: &str) -> Node {
    of(text).inline.unwrap().unwrap()
}

#[test]
fn an_annotation_is_json_behind_any_mark() {
    for mark in ["#", "//", "--", ";", "  #"] {
        let text = format!("#!/usr/bin/env x\n\n{mark} mcp: {{\"title\": \"T\"}}\n");
        let node = inline(&text);
        assert_eq!(node.to_value(), json!({"title": "T"}));
        assert_eq!(node.line, 3);
    }
}

#[test]
fn inline_json_may_span_comments() {
    let node =
        inline("#!/bin/sh\n# mcp: {\n#   \"title\": \"T\",\n#   \"timeoutSecs\": 5 }\necho\n");
    assert_eq!(node.to_value(), json!({"title": "T", "timeoutSecs": 5}));
    let lines: Vec<_> = node.map().unwrap().iter().map(|m| m.line).collect();
    assert_eq!(lines, [3, 4]);
}

#[test]
fn a_yaml_block_has_the_lines_of_the_script() {
    let script = "#!/bin/sh\n# Greets.\n\n#: title: Greeting\n#: arguments:\n#:   who: string\n# end\n#: no: more\n";
    let Some(Err(error)) = of(script).inline else {
        panic!("twice")
    };
    assert_eq!(
        (error.line, error.text.as_str()),
        (8, "it describes itself twice")
    );
    let node = inline(&script.replace("#: no: more\n", ""));
    assert_eq!(
        node.to_value(),
        json!({"title": "Greeting", "arguments": {"who": "string"}})
    );
    let lines: Vec<_> = node.map().unwrap().iter().map(|m| m.line).collect();
    assert_eq!(lines, [4, 5]);
}

#[test]
fn inline_errors_have_the_line_of_the_script() {
    for (text, line) in [
        ("#!/bin/sh\n# mcp: {\"title\": }\n", 2),
        ("#!/bin/sh\n#\n#: a: 1\n#: b: [\n#: c: 2\n", 4),
        ("#!/bin/sh\n# mcp:\n", 2),
        ("#!/bin/sh\n# mcp: [1]\n", 2),
        ("#!/bin/sh\n# mcp: {\"a\":\n", 2),
    ] {
        let error = of(text).inline.unwrap().unwrap_err();
        assert_eq!(error.line, line, "{text:?}: {}", error.text);
    }
}

#[test]
fn carriage_returns_and_marks_are_no_obstacle() {
    let text = "\u{feff}#!/usr/bin/env bash\r\n# Greets.\r\n#: title: Greeting\r\n";
    let script = of(text);
    assert!(script.spoilt);
    assert_eq!(script.interpreter, ["/usr/bin/env", "bash"]);
    assert_eq!(script.comment.as_deref(), Some("Greets."));
    assert_eq!(inline(text).to_value(), json!({"title": "Greeting"}));
}

#[test]
fn only_the_first_lines_count() {
    let far = format!("#!/bin/sh\n{}# mcp: {{}}\n", "\n".repeat(20));
    assert!(of(&far).inline.is_none());
}

#[test]
fn the_first_comment_for_people_is_the_description() {
    for (text, expected) in [
        (
            "#!/bin/sh\n# Greets people.\n# At length.\n",
            Some("Greets people."),
        ),
        ("#!/bin/sh\nset -eu\n\n# Greets.\n", Some("Greets.")),
        (
            "#!/bin/sh\n# shellcheck disable=SC1\n#\n## Greets ##\n",
            Some("Greets"),
        ),
        (
            "#!/usr/bin/env node\n/**\n * Greets.\n */\n",
            Some("Greets."),
        ),
        ("#!/usr/bin/env node\n'use strict';\n// later\n", None),
        (
            "#!/usr/bin/env python3\n\"\"\"Greets.\"\"\"\n",
            Some("Greets."),
        ),
        (
            "#!/usr/bin/env python3\n\"\"\"\nGreets.\n\"\"\"\n",
            Some("Greets."),
        ),
        (
            "#!/usr/bin/env -S uv run\n# /// script\n# dependencies = []\n# ///\n# Greets.\n",
            Some("Greets."),
        ),
        (
            "#!/bin/sh\n# mcp: {}\n#: a: b\n# Greets.\n",
            Some("Greets."),
        ),
        ("#!/bin/sh\necho hi\n# no\n", None),
        ("-- Greets.\n", Some("Greets.")),
        ("", None),
    ] {
        assert_eq!(of(text).comment.as_deref(), expected, "{text:?}");
    }
}

#[test]
fn binaries_are_detected_by_their_first_bytes() {
    assert_eq!(Script::of(b"\x7fELF\x02\x01").kind, Kind::Binary);
    assert_eq!(of("#!/bin/sh\n").kind, Kind::Script);
    assert_eq!(of("echo\n").kind, Kind::Other);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "#!?(: |mcp:|# mcp: \\{|\\n|[a-z:{}\"' ]){0,30}") {
        Script::of(&bytes);
        of(&text);
        of(&format!("#!/bin/sh\n# mcp: {text}\n#: {text}"));
    }
}
