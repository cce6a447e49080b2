//! The carrier between an MCP side and a chain that the test plays.

use super::*;
use linkspan_wire::Hop;

fn msg(text: &str) -> Message {
    Message::parse(text.to_owned().into()).unwrap()
}

struct Stage {
    carrier: Carrier,
    now: Instant,
}

fn stage(provider: Provider, owner: Option<Dialect>) -> Stage {
    Stage {
        carrier: Carrier::new(provider, owner, Memory::default()),
        now: Instant::now(),
    }
}

fn server() -> Stage {
    stage(Provider::Server("s-1".to_owned()), Some(Dialect::Current))
}

fn url(owner: Option<Dialect>) -> Stage {
    stage(Provider::Url("acp:u-1".to_owned()), owner)
}

impl Stage {
    /// What becomes of a message of the MCP side, each as its direction and its text.
    fn mcp(&mut self, text: &str) -> Vec<String> {
        let outs = self.carrier.from_mcp(msg(text), self.now);
        self.shown(outs)
    }

    fn chain(&mut self, text: &str) -> Vec<String> {
        let outs = self.carrier.from_chain(msg(text), self.now);
        self.shown(outs)
    }

    fn later(&mut self, seconds: u64) -> Vec<String> {
        self.now += Duration::from_secs(seconds);
        let due = self.carrier.next_wake().is_some_and(|at| at <= self.now);
        assert!(due, "nothing is due");
        let outs = self.carrier.on_time(self.now);
        self.shown(outs)
    }

