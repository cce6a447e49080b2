//! Errors of invalid manifests, and limits on memory.

use std::io::Read;

use super::json;
use super::tests::{files, read};

fn why(text: &str) -> String {
    read(text.as_bytes(), files()).unwrap_err().to_string()
}

fn why_not(block: &str) -> String {
    why(&format!("{{\"blocks\":[{block}]}}"))
}

#[test]
fn errors_of_blocks_tell_the_correct_form() {
    let cases = [
        (
            r#"{"type":"code","lang":"c","path":"p","content":"","priority":"urgent"}"#,
            "unknown priority \"urgent\"; it is one of critical, high, normal, low, background",
        ),
        (
            r#"{"type":"code","lang":"c","path":"p"}"#,
            "code needs \"content\" or \"content_file\"",
        ),
        (
            r#"{"type":"code","lang":"c","content":""}"#,
            "code needs \"path\"",
        ),
        (r#"{"content":""}"#, "a block needs \"type\""),
        (
            r#"{"type":"foo"}"#,
            "unknown type \"foo\"; it is one of code, conversation, file_tree, tool_result, document, \
             structured_data, diff, annotation, embedding_ref, image, extension, unknown",
        ),
        (
            r#"{"type":"code","lang":"c","path":"p","content_file":"no.c"}"#,
            "cannot read content_file \"no.c\": there is no such file",
        ),
        (
            r#"{"type":"code","lang":"c","path":"p","path":"q","content":""}"#,
            "\"path\" is given twice",
        ),
        (
            r#"{"type":"tool_result","name":"p","tool_name":"p","content":""}"#,
            "\"name\" is given twice",
        ),
        (
            r#"{"type":"conversation","role":"user","content":"","content_base64":""}"#,
            "\"content\" and \"content_base64\" are both given",
        ),
        (
            r#"{"type":"code","lang":"c","path":"p","content":"","lines":[1.0,2]}"#,
            "a line of \"lines\" is 1.0; it must be a whole number from 0 to 4294967295",
        ),
        (
            r#"{"type":"code","lang":"c","path":"p","content":"","lines":[1,2,3]}"#,
            "\"lines\" must be an array of the first and the last line, not an array of another length",
        ),
        (
            r#"{"type":"code","lang":"c","path":"p","content":"","line_start":3}"#,
            "\"line_start\" needs \"line_end\"",
        ),
        (
            r#"{"type":"annotation","target":-1,"kind":"tag","value":"x"}"#,
            "\"target\" is -1; it must be a whole number from 0 to 18446744073709551615",
        ),
        (
            r#"{"type":"file_tree","root":"/","entries":[{"name":"a","children":[{"name":"b","kind":"link"}]}]}"#,
            "entry 1: unknown entry kind \"link\"; it is one of file, directory",
        ),
        (
            r#"{"type":"file_tree","root":"/","entries":[{"name":"a","children":[],"children":[]}]}"#,
            "entry 0: \"children\" is given twice",
        ),
        (
            r#"{"type":"file_tree","root":"/"}"#,
            "file_tree needs \"entries\"",
        ),
        (
            r#"{"type":"diff","path":"p","hunks":[{"old_start":1,"new_start":1}]}"#,
            "hunk 0: it needs \"lines\"",
        ),
        (
            r#"{"type":"diff","path":"p","hunks":[3]}"#,
            "hunk 0: it must be an object, not a number",
        ),
        (
            r#"{"type":"image","media":"png","alt":"","data":"?"}"#,
            "\"data\" is not base64",
        ),
        (
            r#"{"type":"image","media":"png","alt":""}"#,
            "image needs \"data\" or \"content_file\"",
        ),
        (
            r#"{"type":"unknown","kind":1,"body":""}"#,
            "0x01 is not an unknown type of block; it is code",
        ),
        ("[]", "a block must be an object, not an array"),
    ];
    for (block, expected) in cases {
        assert_eq!(why_not(block), format!("block 0: {expected}"), "{block}");
    }
}

#[test]
fn errors_of_manifests_have_a_position() {
    let cases = [
        ("{}", "the manifest has no \"blocks\""),
        ("[]", "a manifest must be an object, not an array"),
        (
            "{\"blocks\":3}",
            "\"blocks\" must be an array, not a number",
        ),
        ("{\"blocks\":[],\"blocks\":[]}", "\"blocks\" is given twice"),
        ("hello", "expected a value, found 'h' (line 1, column 1)"),
        (
            "",
            "expected a value, found the end of the text (line 1, column 1)",
        ),
        (
            "{\"blocks\":[]} x",
            "expected the end of the text, found 'x' (line 1, column 15)",
        ),
        (
            "{\n \"blocks\":[],\n}",
            "expected a key, found '}' (line 3, column 1)",
        ),
        (
            "{\"blocks\":[\n 3.5,",
            "block 0: a block must be an object, not a number",
        ),
        (
            "{\"blocks\":[\n{\"x\":[1,2\n",
            "block 0: expected ',' or ']', found the end of the text (line 3, column 1)",
        ),
        (
            "{\"blocks\":[{\"a\" 1}]}",
            "block 0: expected ':', found '1' (line 1, column 17)",
        ),
        (
            "{\"a\":\"\n\"}",
            "a string contains the control character 0x0A; it is written \\u000a (line 1, column 7)",
        ),
        (
            "{\"a\":\"\\x\"}",
            "'\\x' is not an escape (line 1, column 8)",
        ),
        (
            "{\"a\":\"\\u12g4\"}",
            "\\u needs four hex digits (line 1, column 11)",
        ),
        (
            "{\"a\":\"\\ud83dx\"}",
            "\\ud83d is one half of a surrogate pair without the other (line 1, column 13)",
        ),
        (
            "{\"a\":\"\\ude00\"}",
            "\\ude00 is one half of a surrogate pair without the other (line 1, column 13)",
        ),
        (
            "{\"a\":tru}",
            "expected true, false or null, found '}' (line 1, column 9)",
        ),
        (
            "{\"a\":01}",
            "expected ',' or '}', found '1' (line 1, column 7)",
        ),
        (
            "{\"a\":1.}",
            "expected a digit, found '}' (line 1, column 8)",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(why(text), expected, "{text}");
    }
    let error = read(&b"{\"a\":\"\xff\"}"[..], files()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a string is not UTF-8 (line 1, column 9)"
    );
}

#[test]
fn nesting_has_a_limit() {
    let deep = |levels| {
        format!(
            "{{\"blocks\":[],\"x\":{}{}}}",
            "[".repeat(levels),
            "]".repeat(levels)
        )
    };
    assert!(read(deep(json::DEPTH - 1).as_bytes(), files()).is_ok());
    assert!(why(&deep(json::DEPTH)).starts_with("values are more than 520 levels deep"));
    assert!(why(&deep(1_000_000)).starts_with("values are more than"));
}

#[test]
fn a_tree_may_be_as_deep_as_the_limit_of_readers() {
    let tree = |levels: usize| {
        let open = "{\"name\":\"d\",\"children\":[".repeat(levels);
        let close = "]}".repeat(levels);
        format!(
            "{{\"blocks\":[{{\"type\":\"file_tree\",\"root\":\"\",\"entries\":[{open}{close}]}}]}}"
        )
    };
    assert!(read(tree(256).as_bytes(), files()).is_ok());
    let error = why(&tree(257));
    assert_eq!(
        error,
        "block 0: the tree is more than 256 levels deep, which is the limit"
    );
}

#[test]
fn the_limit_of_a_text_is_enforced_before_its_end() {
    let endless = b"{\"blocks\":[{\"content\":\"".chain(std::io::repeat(b'x'));
    let error = read(endless, files()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("block 0: more text than 25165824 bytes"),
        "{error}"
    );
}

#[test]
fn a_tree_too_large_for_a_block_is_refused() {
    let entry = format!("{{\"name\":\"{}\"}},", "x".repeat(10_000));
    let entries = entry.repeat(1_700);
    let block = format!("{{\"type\":\"file_tree\",\"root\":\"\",\"entries\":[{entries}3]}}");
    let expected = "block 0: the tree has more than 16777216 bytes, which is the limit";
    assert_eq!(why_not(&block), expected);
}

#[test]
fn errors_of_the_input_are_reported() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk is gone"))
        }
    }
    let error = read(b"{\"blocks\":".chain(Broken), files()).unwrap_err();
    assert_eq!(error.to_string(), "the disk is gone");
}
