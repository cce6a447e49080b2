//! Random envelopes pass through byte-identical but for the id.

use bytes::Bytes;
use linkspan_wire::{Frame, Id, Limits, Message, one_line};
use proptest::prelude::*;

/// JSON text that a `Value` would not keep: odd numbers, double keys, escapes, white space.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("18446744073709551616".to_owned()),
        Just("0.10".to_owned()),
        Just("1e400".to_owned()),
        Just("-0".to_owned()),
        Just(r#""\ud800""#.to_owned()),
        Just(r#""\u0000\/\u00e9""#.to_owned()),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,3})?",
        any::<String>().prop_map(|s| linkspan_wire::quote(&s)),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        let key = prop_oneof![
            "[a-c]{0,2}",
            Just("id".to_owned()),
            Just("method".to_owned()),
            Just("__proto__".to_owned())
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5)
                .prop_map(|v| format!("[ {}]", v.join(" ,\t"))),
            proptest::collection::vec((key, inner), 0..5).prop_map(|members| {
                let members: Vec<_> = members
                    .into_iter()
                    .map(|(k, v)| format!("\"{k}\" :{v}"))
                    .collect();
                format!("{{{}}}", members.join(", "))
            }),
        ]
    })
}

fn object() -> impl Strategy<Value = String> {
    json().prop_map(|value| format!("{{\"x\":{value}}}"))
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<String>().prop_map(|s| linkspan_wire::quote(&s)),
        Just("18446744073709551616".to_owned()),
        Just(r#""\u0031""#.to_owned()),
    ]
}

/// The members of one envelope, in any order, with unknown ones between them.
fn envelope() -> impl Strategy<Value = (String, String)> {
    let body = prop_oneof![
        object().prop_map(|p| vec![
            r#""method":"tools/call""#.to_owned(),
            format!(r#""params" : {p}"#)
        ]),
        json().prop_map(|r| vec![format!(r#""result": {r}"#)]),
        object().prop_map(|e| vec![format!(r#""error":{e}"#)]),
    ];
    (id(), body, json())
        .prop_map(|(id, mut members, unknown)| {
            members.push(r#""jsonrpc": "2.0""#.to_owned());
            members.push(format!(r#""id" : {id}"#));
            members.push(format!(r#""x-unknown":{unknown}"#));
            members.push(format!(r#""x-unknown":{unknown}"#));
            (id, members)
        })
        .prop_flat_map(|(id, members)| (Just(id), Just(members).prop_shuffle()))
        .prop_map(|(id, members)| (id, format!("{{ {} }}", members.join(" , "))))
}

proptest! {
    #[test]
    fn only_the_id_changes_on_a_hop_and_back((id, text) in envelope(), hop in any::<u64>()) {
        let Frame::One(message) = Frame::parse(Bytes::from(text.clone()), &Limits::default()) else {
            panic!("not a message: {text}");
        };
        let own = message.id().unwrap();
        prop_assert_eq!(own.text(), &id);

        let sent = message.with_id(Id::number(hop)).to_bytes();
        let needle = format!(r#""id" : {id}"#);
        let at = text.find(&needle).unwrap();
        let expected = format!(r#"{}"id" : {hop}{}"#, &text[..at], &text[at + needle.len()..]);
        prop_assert_eq!(&sent[..], expected.as_bytes());

        let back = Message::parse(sent).unwrap().with_id(own).to_bytes();
        prop_assert_eq!(&back[..], text.as_bytes());
    }

    #[test]
    fn one_line_drops_white_space_only((_, text) in envelope()) {
        let pretty = text.replace(" , ", "\r\n  , ").replace("{ ", "{\n");
        let flat = one_line(Bytes::from(pretty));
        prop_assert!(!flat.contains(&b'\n') && !flat.contains(&b'\r'));
        let kind = Message::parse(flat).unwrap().kind();
        prop_assert_eq!(kind, Message::parse(Bytes::from(text)).unwrap().kind());
    }

    #[test]
    fn no_bytes_make_the_parser_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        Frame::parse(Bytes::from(bytes), &Limits::new(150));
    }

    #[test]
    fn a_value_inside_is_replaced_alone(value in json(), hop in any::<u32>()) {
        let text = format!(r#"{{"id":1,"method":"m","jsonrpc":"2.0","params":{{"a":{value},"b":2}}}}"#);
        let message = Message::parse(Bytes::from(text)).unwrap().with_id(Id::number(hop.into()));
        let inside = message.params().unwrap().get("a").unwrap();
        prop_assert_eq!(
            message.with_value(inside, "null").text(),
            format!(r#"{{"id":{hop},"method":"m","jsonrpc":"2.0","params":{{"a":null,"b":2}}}}"#)
        );
    }
}
