//! Limits, timeouts and the end of a carrier.

use super::*;

#[test]
fn requests_over_the_limit_are_refused_and_the_others_continue() {
    let mut stage = server();
    for id in 0..IN_FLIGHT {
        let sent = stage.mcp(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x"}}"#));
        assert!(sent[0].starts_with("chain"));
    }
    let refused = stage.mcp(r#"{"jsonrpc":"2.0","id":"more","method":"x"}"#);
    assert!(refused[0].starts_with(r#"mcp {"id":"more","error":{"code":-33000"#));
    stage.chain(r#"{"jsonrpc":"2.0","id":1,"result":{"result":{}}}"#);
    assert!(stage.mcp(r#"{"jsonrpc":"2.0","id":"more","method":"x"}"#)[0].starts_with("chain"));
}

#[test]
fn an_id_that_is_in_use_is_refused() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#);
    assert!(stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#)[0].contains("-32600"));
}

#[test]
fn messages_that_wait_for_a_connection_are_bounded_in_bytes() {
    let mut stage = url(None);
    let big = "x".repeat(HELD_BYTES);
    stage.mcp(r#"{"jsonrpc":"2.0","id":0,"method":"x"}"#);
    assert!(stage.carrier.has_room() && stage.carrier.is_holding());
    stage.mcp(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":["{big}"]}}"#
    ));
    assert!(!stage.carrier.has_room());
    stage.chain(r#"{"jsonrpc":"2.0","id":2,"result":{"connection_id":"c-1"}}"#);
    assert!(stage.carrier.has_room() && !stage.carrier.is_holding());
}

#[test]
fn a_connection_that_times_out_is_an_error_and_is_closed_if_it_opens_late() {
    let mut stage = url(None);
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#);
    let outs = stage.later(30);
    assert_eq!(
        outs[0],
        r#"chain {"method":"$/cancel_request","params":{"requestId":2}}"#
    );
    assert!(
        outs[1].starts_with(r#"mcp {"id":7,"error":{"code":-33001"#),
        "{outs:?}"
    );
    let late = stage.chain(r#"{"jsonrpc":"2.0","id":2,"result":{"connection_id":"c-1"}}"#);
    assert_eq!(
        late,
        [r#"chain {"method":"_mcp/disconnect","params":{"connection_id":"c-1"}}"#]
    );
    let again = stage.mcp(r#"{"jsonrpc":"2.0","id":8,"method":"x"}"#);
    assert!(
        again[0].contains("_mcp/connect"),
        "the next request tries again: {again:?}"
    );
}

#[test]
fn the_first_request_has_a_timeout_and_a_call_has_none() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":6,"method":"tools/call"}"#);
    assert_eq!(stage.carrier.next_wake(), None);
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"server/discover"}"#);
    let outs = stage.later(30);
    assert_eq!(
        outs[0],
        r#"chain {"method":"$/cancel_request","params":{"requestId":2}}"#
    );
    assert!(outs[1].contains(r#""id":7,"error":{"code":-33001"#) && outs.len() == 2);
}

#[test]
fn a_connect_that_is_refused_answers_every_waiting_request() {
    let mut stage = url(None);
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#);
    stage.mcp(r#"{"jsonrpc":"2.0","id":8,"method":"y"}"#);
    let outs = stage.chain(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"who?"}}"#);
    assert_eq!(
        outs,
        [
            r#"mcp {"id":7,"error":{"code":-32602,"message":"who?"}}"#,
            r#"mcp {"id":8,"error":{"code":-32602,"message":"who?"}}"#
        ]
    );
}

#[test]
fn the_end_answers_both_sides_and_disconnects() {
    let mut stage = stage(Provider::Server("s-1".to_owned()), None);
    stage.carrier.form = Some(Form::Native);
    stage.connected(r#"{"jsonrpc":"2.0","id":2,"result":{"connectionId":"c-1"}}"#);
    stage.chain(r#"{"jsonrpc":"2.0","id":9,"method":"mcp/message","params":{"connectionId":"c-1","method":"roots/list"}}"#);
    let outs = stage.carrier.end(&revoked());
    let outs = stage.shown(outs);
    assert_eq!(
        outs[0],
        r#"chain {"method":"$/cancel_request","params":{"requestId":1}}"#
    );
    assert!(outs[1].starts_with(
        r#"mcp {"id":0,"error":{"code":-32001,"message":"the bridge session has ended""#
    ));
    assert!(outs[2].starts_with(r#"chain {"id":9,"error":{"code":-33001"#));
    assert_eq!(
        outs[3],
        r#"chain {"id":3,"method":"mcp/disconnect","params":{"connectionId":"c-1"}}"#
    );
}

#[test]
fn only_the_envelope_names_the_session() {
    let mut stage = server();
    stage.carrier.began("s\"1");
    let sent = stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{}}}"#);
    assert_eq!(
        sent,
        [
            r#"chain {"id":1,"method":"mcp/message","params":{"serverId":"s-1","requestId":"T-1","method":"x","params":{"_meta":{}},"_meta":{"linkspan/sessionId":"s\"1"}}}"#
        ]
    );
}
