//! Any bytes are a frame, and a message is its sender's bytes under whatever id.
#![no_main]

use std::collections::BTreeMap;

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use linkspan_fuzz::walk;
use linkspan_wire::{Frame, Id, Json, Kind, Limits, Message, Syntax, WireError};
use serde_json::value::RawValue;

fuzz_target!(|input: &[u8]| {
    frame(input);
    // The same input where a fuzzer rarely gets by itself: inside of a message.
    for (front, back) in [
        (&br#"{"jsonrpc":"2.0","#[..], &b"}"[..]),
        (br#"{"jsonrpc":"2.0","id":1,"result":"#, b"}"),
        (br#"[{"jsonrpc":"2.0","method":""#, br#""}]"#),
    ] {
        frame(&[front, input, back].concat());
    }
});

fn frame(input: &[u8]) {
    let bare = input.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(input);
    let bare = bare.trim_ascii();
    let is_json = serde_json::from_slice::<&RawValue>(bare).is_ok();
    match Frame::parse(Bytes::copy_from_slice(input), &Limits::default()) {
        Frame::Blank => assert!(bare.is_empty()),
        Frame::One(message) => {
            assert!(is_json);
            assert_eq!(message.to_bytes(), bare);
            check(message);
        }
        Frame::Batch(entries) => {
            assert!(is_json && !entries.is_empty());
            for entry in entries {
                entry.map_or_else(|why| refuse(&why), check);
            }
        }
        Frame::Other { text, why } => {
            assert_eq!(text, bare);
            // The nesting limit is ours alone.
            if !matches!(why, WireError::Json(Syntax::TooDeep(_))) {
                assert_eq!(is_json, !matches!(why, WireError::Json(_)), "{why}");
            }
            refuse(&why);
        }
    }
    if let Frame::Other { why, .. } = Frame::parse(bare.to_vec().into(), &Limits::new(64)) {
        refuse(&why);
    }
}

/// A text that is no message still gets an answer that is one.
fn refuse(why: &WireError) {
    let answer = why.to_rpc().answer(&why.id());
    assert_eq!(answer.kind(), Kind::Error);
}

fn check(message: Message) {
    agree(&message);
    if let Some(body) = message.body() {
        walk(body);
        let smaller = message
            .clone()
            .with_id(Id::number(7))
            .with_value(body, "{}");
        assert_eq!(smaller.body().map(Json::text), Some("{}"));
        assert_eq!(smaller.method(), message.method());
    }
    let other = message
        .clone()
        .with_id(Id::number(18_446_744_073_709_551_615));
    assert_eq!(other.to_bytes(), other.pieces().concat());
    assert_eq!(other.len(), other.to_bytes().len());
    assert_eq!(other.body().map(Json::text), message.body().map(Json::text));
    let Some(id) = message.id() else { return };
    let [before, _, after] = other.pieces();
    let text = message.to_bytes();
    assert_eq!([&before[..], id.bytes(), &after[..]].concat(), text);
    let read = Message::parse(other.to_bytes()).expect("another id leaves it a message");
    assert_eq!(read.id(), other.id());
    assert_eq!(read.method(), message.method());
    assert_eq!(other.with_id(id).to_bytes(), text);
}

/// Holds the envelope to what serde_json finds in it.
fn agree(message: &Message) {
    let text = message.to_bytes();
    // A key with half a surrogate pair is an error to serde_json.
    let Ok(members) = serde_json::from_slice::<BTreeMap<String, &RawValue>>(&text) else {
        return;
    };
    let raw = |name: &str| members.get(name).map(|value| value.get());
    let body = match message.kind() {
        Kind::Request | Kind::Notification => "params",
        Kind::Result => "result",
        Kind::Error => "error",
    };
    assert_eq!(message.body().map(Json::text), raw(body));
    assert_eq!(message.id().as_ref().map(Id::text), raw("id"));
    let method = raw("method").unwrap_or("\"\"");
    if let Ok(method) = serde_json::from_str::<String>(method) {
        assert_eq!(message.method(), method);
    }
}
