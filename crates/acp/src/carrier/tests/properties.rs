//! Property tests: arbitrary messages reach the other side unchanged.

use super::*;
use proptest::prelude::*;

/// JSON text with spellings that a parser of values would lose.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("123456789012345678901234567890".to_owned()),
        Just("1.10".to_owned()),
        Just("1E5".to_owned()),
        Just("-0".to_owned()),
        Just(r#""\ud800 \u0061 \/""#.to_owned()),
        ".{0,8}".prop_map(|text| quote(&text)),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|v| format!("[ {} ]", v.join(" ,"))),
            prop::collection::vec((r#"[a-c]{1,2}"#, inner), 0..4).prop_map(|v| {
                let members: Vec<_> = v.iter().map(|(k, v)| format!("\"{k}\" : {v}")).collect();
                format!("{{{}}}", members.join(", "))
            }),
        ]
    })
}

fn object() -> impl Strategy<Value = String> {
    prop::collection::vec(("[a-c]{1,2}", value()), 0..4).prop_map(|v| {
        let members: Vec<_> = v.iter().map(|(k, v)| format!("\"{k}\":\t{v}")).collect();
        format!("{{ {} }}", members.join(","))
    })
}

fn forms() -> impl Strategy<Value = Form> {
    prop::sample::select(vec![
        Form::Scoped,
        Form::Native,
        Form::Underscore,
        Form::Symposium,
        Form::Draft,
    ])
}

proptest! {
    #[test]
    fn params_and_results_keep_their_bytes_in_every_form(
        form in forms(), params in object(), result in value(), id in "[a-z\\\\\"]{0,4}",
    ) {
        let mut stage = server();
        stage.carrier.form = Some(form);
        if form.connects() {
            stage.carrier.link = Link::Up("c".to_owned());
        }
        let id = quote(&id);
        let request = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m","params":{params}}}"#);
        let outs = stage.carrier.from_mcp(msg(&request), stage.now);
        let [Out::Chain(sent)] = &outs[..] else { panic!("{outs:?}") };
        let sent = sent.params().unwrap();
        let inner = if form == Form::Draft { sent.get("message").unwrap() } else { sent };
        prop_assert_eq!(inner.get("params").unwrap().text(), params);
        let carried = match form {
            Form::Scoped => format!(r#"{{"result":{result}}}"#),
            Form::Draft => format!(r#"{{"message":{{"jsonrpc":"2.0","id":1,"result":{result}}}}}"#),
            _ => result.clone(),
        };
        let outs = stage.carrier.from_chain(
            msg(&format!(r#"{{"jsonrpc":"2.0","id":1,"result":{carried}}}"#)),
            stage.now,
        );
        let [Out::Mcp { msg: answer, .. }] = &outs[..] else { panic!("{outs:?}") };
        prop_assert_eq!(answer.body().unwrap().text(), result);
        let restored = answer.id().unwrap();
        prop_assert_eq!(restored.text(), &id);
    }

    #[test]
    fn messages_of_the_chain_do_not_make_a_carrier_panic(
        form in forms(), said in value(), method in prop::sample::select(vec![
            "mcp/message", "_mcp/message", "_mcp/request", "_mcp/notification", "mcp/disconnect",
            "_mcp/server_to_client/request", "_mcp/server_to_client/notification", "$/cancel_request",
        ]),
    ) {
        let mut stage = server();
        stage.carrier.form = Some(form);
        stage.carrier.link = Link::Up("c".to_owned());
        for key in ["params", "message", "method", "requestId"] {
            let params = format!(r#"{{"connectionId":"c","method":"m","{key}":{said}}}"#);
            for id in ["", r#""id":1,"#] {
                let text = format!(r#"{{"jsonrpc":"2.0",{id}"method":"{method}","params":{params}}}"#);
                stage.carrier.from_chain(msg(&text), stage.now);
            }
        }
        stage.carrier.from_mcp(msg(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#), stage.now);
        let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{said}}}"#);
        stage.carrier.from_chain(msg(&answer), stage.now);
    }
}
