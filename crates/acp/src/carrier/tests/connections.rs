//! Providers of older dialects, which need a connection first, and the draft.

use super::*;

#[test]
fn a_provider_without_the_scoped_form_is_asked_for_a_connection() {
    for code in [-32601, -32602] {
        let mut stage = server();
        stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"a":1.0}}"#);
        let refusal =
            format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"no"}}}}"#);
        let connect = stage.chain(&refusal);
        assert_eq!(
            connect,
            [r#"chain {"id":2,"method":"mcp/connect","params":{"serverId":"s-1"}}"#]
        );
        let again = stage.chain(r#"{"jsonrpc":"2.0","id":2,"result":{"connectionId":"c-1"}}"#);
        assert_eq!(
            again,
            [
                r#"chain {"id":1,"method":"mcp/message","params":{"connectionId":"c-1","method":"initialize","params":{"a":1.0}}}"#
            ]
        );
        let answer = stage.chain(r#"{"jsonrpc":"2.0","id":1,"result":{"b": 2.0}}"#);
        assert_eq!(answer, [r#"mcp {"id":7,"result":{"b": 2.0}}"#]);
        let note = stage.mcp(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        assert_eq!(
            note,
            [
                r#"chain {"method":"mcp/message","params":{"connectionId":"c-1","method":"notifications/initialized"}}"#
            ]
        );
    }
}

#[test]
fn a_provider_with_neither_form_answers_with_its_first_refusal() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"initialize"}"#);
    stage.chain(UNKNOWN);
    let answer =
        stage.chain(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"neither"}}"#);
    assert_eq!(
        answer,
        [r#"mcp {"id":7,"error":{"code":-32601,"message":"no"}}"#]
    );
    assert_eq!(stage.carrier.form, None);
}

#[test]
fn discover_is_not_sent_to_a_server_that_predates_it() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"server/discover"}"#);
    stage.chain(UNKNOWN);
    let answer = stage.chain(r#"{"jsonrpc":"2.0","id":2,"result":{"connectionId":"c-1"}}"#);
    assert!(
        answer[0].starts_with(r#"mcp {"id":7,"error":{"code":-32601"#),
        "{answer:?}"
    );
}

#[test]
fn carriers_share_the_form_of_a_provider() {
    let forms = FormCache::default();
    let provider = Provider::Server("s-1".to_owned());
    let mut first = server();
    first.carrier = Carrier::new(provider.clone(), None, forms.clone());
    first.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"initialize"}"#);
    first.chain(UNKNOWN);
    first.chain(r#"{"jsonrpc":"2.0","id":2,"result":{"connectionId":"c-1"}}"#);
    let mut next = server();
    next.carrier = Carrier::new(provider, None, forms);
    let sent = next.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"initialize"}"#);
    assert_eq!(
        sent,
        [r#"chain {"id":2,"method":"mcp/connect","params":{"serverId":"s-1"}}"#]
    );
}

#[test]
fn several_first_requests_wait_for_one_connection_and_keep_their_order() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"a"}"#);
    stage.mcp(r#"{"jsonrpc":"2.0","id":8,"method":"b"}"#);
    assert_eq!(stage.chain(UNKNOWN).len(), 1);
    assert!(
        stage
            .mcp(r#"{"jsonrpc":"2.0","id":9,"method":"c"}"#)
            .is_empty(),
        "it waits"
    );
    let refused = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}"#;
    assert!(stage.chain(refused).is_empty(), "it waits, too");
    let sent = stage.chain(r#"{"jsonrpc":"2.0","id":3,"result":{"connectionId":"c"}}"#);
    assert_eq!(sent.len(), 3, "{sent:?}");
    assert!(sent[0].contains(r#""method":"a""#) && sent[1].contains(r#""method":"c""#));
}

#[test]
fn a_first_request_that_is_refused_late_is_repeated_too() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"a"}"#);
    stage.mcp(r#"{"jsonrpc":"2.0","id":8,"method":"b"}"#);
    stage.chain(UNKNOWN);
    stage.chain(r#"{"jsonrpc":"2.0","id":3,"result":{"connectionId":"c"}}"#);
    let refused = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}"#;
    let again = stage.chain(refused);
    assert!(
        again[0].contains(r#""connectionId":"c","method":"b""#),
        "{again:?}"
    );
    let refused = stage.chain(refused);
    assert!(refused[0].starts_with("mcp ") && refused[0].contains(r#""id":8"#));
}

#[test]
fn underscore_connections_keep_their_casing() {
    for owner in [Some(Dialect::Underscore), Some(Dialect::Current), None] {
        let mut stage = url(owner);
        let connect = stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#);
        assert_eq!(
            connect,
            [
                r#"chain {"id":2,"method":"_mcp/connect","params":{"acp_url":"acp:u-1","acp_id":"acp:u-1"}}"#
            ]
        );
        let sent = stage.chain(r#"{"jsonrpc":"2.0","id":2,"result":{"connection_id":"c-1"}}"#);
        assert_eq!(
            sent,
            [
                r#"chain {"id":1,"method":"_mcp/message","params":{"connectionId":"c-1","method":"tools/list","params":null}}"#
            ]
        );
        let outs = stage.carrier.end(&revoked());
        assert_eq!(
            stage.shown(outs)[2],
            r#"chain {"method":"_mcp/disconnect","params":{"connection_id":"c-1"}}"#
        );
    }
}

#[test]
fn the_oldest_release_has_methods_of_its_own() {
    let mut stage = url(Some(Dialect::Symposium));
    let connect = stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}"#);
    assert_eq!(
        connect,
        [r#"chain {"id":2,"method":"_mcp/connect","params":{"acp_url":"acp:u-1"}}"#]
    );
    let sent = stage.chain(r#"{"jsonrpc":"2.0","id":2,"result":{"connection_id":"c-1"}}"#);
    assert_eq!(
        sent,
        [
            r#"chain {"id":1,"method":"_mcp/request","params":{"connectionId":"c-1","method":"tools/list","params":{}}}"#
        ]
    );
    let note = stage.mcp(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(
        note,
        [
            r#"chain {"method":"_mcp/notification","params":{"connectionId":"c-1","method":"notifications/initialized","params":null}}"#
        ]
    );
}

#[test]
fn a_request_of_a_provider_is_answered_under_its_own_id() {
    let rows = [
        (server(), "mcp/message", "connectionId"),
        (
            url(Some(Dialect::Underscore)),
            "_mcp/message",
            "connection_id",
        ),
        (
            url(Some(Dialect::Symposium)),
            "_mcp/request",
            "connection_id",
        ),
    ];
    for (mut stage, verb, key) in rows {
        if matches!(stage.carrier.provider, Provider::Server(_)) {
            stage.carrier.form = Some(Form::Native);
        }
        stage.connected(&format!(
            r#"{{"jsonrpc":"2.0","id":2,"result":{{"{key}":"c-1"}}}}"#
        ));
        let asked = stage.chain(&format!(
            r#"{{"jsonrpc":"2.0","id":"q","method":"{verb}","params":{{"connectionId":"c-1","method":"sampling/createMessage","params":{{"a" :1.0}}}}}}"#
        ));
        assert_eq!(
            asked,
            [r#"mcp {"id":"q","method":"sampling/createMessage","params":{"a" :1.0}}"#]
        );
        let answer = stage.mcp(r#"{"jsonrpc":"2.0","id":"q","result":{"b": 1.0}}"#);
        assert_eq!(answer, [r#"chain {"id":"q","result":{"b": 1.0}}"#]);
        let again = stage.mcp(r#"{"jsonrpc":"2.0","id":"q","result":{}}"#);
        assert!(again.is_empty(), "one question has one answer");
    }
}

#[test]
fn a_cancelled_request_of_a_provider_is_answered_at_once() {
    let mut stage = url(None);
    stage.connected(r#"{"jsonrpc":"2.0","id":2,"result":{"connection_id":"c-1"}}"#);
    stage.chain(r#"{"jsonrpc":"2.0","id":4,"method":"_mcp/message","params":{"connectionId":"c-1","method":"roots/list"}}"#);
    let outs =
        stage.chain(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":4}}"#);
    assert_eq!(
        outs,
        [
            r#"mcp {"method":"notifications/cancelled","params":{"requestId":4}}"#,
            r#"chain {"id":4,"error":{"code":-32800,"message":"Request cancelled"}}"#
        ]
    );
    assert!(
        stage
            .mcp(r#"{"jsonrpc":"2.0","id":4,"result":{}}"#)
            .is_empty()
    );
}

#[test]
fn an_inner_cancellation_is_forwarded_only_if_its_request_is_certain() {
    let ask = |id| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"_mcp/message","params":{{"connectionId":"c-1","method":"roots/list"}}}}"#
        )
    };
    let cancel = r#"{"jsonrpc":"2.0","method":"_mcp/message","params":{"connectionId":"c-1","method":"notifications/cancelled","params":{"requestId":0}}}"#;
    let mut stage = url(None);
    stage.connected(r#"{"jsonrpc":"2.0","id":2,"result":{"connection_id":"c-1"}}"#);
    stage.chain(&ask(4));
    assert_eq!(
        stage.chain(cancel),
        [r#"mcp {"method":"notifications/cancelled","params":{"requestId":4}}"#]
    );
    stage.chain(&ask(5));
    assert!(stage.chain(cancel).is_empty(), "it may be either of two");
}

#[test]
fn messages_of_unknown_connections_are_refused() {
    let mut stage = url(None);
    stage.connected(r#"{"jsonrpc":"2.0","id":2,"result":{"connection_id":"c-1"}}"#);
    let ask = |connection, params| {
        format!(
            r#"{{"jsonrpc":"2.0","id":4,"method":"_mcp/message","params":{{"connectionId":"{connection}","method":"roots/list","params":{params}}}}}"#
        )
    };
    for wrong in [ask("c-2", "{}"), ask("c-1", "5")] {
        assert!(stage.chain(&wrong)[0].starts_with(r#"chain {"id":4,"error":{"code":-32602"#));
    }
    let note =
        r#"{"jsonrpc":"2.0","method":"_mcp/message","params":{"connectionId":"c-2","method":"x"}}"#;
    assert!(stage.chain(note).is_empty());
    assert!(
        stage
            .chain(r#"{"jsonrpc":"2.0","method":"_mcp/message","params":[1]}"#)
            .is_empty()
    );
    assert!(stage.chain(r#"{"jsonrpc":"2.0","id":4,"method":"fs/read"}"#)[0].contains("-32601"));
}

#[test]
fn an_error_of_the_mcp_side_does_not_ask_the_provider_to_log_in() {
    let mut stage = url(None);
    stage.connected(r#"{"jsonrpc":"2.0","id":2,"result":{"connection_id":"c-1"}}"#);
    stage.chain(r#"{"jsonrpc":"2.0","id":4,"method":"_mcp/message","params":{"connectionId":"c-1","method":"roots/list"}}"#);
    let replied =
        stage.mcp(r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"m","data":1.10}}"#);
    assert_eq!(
        replied,
        [r#"chain {"id":4,"error":{"code":-32603,"message":"m","data":1.10}}"#]
    );
}

#[test]
fn a_connection_that_the_provider_closes_ends_the_carrier() {
    let mut stage = url(None);
    stage.connected(r#"{"jsonrpc":"2.0","id":2,"result":{"connection_id":"c-1"}}"#);
    let outs = stage
        .chain(r#"{"jsonrpc":"2.0","method":"_mcp/disconnect","params":{"connection_id":"c-1"}}"#);
    assert!(
        outs[1].starts_with(r#"mcp {"id":0,"error":{"code":-33001"#),
        "{outs:?}"
    );
    assert!(stage.carrier.is_over());
    let late = stage.mcp(r#"{"jsonrpc":"2.0","id":9,"method":"x"}"#);
    assert!(late[0].starts_with(r#"mcp {"id":9,"error":{"code":-33001"#));
}

#[test]
fn the_draft_encloses_whole_messages_in_both_directions() {
    let mut stage = url(Some(Dialect::Draft));
    let sent = stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a" : 1.0}}"#);
    assert_eq!(
        sent,
        [
            r#"chain {"id":1,"method":"_mcp/client_to_server/request","params":{"url":"acp:u-1","message":{"id":"T-1","method":"tools/call","params":{"a" : 1.0}}}}"#
        ]
    );
    let answer = stage.named(
        r#"{"jsonrpc":"2.0","id":1,"result":{"message":{"jsonrpc":"2.0","id":"T-1","error":{"code":5,"message":"m"}}}}"#,
    );
    assert_eq!(
        stage.chain(&answer),
        [r#"mcp {"id":7,"error":{"code":5,"message":"m"}}"#]
    );
    let asked = stage.chain(
        r#"{"jsonrpc":"2.0","id":"S1","method":"_mcp/server_to_client/request","params":{"url":"acp:u-1","message":{"jsonrpc":"2.0","id":"mcp-456","method":"roots/list"}}}"#,
    );
    assert_eq!(asked, [r#"mcp {"id":"S1","method":"roots/list"}"#]);
    let cancel = stage.chain(
        r#"{"jsonrpc":"2.0","method":"_mcp/server_to_client/notification","params":{"url":"acp:u-1","message":{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mcp-456"}}}}"#,
    );
    assert_eq!(
        cancel,
        [r#"mcp {"method":"notifications/cancelled","params":{"requestId":"S1"}}"#]
    );
    let reply = stage.mcp(r#"{"jsonrpc":"2.0","id":"S1","result":{"roots":[]}}"#);
    assert_eq!(
        reply,
        [r#"chain {"id":"S1","result":{"message":{"id":"mcp-456","result":{"roots":[]}}}}"#]
    );
}

#[test]
fn the_draft_gets_cancellations_in_its_own_form() {
    let mut stage = url(Some(Dialect::Draft));
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#);
    let sent = stage
        .mcp(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#);
    assert_eq!(
        sent,
        [
            r#"chain {"method":"_mcp/client_to_server/notification","params":{"url":"acp:u-1","message":{"method":"notifications/cancelled","params":{"requestId":"T-1"}}}}"#,
            r#"chain {"method":"$/cancel_request","params":{"requestId":1}}"#
        ]
    );
}
