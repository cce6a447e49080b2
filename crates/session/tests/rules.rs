//! The rules of a session, told to the sans-IO core directly.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::time::{Duration, Instant};

use linkspan_session::{Config, Envelope, Fault, Inbound, Later, Layer, Side, Verdict, Way};
use linkspan_wire::{Frame, Hop, Limits, Message};

use crate::table::Table;

fn call(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call"}}"#)
}

fn result(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}

#[test]
fn a_call_crosses_under_a_hop_number_and_its_answer_comes_back_under_its_own_id() {
    let mut table = Table::new();
    table.front(&call(r#""α""#));
    assert_eq!(table.sent(Side::Back), [call("1")]);
    table.back(&result("1"));
    assert_eq!(table.sent(Side::Front), [result(r#""α""#)]);
}

#[test]
fn a_client_whose_input_has_ended_is_asked_nothing() {
    let mut table = Table::new();
    let question = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"roots/list"}}"#);
    table.back_for(&question("before"), Some(Hop(1)));
    assert_eq!(table.sent(Side::Front).len(), 1);
    table.core.front_is_silent(table.now);
    table.back_for(&question("after"), Some(Hop(1)));
    assert_eq!(table.sent(Side::Front), Vec::<String>::new());
    let refused = table.sent(Side::Back);
    assert_eq!(refused.len(), 2, "{refused:?}");
    for (answer, id) in refused.iter().zip(["before", "after"]) {
        assert!(
            answer.contains(&format!(r#""id":"{id}","error""#)),
            "{answer}"
        );
        assert!(answer.contains(r#""kind":"closing""#), "{answer}");
    }
}

#[test]
fn the_server_asks_and_the_client_answers() {
    let mut table = Table::new();
    table.back_for(
        r#"{"jsonrpc":"2.0","id":"s","method":"roots/list"}"#,
        Some(Hop(1)),
    );
    assert_eq!(
        table.sent(Side::Front),
        [r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#]
    );
    table.front(&result("1"));
    assert_eq!(table.sent(Side::Back), [result(r#""s""#)]);
}

#[test]
fn two_calls_with_the_same_id_do_not_mix() {
    let mut table = Table::new();
    table.front(&call("7")).front(&call("7"));
    assert_eq!(table.sent(Side::Back), [call("1")]);
    let refusal = table.sent(Side::Front);
    assert!(
        refusal[0].contains(r#""id":7,"error":{"code":-32600"#),
        "{refusal:?}"
    );
    table.back(&result("1"));
    assert_eq!(table.sent(Side::Front), [result("7")]);
}

#[test]
fn an_unexpected_answer_is_dropped() {
    let mut table = Table::new();
    table
        .back(&result("42"))
        .back(&result(r#""x""#))
        .front(&result("9"));
    assert!(table.sent(Side::Front).is_empty());
    assert!(table.sent(Side::Back).is_empty());
}

#[test]
fn a_cancellation_names_the_hop_and_keeps_its_other_bytes() {
    let mut table = Table::new();
    table.front(&call(r#""a""#));
    table.sent(Side::Back);
    table.front(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"x", "requestId": "a"}}"#);
    assert_eq!(
        table.sent(Side::Back),
        [
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"x", "requestId": 1}}"#
        ]
    );
    table.front(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"unknown"}}"#,
    );
    assert!(table.sent(Side::Back).is_empty());
}

#[test]
fn a_call_without_a_sign_of_life_is_cancelled_and_answered() {
    let config = Config {
        timeout: Some(Duration::from_secs(10)),
        ..Config::default()
    };
    let mut table = Table::with(config, Vec::new());
    table.front(&call("5"));
    table.sent(Side::Back);

    table.now += Duration::from_secs(9);
    table.back_for(
        r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#,
        Some(Hop(1)),
    );
    table.sent(Side::Front);
    table.now += Duration::from_secs(9);
    table.core.on_time(table.now);
    assert!(
        table.sent(Side::Front).is_empty(),
        "progress is a sign of life"
    );

    table.now += Duration::from_secs(1);
    table.core.on_time(table.now);
    assert!(table.sent(Side::Front)[0].contains(r#""id":5,"error""#));
    assert!(table.sent(Side::Back)[0].contains(r#""requestId":1"#));
}

#[test]
fn a_dead_server_answers_for_everything_it_owed() {
    let mut table = Table::new();
    table.front(&call("1")).front(&call("2"));
    let why = Fault::PeerClosed {
        peer: "server".into(),
        why: "exit status 3".into(),
    };
    table.core.on(Side::Back, Inbound::Closed(why), table.now);
    let sent = table.sent(Side::Front);
    assert_eq!(sent.len(), 2);
    assert!(sent[1].contains("exit status 3") && sent[1].contains("peer_closed"));
    assert_eq!(table.core.in_flight(), 0);
}

#[test]
fn a_failed_call_is_answered_once_and_others_go_on() {
    let mut table = Table::new();
    table.front(&call("1")).front(&call("2"));
    let failed = |hop| Inbound::Failed {
        hop,
        why: Fault::Closing,
    };
    table.core.on(Side::Back, failed(Hop(1)), table.now);
    table.core.on(Side::Back, failed(Hop(1)), table.now);
    assert_eq!(table.sent(Side::Front).len(), 1);
    table.back(&result("2"));
    assert_eq!(table.sent(Side::Front), [result("2")]);
}

#[test]
fn bad_lines_are_answered_and_do_not_stop_the_stream() {
    let mut table = Table::new();
    table
        .front("nonsense")
        .front(r#"{"id":3}"#)
        .front(&call("1"));
    let sent = table.sent(Side::Front);
    assert!(sent[0].contains(r#""id":null,"error":{"code":-32700"#));
    assert!(sent[1].contains(r#""id":3,"error":{"code":-32600"#));
    assert_eq!(table.sent(Side::Back).len(), 1);
}

#[test]
fn a_batch_is_refused_where_the_revision_has_none() {
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let mut table = Table::new();
        table.initialized_as(version);
        table.front(&format!("[{}]", call("1")));
        assert!(table.sent(Side::Back).is_empty());
        assert!(table.sent(Side::Front)[0].contains("-32600"));
    }
}

#[test]
fn a_batch_is_split_and_its_answers_are_joined() {
    let mut table = Table::new();
    table.initialized_as("2025-03-26");
    let note = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
    table.front(&format!("[{},{note},{},7]", call("1"), call(r#""b""#)));
    assert_eq!(
        table.sent(Side::Back),
        [call("2"), note.to_owned(), call("3")]
    );
    table.back(&result("3"));
    assert!(table.sent(Side::Front).is_empty());
    table.back(&result("2"));
    let sent = table.sent(Side::Front);
    assert_eq!(sent.len(), 1);
    assert!(sent[0].starts_with('[') && sent[0].contains(r#""error":{"code":-32600"#));
    assert!(sent[0].ends_with(&format!("{},{}]", result(r#""b""#), result("1"))));
}

#[test]
fn a_batch_need_not_wait_for_the_answer_to_initialize() {
    for (version, is_taken) in [("2025-03-26", true), ("2025-06-18", false)] {
        let mut table = Table::new();
        table.front(&format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}"}}}}"#
        ));
        table.sent(Side::Back);
        table.front(&format!("[{},{}]", call("1"), call("2")));
        assert_eq!(table.sent(Side::Back).len(), if is_taken { 2 } else { 0 });
        let refused = table.sent(Side::Front);
        assert_eq!(refused.is_empty(), is_taken, "{refused:?}");
    }
}

#[test]
fn a_peer_that_does_not_read_stops_the_reading_of_its_counterpart() {
    let config = Config {
        high_water: 100,
        hard_cap: 300,
        ..Config::default()
    };
    let mut table = Table::with(config, Vec::new());
    assert!(table.core.may_read(Side::Back));
    table.back(&format!(
        r#"{{"jsonrpc":"2.0","method":"{}"}}"#,
        "x".repeat(100)
    ));
    assert!(!table.core.may_read(Side::Back));
    assert!(table.core.may_read(Side::Front));

    // Both queues are over the mark: reading continues, so that two peers that wait for each other can go on.
    let padding = format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "y".repeat(150));
    table.front(&padding);
    assert!(table.core.may_read(Side::Back) && table.core.may_read(Side::Front));

    // Over the hard cap: new requests are refused, and a peer that takes nothing is not read.
    table.front(&padding);
    table.front(&call("1"));
    assert!(!table.core.may_read(Side::Back));
    let sent = table.sent(Side::Front);
    assert!(sent[1].contains("overloaded"), "{sent:?}");
}

#[test]
fn a_client_that_does_not_read_cannot_fill_the_memory_with_notifications() {
    let config = Config {
        high_water: 100,
        hard_cap: 300,
        ..Config::default()
    };
    let mut table = Table::with(config, Vec::new());
    let padding = format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "y".repeat(150));
    // The client does not read what the server sends, and the server does not read either.
    table.back(&padding);
    let read = (0..100).take_while(|_| {
        let may_read = table.core.may_read(Side::Front);
        table.front(&padding);
        may_read
    });
    assert!(read.count() < 10);
}

#[test]
fn an_answer_that_is_no_message_still_ends_its_call() {
    let mut table = Table::new();
    table.front(&call("7"));
    let text = r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#;
    let Frame::Other { why, .. } = Frame::parse(text.into(), &Limits::default()) else {
        panic!()
    };
    table.core.on(Side::Back, Inbound::Bad(why), table.now);
    assert!(table.sent(Side::Front)[0].contains("bad_answer"));
}

#[test]
fn an_id_of_an_open_batch_cannot_be_used_again() {
    let mut table = Table::new();
    table.initialized_as("2025-03-26");
    table.front(&format!("[{},{}]", call("5"), call("6")));
    table.front(&format!("[{}]", call("5"))).front(&call("5"));
    let refused = table.sent(Side::Front);
    assert!(refused[0].starts_with('[') && refused[0].contains("-32600"));
    assert!(refused[1].starts_with('{') && refused[1].contains("-32600"));
    table.back(&result("2")).back(&result("3"));
    assert_eq!(
        table.sent(Side::Front),
        [format!("[{},{}]", result("5"), result("6"))]
    );
}

#[test]
fn a_subscription_may_be_silent_and_a_limit_may_be_absurd() {
    let config = Config {
        timeout: Some(Duration::from_secs(1)),
        ..Config::default()
    };
    let mut table = Table::with(config, Vec::new());
    table.front(r#"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}"#);
    table.back_for(
        r#"{"jsonrpc":"2.0","method":"notifications/x"}"#,
        Some(Hop(1)),
    );
    table.sent(Side::Front);
    table.core.on_time(table.now + Duration::from_secs(1000));
    assert!(table.sent(Side::Front).is_empty());

    let config = Config {
        timeout: Some(Duration::MAX),
        ..Config::default()
    };
    Table::with(config, Vec::new()).front(&call("1"));
}

#[test]
fn too_many_requests_in_flight_are_refused() {
    let config = Config {
        max_in_flight: 2,
        ..Config::default()
    };
    let mut table = Table::with(config, Vec::new());
    table.front(&call("1")).front(&call("2")).front(&call("3"));
    assert_eq!(table.sent(Side::Back).len(), 2);
    assert!(table.sent(Side::Front)[0].contains(r#""id":3,"error""#));
}

/// Sends every result on a detour, answers `local` and `soon` itself and swallows `secret`.
struct Slow;

impl Layer for Slow {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        match (way, &*envelope.msg.method()) {
            (Way::ToBack, "local") => {
                let id = envelope.msg.id().unwrap();
                Verdict::Back(Envelope::new(Message::result(&id, r#""here""#)))
            }
            (Way::ToBack, "soon") => {
                let id = envelope.msg.id().unwrap();
                let answer = Envelope::new(Message::result(&id, r#""soon""#));
                Verdict::BackLater(Box::pin(async move { answer }))
            }
            (_, "secret") => Verdict::Drop,
            (Way::ToFront, "") => {
                let later: Later = Box::pin(async move { envelope });
                Verdict::Detour(later)
            }
            _ => Verdict::Pass(envelope),
        }
    }
}

#[test]
fn a_slow_layer_holds_its_own_lane_only() {
    let mut table = Table::with(Config::default(), vec![Box::new(Slow)]);
    table.front(&call("1")).front(&call("2"));
    table.back(&result("1"));
    let detour = table.core.take_detours().remove(0);
    let note = |n: u32| format!(r#"{{"jsonrpc":"2.0","method":"note{n}"}}"#);
    table
        .back_for(&note(1), Some(Hop(1)))
        .back_for(&note(2), Some(Hop(2)))
        .back(&note(3));
    assert_eq!(table.sent(Side::Front), [note(2), note(3)]);

    let envelope = futures_util::FutureExt::now_or_never(detour.later).unwrap();
    table.core.resume(detour.at, envelope, table.now);
    assert_eq!(table.sent(Side::Front), [result("1"), note(1)]);
}

#[test]
fn a_layer_can_take_its_time_to_answer_and_blocks_no_other() {
    let mut table = Table::with(Config::default(), vec![Box::new(Slow)]);
    table.front(r#"{"jsonrpc":"2.0","id":1,"method":"soon"}"#);
    table.front(&call("2"));
    assert_eq!(table.sent(Side::Back).len(), 1);
    let detour = table.core.take_detours().remove(0);
    let envelope = futures_util::FutureExt::now_or_never(detour.later).unwrap();
    table.core.resume(detour.at, envelope, table.now);
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":"soon"}"#;
    assert_eq!(table.sent(Side::Front), [answer]);
}

#[test]
fn a_layer_can_answer_for_the_server_and_swallow_messages() {
    let mut table = Table::with(Config::default(), vec![Box::new(Slow)]);
    table.front(r#"{"jsonrpc":"2.0","id":1,"method":"local"}"#);
    table.front(r#"{"jsonrpc":"2.0","method":"secret"}"#);
    assert!(table.sent(Side::Back).is_empty());
    assert_eq!(
        table.sent(Side::Front),
        [r#"{"jsonrpc":"2.0","id":1,"result":"here"}"#]
    );
}
