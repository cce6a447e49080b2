//! Servers that do not write one message per line.

use bytes::Bytes;
use linkspan_wire::{Frame, Limits, Resync, WireError};
use proptest::prelude::*;
use serde_json::{Value, json};

const FIRST: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"a":[1,{"b":"}{"}]}}"#;
const SECOND: &str = r#"{"jsonrpc":"2.0","id":2,"result":{}}"#;

/// The frames of some lines: a message by its text, anything else by its error.
fn read(lines: &[&[u8]]) -> Vec<String> {
    let mut resync = Resync::new(Limits::default());
    let mut out = Vec::new();
    for line in lines {
        resync.push(Bytes::copy_from_slice(line));
        while let Some(frame) = resync.next() {
            out.push(told(frame));
        }
    }
    out.extend(resync.give_up().map(told));
    out
}

fn told(frame: Frame) -> String {
    match frame {
        Frame::One(message) => message.text(),
        Frame::Batch(entries) => format!("batch of {}", entries.len()),
        Frame::Blank => "blank".to_owned(),
        Frame::Other { why, .. } => match (why.answered_hop(), why.is_nameless_answer()) {
            (Some(hop), _) => format!("bad answer to {hop}"),
            (None, true) => "bad answer".to_owned(),
            (None, false) => match why {
                WireError::Json(_) | WireError::Foreign { .. } => "noise".to_owned(),
                WireError::Quoted { id } => format!("copy of {}", String::from_utf8_lossy(&id)),
                other => format!("{other}"),
            },
        },
    }
}

fn texts(lines: &[&str]) -> Vec<String> {
    let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
    read(&lines)
}

#[test]
fn two_messages_on_one_line_are_two_messages() {
    for between in ["", " ", "\t \r"] {
        let line = format!("{FIRST}{between}{SECOND}");
        assert_eq!(texts(&[&line]), [FIRST, SECOND]);
    }
}

#[test]
fn a_message_over_several_lines_is_one_message() {
    let value: Value = serde_json::from_str(FIRST).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    let lines: Vec<&str> = pretty.lines().chain([SECOND]).collect();
    let came = texts(&lines);
    assert_eq!(came.len(), 2, "{came:?}");
    assert_eq!(serde_json::from_str::<Value>(&came[0]).unwrap(), value);
    assert_eq!(came[1], SECOND);
}

#[test]
fn an_unreadable_text_names_its_request() {
    let cases: [(&[u8], &str); 9] = [
        (
            br#"{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}"#,
            "bad answer to 1",
        ),
        (
            br#"{"jsonrpc":"2.0","id":"1","result":{"x":NaN}}"#,
            "bad answer to 1",
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}",
            "bad answer to 1",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"cu"#,
            "bad answer to 1",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"id":1,"result":{}}"#,
            "bad answer to 1",
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#,
            "bad answer",
        ),
        (br#"{"jsonrpc":"2.0","result":{}}"#, "bad answer"),
        (br#"{"id":1,"result":{}}"#, "bad answer to 1"),
        (br#"{"jsonrpc":"2.0","result":{"x":NaN}}"#, "bad answer"),
    ];
    for (line, expected) in cases {
        let shown = String::from_utf8_lossy(line);
        assert_eq!(read(&[line]), [expected], "{shown}");
        assert_eq!(
            read(&[line, SECOND.as_bytes()]),
            [expected, SECOND],
            "{shown}"
        );
    }
}

#[test]
fn a_message_that_was_cut_does_not_swallow_the_next_one() {
    for cut in 1..FIRST.len() {
        let came = texts(&[&FIRST[..cut], SECOND]);
        assert_eq!(came.last().map(String::as_str), Some(SECOND), "{cut}");
        if cut > r#"{"jsonrpc":"2.0","id":1,"#.len() {
            assert_eq!(came[0], "bad answer to 1", "{cut}");
        }
    }
}

