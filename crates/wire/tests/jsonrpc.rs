//! The cases that the core's specification lists: parsing, answering, errors, and what is refused.

use bytes::Bytes;
use linkspan_wire::{Code, Frame, Id, Json, Kind, Limits, Message, RpcError, WireError};

fn parse(text: &str) -> Message {
    match frame(text) {
        Frame::One(message) => message,
        other => panic!("{text}: {other:?}"),
    }
}

fn frame(text: &str) -> Frame {
    Frame::parse(Bytes::copy_from_slice(text.as_bytes()), &Limits::default())
}

/// The error answer to a text that is not a message.
fn refusal(text: &str) -> String {
    match frame(text) {
        Frame::Other { why, .. } => why.to_rpc().answer(&why.id()).text(),
        other => panic!("{text}: {other:?}"),
    }
}

#[expect(clippy::unwrap_used, reason = "a helper of tests")]
fn id(text: &str) -> Id {
    Id::parse(Json::parse(text).unwrap()).unwrap()
}

// Parsing

#[test]
fn a_request_has_id_method_and_params() {
    let message = parse(r#"{"jsonrpc":"2.0","id":"123","method":"test","params":{"foo":"bar"}}"#);
    assert_eq!(message.kind(), Kind::Request);
    assert_eq!(message.id().unwrap().text(), r#""123""#);
    assert_eq!(message.method(), "test");
    assert_eq!(message.params().unwrap().text(), r#"{"foo":"bar"}"#);
}

#[test]
fn a_request_with_a_null_id_is_refused() {
    for text in [
        r#"{"jsonrpc":"2.0","id":null,"method":"test"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":{},"id" : null}"#,
    ] {
        assert!(
            refusal(text).starts_with(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#),
            "{}",
            refusal(text)
        );
    }
}

#[test]
fn a_protocol_may_allow_null_as_an_id() {
    let text = Bytes::from_static(br#"{"jsonrpc":"2.0","id":null,"method":"test"}"#);
    let Frame::One(message) = Frame::parse(text, &Limits::default().with_null_ids()) else {
        panic!("it is a message")
    };
    assert_eq!(message.id(), Some(Id::null()));
}

#[test]
fn a_request_may_come_without_params() {
    let message = parse(r#"{"jsonrpc":"2.0","id":1,"method":"test"}"#);
    assert_eq!(message.params(), None);
    assert_eq!(
        parse(r#"{"jsonrpc":"2.0","id":1,"method":"t","params":[1]}"#).kind(),
        Kind::Request
    );
}

#[test]
fn text_that_is_not_json_is_answered_with_a_parse_error() {
    assert!(
        refusal("{\"jsonrpc\": nope")
            .starts_with(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#)
    );
}

#[test]
fn an_empty_line_is_ignored() {
    assert!(matches!(frame(""), Frame::Blank));
    assert!(matches!(frame("  \r\n"), Frame::Blank));
}

#[test]
fn a_byte_order_mark_and_crlf_are_tolerated() {
    assert_eq!(
        parse("\u{feff} {\"jsonrpc\":\"2.0\",\"method\":\"m\"}\r\n").text(),
        r#"{"jsonrpc":"2.0","method":"m"}"#
    );
}

#[test]
fn escaped_member_names_and_methods_are_read() {
    let message = parse(r#"{"jsonrpc":"2.0","id":1,"\u006dethod":"tools\/list"}"#);
    assert_eq!(message.method(), "tools/list");
}

// Answering

#[test]
fn a_result_goes_to_a_string_id() {
    assert_eq!(
        Message::result(&id(r#""123""#), r#""test""#).text(),
        r#"{"jsonrpc":"2.0","id":"123","result":"test"}"#
    );
}

#[test]
fn a_result_goes_to_a_numeric_id() {
    assert_eq!(
        Message::result(&id("0.10e1"), "{}").text(),
        r#"{"jsonrpc":"2.0","id":0.10e1,"result":{}}"#
    );
}

#[test]
fn a_result_goes_to_a_null_id() {
    assert_eq!(
        Message::result(&Id::null(), "[]").text(),
        r#"{"jsonrpc":"2.0","id":null,"result":[]}"#
    );
}

#[test]
fn an_error_answer_without_an_id_can_be_given_one() {
    let message = parse(r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#);
    assert_eq!(
        message.with_id(Id::number(4)).text(),
        r#"{"id":4,"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#
    );
}

// Errors

#[test]
fn the_error_codes_are_those_of_the_specification() {
    let codes = [
        (Code::ParseError, -32700),
        (Code::InvalidRequest, -32600),
        (Code::MethodNotFound, -32601),
        (Code::InvalidParams, -32602),
        (Code::Internal, -32603),
        (Code::Server, -32000),
    ];
    for (code, number) in codes {
        let answer = RpcError::new(code.number(), "m").answer(&Id::number(1));
        let error = answer.body().unwrap();
        assert_eq!(error.get("code").unwrap().as_i64(), Some(number));
        assert_eq!(error.get("data"), None);
    }
}

#[test]
fn error_messages_are_escaped() {
    let answer = RpcError::server("\"quoted\"\n\\").answer(&id(r#""a\"b""#));
    let value: serde_json::Value = serde_json::from_str(&answer.text()).unwrap();
    assert_eq!(value["error"]["message"], "\"quoted\"\n\\");
    assert_eq!(value["id"], "a\"b");
}

// What is refused

#[test]
fn an_invalid_request_is_refused_under_its_own_id() {
    let cases = [
        (r#"{"id":5,"method":"m"}"#, "5"),
        (r#"{"jsonrpc":"1.0","id":"a","method":"m"}"#, r#""a""#),
        (r#"{"jsonrpc":"2.0","id":5,"method":7}"#, "5"),
        (r#"{"jsonrpc":"2.0","id":5,"method":"m","params":"p"}"#, "5"),
        (r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, "null"),
        (r#"{"jsonrpc":"2.0","id":5}"#, "5"),
        (r#"{"jsonrpc":"2.0","result":{}}"#, "null"),
        (r#"{"jsonrpc":"2.0","id":5,"error":"e"}"#, "5"),
        (r#"{"jsonrpc":"2.0","id":5,"result":1,"error":{}}"#, "5"),
        (r#"{"jsonrpc":"2.0","id":5,"method":"m","result":1}"#, "5"),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"m","\u006dethod":"n"}"#,
            "5",
        ),
        (r#"{"jsonrpc":"2.0","id":5,"id":6,"method":"m"}"#, "null"),
        ("7", "null"),
        ("\"text\"", "null"),
        ("[]", "null"),
    ];
    for (text, id) in cases {
        let answer = refusal(text);
        let start = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32600,"#);
        assert!(answer.starts_with(&start), "{text} -> {answer}");
    }
}

#[test]
fn deep_nesting_and_invalid_utf8_are_refused() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{}{}}}"#,
        "[".repeat(128),
        "]".repeat(128)
    );
    assert!(refusal(&deep).contains("-32700"));
    let fine = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{}{}}}"#,
        "[".repeat(127),
        "]".repeat(127)
    );
    parse(&fine);
    let bytes = Bytes::from_static(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}");
    assert!(matches!(
        Frame::parse(bytes, &Limits::default()),
        Frame::Other {
            why: WireError::Json(_),
            ..
        }
    ));
}

#[test]
fn a_batch_is_split_and_each_bad_part_gets_its_own_error() {
    let text = r#"[{"jsonrpc":"2.0","id":1,"method":"a"}, 7, {"jsonrpc":"2.0","method":"b"}]"#;
    let Frame::Batch(entries) = frame(text) else {
        panic!()
    };
    assert_eq!(entries[0].as_ref().unwrap().method(), "a");
    assert!(matches!(entries[1], Err(WireError::Shape { .. })));
    assert_eq!(entries[2].as_ref().unwrap().kind(), Kind::Notification);
}

#[test]
fn a_message_above_the_limit_is_refused_under_its_own_id() {
    let text = format!(
        r#"{{"jsonrpc":"2.0","id":"big","method":"{}"}}"#,
        "m".repeat(100)
    );
    let Frame::Other { why, .. } = Frame::parse(Bytes::from(text), &Limits::new(60)) else {
        panic!()
    };
    assert_eq!(why.id().text(), r#""big""#);
    assert!(why.to_rpc().message().contains("60 bytes"));
}

#[test]
fn a_request_with_an_id_over_the_limit_is_refused() {
    let with = |length: usize, rest: &str| {
        let id = "i".repeat(length - 2);
        format!(r#"{{"jsonrpc":"2.0","id":"{id}",{rest}}}"#)
    };
    let request = r#""method":"m""#;
    assert!(matches!(frame(&with(1024, request)), Frame::One(_)));
    let Frame::Other { why, .. } = frame(&with(1025, request)) else {
        panic!()
    };
    assert_eq!(why.id().text().len(), 1025, "the error answers the request");
    assert!(why.to_rpc().message().contains("1024 bytes"));
    assert!(matches!(
        frame(&with(1025, r#""result":{}"#)),
        Frame::One(_)
    ));

    let batch = format!("[{},{}]", with(1025, request), with(10, request));
    let Frame::Batch(entries) = frame(&batch) else {
        panic!()
    };
    assert_eq!(entries[0].as_ref().unwrap_err().id().text(), "null");
    assert!(entries[1].is_ok());
}