    fn shown(&self, outs: Vec<Out>) -> Vec<String> {
        let show = |out| {
            let (to, msg) = match out {
                Out::Chain(msg) => ("chain", msg),
                Out::Mcp { msg, .. } => ("mcp", msg),
            };
            let text = msg.text().replace(r#""jsonrpc":"2.0","#, "");
            format!("{to} {}", text.replace(&self.carrier.tag, "T"))
        };
        outs.into_iter().map(show).collect()
    }

    fn named(&self, text: &str) -> String {
        text.replace('T', &self.carrier.tag)
    }

    /// A D3 or older provider has taken the first request.
    fn connected(&mut self, answer: &str) {
        let outs = self.mcp(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#);
        assert_eq!(outs.len(), 1, "only the connect: {outs:?}");
        let outs = self.chain(answer);
        assert_eq!(outs.len(), 1, "only the request: {outs:?}");
    }
}

const UNKNOWN: &str = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;

// D5, D4

#[test]
fn a_request_is_scoped_and_its_answer_is_unpacked() {
    let mut stage = server();
    let sent =
        stage.mcp(r#"{"jsonrpc":"2.0","id":"a\u0062","method":"tools/call","params":{"n": 1.50}}"#);
    assert_eq!(
        sent,
        [
            r#"chain {"id":1,"method":"mcp/message","params":{"serverId":"s-1","requestId":"T-1","method":"tools/call","params":{"n": 1.50}}}"#
        ]
    );
    let answer = stage.chain(r#"{"jsonrpc":"2.0","id":1,"result":{"result":{"x" : 1E5}}}"#);
    assert_eq!(answer, [r#"mcp {"id":"a\u0062","result":{"x" : 1E5}}"#]);
}

#[test]
fn an_mcp_error_in_a_carrier_is_an_error_and_keeps_its_bytes() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#);
    let answer = stage.chain(
        r#"{"jsonrpc":"2.0","id":1,"result":{"error":{"code":-32602,"message":"bad","data":1.0}}}"#,
    );
    assert_eq!(
        answer,
        [r#"mcp {"id":7,"error":{"code":-32602,"message":"bad","data":1.0}}"#]
    );
}

#[test]
fn a_result_wins_over_an_error_and_may_be_null() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#);
    let answer = stage.chain(
        r#"{"jsonrpc":"2.0","id":1,"result":{"error":{"code":1,"message":"m"},"result":null}}"#,
    );
    assert_eq!(answer, [r#"mcp {"id":7,"result":null}"#]);
}

#[test]
fn a_carrier_with_neither_is_a_failure_of_the_backend() {
    for body in ["{}", "null", "[]", r#"{"error":5}"#] {
        let mut stage = server();
        stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#);
        let answer = stage.chain(&format!(r#"{{"jsonrpc":"2.0","id":1,"result":{body}}}"#));
        assert!(
            answer[0].starts_with(r#"mcp {"id":7,"error":{"code":-33002,"#),
            "{answer:?}"
        );
    }
}

#[test]
fn an_outer_error_is_passed_on_and_says_that_it_tells_nothing_of_the_server() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#);
    let answer =
        stage.chain(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-33001,"message":"removed"}}"#);
    assert_eq!(
        answer,
        [
            r#"mcp {"id":7,"error":{"code":-33001,"message":"removed","data":{"kind":"connect_failed"}}}"#
        ]
    );
    stage.mcp(r#"{"jsonrpc":"2.0","id":8,"method":"x"}"#);
    let answer = stage.chain(
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":-33001,"message":"removed","data":[1]}}"#,
    );
    assert_eq!(
        answer,
        [r#"mcp {"id":8,"error":{"code":-33001,"message":"removed","data":[1]}}"#]
    );
}

#[test]
fn notifications_pass_while_their_request_is_under_way() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#);
    let note = r#"{"jsonrpc":"2.0","method":"mcp/message","params":{"serverId":"s-1","requestId":"T-1","method":"notifications/progress","params":{"progress": 0.50}}}"#;
    let note = stage.named(note);
    let passed = [r#"mcp {"method":"notifications/progress","params":{"progress": 0.50}}"#];
    assert_eq!(stage.chain(&note), passed);
    stage.chain(r#"{"jsonrpc":"2.0","id":1,"result":{"result":{}}}"#);
    assert!(stage.chain(&note).is_empty(), "the request is over");
}

#[test]
fn a_notification_says_which_request_it_is_about() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen"}"#);
    let note = stage.named(
        r#"{"jsonrpc":"2.0","method":"mcp/message","params":{"serverId":"s-1","requestId":"T-1","method":"notifications/x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"T-1"}}}}"#,
    );
    let outs = stage.carrier.from_chain(msg(&note), stage.now);
    let [Out::Mcp { msg, about }] = &outs[..] else {
        panic!("{outs:?}")
    };
    assert_eq!(about.as_ref().unwrap().text(), "7");
    assert!(msg.text().contains(r#"subscriptionId":7"#), "{msg:?}");
}

#[test]
fn a_cancellation_takes_the_outer_request_back() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":"x","method":"tools/call"}"#);
    let cancel =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}"#;
    let sent = stage.mcp(cancel);
    assert_eq!(
        sent,
        [r#"chain {"method":"$/cancel_request","params":{"requestId":1}}"#]
    );
    assert!(stage.mcp(cancel).is_empty(), "it is forgotten");
    let late = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"Request cancelled"}}"#;
    assert!(stage.chain(late).is_empty());
}

#[test]
fn other_notifications_have_no_way_in_the_scoped_form() {
    let mut stage = server();
    assert!(
        stage
            .mcp(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .is_empty()
    );
}

#[test]
fn a_scoped_provider_cannot_ask() {
    let mut stage = server();
    let ask = r#"{"jsonrpc":"2.0","id":5,"method":"mcp/message","params":{"serverId":"s-1","requestId":"T-1","method":"roots/list"}}"#;
    assert!(stage.chain(ask)[0].starts_with(r#"chain {"id":5,"error":{"code":-32601"#));
}

#[test]
fn two_carriers_to_one_server_never_use_the_same_name_for_a_request() {
    let (one, other) = (server(), server());
    assert_ne!(
        one.carrier.request_name(Hop(1)),
        other.carrier.request_name(Hop(1))
    );
}

// D3

#[test]
fn who_does_not_know_the_scoped_form_is_asked_for_a_connection() {
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
fn who_knows_neither_form_is_quoted_with_what_it_said_first() {
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
fn discover_is_not_sent_to_a_server_of_the_time_before_it() {
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
fn what_was_found_out_is_known_to_the_next_carrier() {
    let memory = Memory::default();
    let provider = Provider::Server("s-1".to_owned());
    let mut first = server();
    first.carrier = Carrier::new(provider.clone(), None, memory.clone());
    first.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"initialize"}"#);
    first.chain(UNKNOWN);
    first.chain(r#"{"jsonrpc":"2.0","id":2,"result":{"connectionId":"c-1"}}"#);
    let mut next = server();
    next.carrier = Carrier::new(provider, None, memory);
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
fn a_first_request_that_is_refused_late_is_said_again_all_the_same() {
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

// D2, D1

#[test]
fn the_casing_of_underscore_connections_is_what_it_was() {
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
fn the_oldest_release_has_verbs_of_its_own() {
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
fn a_provider_may_ask_and_is_answered_under_its_own_id() {
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
fn a_question_that_is_taken_back_is_answered_at_once_and_cancelled() {
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
fn a_cancellation_inside_is_passed_on_only_where_it_is_certain_whom_it_means() {
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
fn strangers_are_not_heard() {
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
fn a_connection_that_the_provider_closes_is_over() {
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

// D0

#[test]
fn the_draft_encloses_whole_messages_both_ways() {
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
fn the_draft_hears_of_a_cancellation_in_its_own_words() {
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

// Limits, time, the end.

#[test]
fn too_many_requests_are_refused_and_the_others_go_on() {
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
fn what_waits_for_a_connection_is_bounded_in_bytes() {
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
fn a_connection_that_never_comes_ends_in_an_error_and_is_let_go_if_it_comes_late() {
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
fn a_first_word_that_nobody_answers_ends_in_an_error_but_a_call_may_take_its_time() {
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
fn the_end_answers_both_sides_and_says_goodbye() {
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
fn the_session_is_named_in_the_envelope_and_nowhere_else() {
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

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// JSON text with spellings that a reader of values would lose.
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
        fn nothing_that_a_chain_says_makes_a_carrier_panic(
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
}