#[test]
fn logs_are_no_messages_and_harm_none() {
    let logs = [
        "Server listening on stdio",
        "[INFO] ready {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        "[12] {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        "> {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        "{ port: 3000, id: 1 }",
        "{",
        "  port: 3000,",
        "}",
        r#"{"level":30,"id":1,"msg":"started"}"#,
        "12",
        "\"ready\"",
    ];
    for log in logs {
        let came = texts(&[log, SECOND]);
        assert_eq!(came.last().map(String::as_str), Some(SECOND), "{log}");
        assert!(came.iter().all(|said| !said.contains("answer")), "{came:?}");
    }
    assert_eq!(
        texts(&logs)
            .iter()
            .filter(|said| said.contains("jsonrpc"))
            .count(),
        0
    );
}

#[test]
fn an_answer_behind_other_text_names_its_request() {
    for before in [
        "loading...",
        "INFO: ",
        "[INFO] ",
        "[12] ",
        "> ",
        "{ x } ",
        "\x1b[0m",
        "{{{",
    ] {
        for answer in [
            FIRST,
            r#"{ "id": 1, "jsonrpc": "2.0", "result": {} }"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"cu"#,
        ] {
            let line = format!("{before}{answer}");
            assert_eq!(texts(&[&line, SECOND]), ["copy of 1", SECOND], "{line}");
        }
        for other in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"result":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"meth"#,
            r#"{"jsonrpc":"2.0","result":{}}"#,
        ] {
            let line = format!("{before}{other}");
            assert_eq!(texts(&[&line, SECOND]), ["noise", SECOND], "{line}");
        }
    }
    for before in ["\0", "\0 \x07\u{feff}", "\x7f"] {
        let line = format!("{before}{FIRST}\0");
        let expected = if before.contains('\u{feff}') {
            "copy of 1"
        } else {
            FIRST
        };
        assert_eq!(texts(&[&line, SECOND]), [expected, SECOND], "{line:?}");
    }
}

#[test]
fn a_damaged_batch_names_its_requests() {
    let bad = r#"{"jsonrpc":"2.0","id":7,"result":{"content":NaN}}"#;
    let nameless = r#"{"jsonrpc":"2.0","result":{"content":NaN}}"#;
    let cases: [(String, &[&str]); 7] = [
        (format!("[{bad}]"), &["bad answer to 7"]),
        (format!("[ {nameless} ]"), &["bad answer"]),
        (format!("[{FIRST},{bad}]"), &[FIRST, "bad answer to 7"]),
        // Behind the damage, the boundaries of elements are guesses.
        (
            format!("[{bad}, {SECOND}]"),
            &["bad answer to 7", "bad answer to 2"],
        ),
        (
            format!("[{FIRST},{}", &SECOND[..30]),
            &[FIRST, "bad answer to 2"],
        ),
        (format!(r#"[{{"level":1}},{bad}]"#), &["bad answer to 7"]),
        (
            format!(r#"[{{"level":NaN}},{SECOND}]"#),
            &["bad answer to 2"],
        ),
    ];
    for (line, expected) in cases {
        assert_eq!(texts(&[&line]), expected, "{line}");
        let with_next: Vec<&str> = expected.iter().copied().chain([SECOND]).collect();
        assert_eq!(texts(&[&line, SECOND]), with_next, "{line}");
    }
    let lines = ["[", bad, ",", r#"{"jsonrpc":"2.0","id":8,"result":["#];
    assert!(texts(&lines).contains(&"bad answer to 7".to_owned()));
}

#[test]
fn an_answer_in_capital_letters_names_its_request_and_a_log_does_not() {
    for (line, expected) in [
        (r#"{"JSONRPC":"2.0","ID":1,"Result":{}}"#, "bad answer to 1"),
        (r#"{"ID":2,"ERROR":{"Code":1}}"#, "bad answer to 2"),
        (r#"{"JsonRpc":"2.0","Result":{}}"#, "bad answer"),
        (r#"{"ID":1,"id":2,"Result":{}}"#, "bad answer"),
        (r#"{"Level":"error","ID":1,"Error":"refused"}"#, "noise"),
        (r#"{"ID":1}"#, "noise"),
    ] {
        assert_eq!(texts(&[line]), [expected], "{line}");
    }
}

#[test]
fn a_notification_of_a_server_may_say_that_it_has_no_id() {
    let said =
        r#"{"jsonrpc":"2.0","id":null,"method":"notifications/message","params":{"data":0.10}}"#;
    assert_eq!(
        texts(&[said]),
        [r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":0.10}}"#]
    );
    let asked = r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#;
    assert!(texts(&[asked])[0].contains("must not be null"));
}

#[test]
fn an_unfinished_message_is_bounded_and_given_up() {
    let mut resync = Resync::new(Limits::new(1000));
    let mut refused = 0;
    for line in std::iter::once(r#"{"jsonrpc":"2.0","id":1,"result":["#).chain(["1,"; 1000]) {
        resync.push(Bytes::from_static(line.as_bytes()));
        while let Some(frame) = resync.next() {
            refused += usize::from(told(frame) == "bad answer to 1");
        }
    }
    assert_eq!(refused, 1);
    resync.push(Bytes::from_static(br#"{"jsonrpc":"2.0","id":2,"#));
    assert!(resync.next().is_none() && resync.is_waiting());
    assert_eq!(
        resync.give_up().map(told).as_deref(),
        Some("bad answer to 2")
    );
}

/// Each of these takes hours if bytes are read again for every line or value.
#[test]
fn hostile_lines_cost_linear_time() {
    let many = 1_000_000;
    let _ = texts(&[&"{}".repeat(many)]);
    let _ = texts(&[&"[]".repeat(many)]);
    let _ = texts(&[&r#"{"jsonrpc":"2.0","result":"#.repeat(many)]);
    let _ = texts(&[&"{\"".repeat(many)]);
    let _ = texts(&[&format!("log {}", r#"{"jsonrpc":"#.repeat(many))]);
    let _ = texts(&[&format!("log {}", "{ ".repeat(many))]);
    let _ = texts(&[&format!("[{} NaN", r#"{"result":1},"#.repeat(many))]);
    let _ = texts(&vec!["{"; many]);
    let array: Vec<&str> = std::iter::once("[").chain(vec!["{},"; many]).collect();
    let _ = texts(&array);
}

fn message() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(Value::from),
        "[ -~é\n\"\\\\{}]{0,8}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
    ];
    let tree = leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-z]{1,3}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    (0u32..1000, tree)
        .prop_map(|(id, result)| json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

#[derive(Debug, Clone, Copy)]
enum Style {
    Line,
    SameLine,
    Pretty,
    AfterLog,
}

proptest! {
    #[test]
    fn every_message_comes_out_however_it_is_laid_out(
        messages in proptest::collection::vec(
            (message(), prop_oneof![
                Just(Style::Line), Just(Style::SameLine), Just(Style::Pretty), Just(Style::AfterLog),
            ]), 1..6),
    ) {
        let mut stream = String::new();
        for (message, style) in &messages {
            match style {
                Style::Line => stream += &format!("{message}\n"),
                Style::SameLine => stream += &format!("{message} "),
                Style::Pretty => stream += &format!("{message:#}\n"),
                Style::AfterLog => stream += &format!("\nlog: {{ x }}\n{message}\n"),
            }
        }
        let lines: Vec<&str> = stream.split('\n').collect();
        let came: Vec<Value> = texts(&lines).iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
        let sent: Vec<Value> = messages.into_iter().map(|(message, _)| message).collect();
        prop_assert_eq!(came, sent, "{}", stream);
    }

    #[test]
    fn after_any_bytes_the_next_message_is_read(
        lines in proptest::collection::vec(
            prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..20),
                r#"([\[\]{}:,"]|"id":|"jsonrpc":"2.0"|1|true){0,12}"#.prop_map(String::into_bytes),
            ], 0..8),
    ) {
        let mut lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        lines.push(SECOND.as_bytes());
        let came = read(&lines);
        prop_assert!(came.iter().any(|text| text == SECOND), "{:?}", came);
    }
}
