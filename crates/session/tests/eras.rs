//! Sessions with an era machine in them.

use std::time::Duration;

use linkspan_mcp::era::{LegacyToModern, ModernToLegacy, ModernToLegacyOptions};
use linkspan_session::{Config, EraLayer, Side};

use crate::table::Table;

fn modern(id: &str, method: &str, more: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{more}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}}}}}"#
    )
}

fn up(config: Config) -> Table {
    let mut t = Table::with(
        config,
        vec![Box::new(EraLayer::new(ModernToLegacy::new(
            ModernToLegacyOptions::new("h".into(), || "s".into()),
        )))],
    );
    t.front(&modern("1", "tools/call", r#""name":"t","#));
    let sent = t.sent(Side::Back);
    assert!(sent[0].contains(r#""id":1,"#), "{sent:?}");
    t.back(r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s"}}}"#);
    // The ping after `initialized`.
    t.back(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    t.sent(Side::Back);
    t
}

fn down(version: &str) -> Table {
    let mut t = Table::with(
        Config::default(),
        vec![Box::new(EraLayer::new(LegacyToModern::new()))],
    );
    t.front(&format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}}}}}}"#));
    t.sent(Side::Back);
    t.back(r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true}}}}"#);
    t.sent(Side::Front);
    t.front(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let sent = t.sent(Side::Back);
    assert!(sent[0].contains("subscriptions/listen"), "{sent:?}");
    t
}

#[test]
fn bad_lines_of_a_modern_client_are_answered() {
    let mut t = up(Config::default());
    t.front(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":3}"#);
    t.front("{oops");
    let sent = t.sent(Side::Front);
    assert_eq!(sent.len(), 2, "{sent:?}");
}

#[test]
fn bad_lines_and_batches_of_a_legacy_client_are_answered() {
    let mut t = down("2025-06-18");
    t.front(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":3}"#);
    t.front("{oops");
    t.front(r#"[{"jsonrpc":"2.0","id":8,"method":"ping"}]"#);
    let sent = t.sent(Side::Front);
    assert_eq!(sent.len(), 3, "{sent:?}");
}

#[test]
fn a_batch_is_answered_as_one_though_its_parts_are_translated() {
    let mut t = down("2025-03-26");
    t.front(r#"[{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","id":9,"method":"tools/list"}]"#);
    assert!(t.sent(Side::Front).is_empty());
    t.sent(Side::Back);
    t.back(r#"{"jsonrpc":"2.0","id":3,"result":{"tools":[],"resultType":"complete"}}"#);
    let sent = t.sent(Side::Front);
    assert_eq!(
        sent,
        [
            r#"[{"jsonrpc":"2.0","id":8,"result":{}},{"jsonrpc":"2.0","id":9,"result":{"tools":[]}}]"#
        ]
    );
}

#[test]
fn a_call_does_not_run_out_while_its_client_thinks() {
    let mut t = up(Config {
        timeout: Some(Duration::from_secs(60)),
        ..Config::default()
    });
    t.back(
        r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Who?"}}"#,
    );
    t.now += Duration::from_millis(30);
    t.core.on_time(t.now);
    let sent = t.sent(Side::Front);
    assert!(sent[0].contains("input_required"), "{sent:?}");
    t.now += Duration::from_secs(61);
    t.core.on_time(t.now);
    let (f, b) = (t.sent(Side::Front), t.sent(Side::Back));
    assert!(f.is_empty(), "the client is told nothing of hops: {f:?}");
    assert!(b.is_empty(), "the user may think for 5 minutes: {b:?}");
}

#[test]
fn a_subscription_of_our_own_does_not_keep_the_session_busy() {
    let t = down("2025-06-18");
    assert_eq!(t.core.in_flight(), 0);
}

#[test]
fn a_subscription_that_the_server_cancels_is_opened_again() {
    let mut t = down("2025-06-18");
    t.back(r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}"#);
    t.back(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#);
    for _ in 0..10 {
        t.now += Duration::from_secs(60);
        t.core.on_time(t.now);
    }
    let sent = t.sent(Side::Back);
    assert!(sent.iter().any(|s| s.contains("listen")), "{sent:?}");
}

#[test]
fn late_news_of_a_replaced_subscription_are_dropped() {
    let mut t = down("2025-06-18");
    t.back(r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}"#);
    t.front(r#"{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"a"}}"#);
    t.front(r#"{"jsonrpc":"2.0","id":6,"method":"resources/unsubscribe","params":{"uri":"a"}}"#);
    t.sent(Side::Back);
    t.sent(Side::Front);
    // The server had acknowledged hop 3 before it read our cancel
    t.back(r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a"]},"_meta":{"io.modelcontextprotocol/subscriptionId":3}}}"#);
    let sent = t.sent(Side::Front);
    assert!(sent.is_empty(), "{sent:?}");
}

#[test]
fn a_client_may_use_an_id_that_looks_like_ours() {
    let mut t = up(Config::default());
    t.front(&modern(r#""linkspan-era-2""#, "tools/list", ""));
    let f = t.sent(Side::Front);
    assert!(f.is_empty(), "{f:?}");
}

#[test]
fn pings_of_the_server_do_not_keep_a_hung_call_alive() {
    let mut t = up(Config {
        timeout: Some(Duration::from_secs(60)),
        ..Config::default()
    });
    for i in 0..100 {
        t.now += Duration::from_secs(30);
        t.core.on_time(t.now);
        t.back(&format!(
            r#"{{"jsonrpc":"2.0","id":"p{i}","method":"ping"}}"#
        ));
    }
    let f = t.sent(Side::Front);
    assert!(
        f.iter().any(|m| m.contains("timeout")),
        "50 minutes with --timeout 60: {f:?}"
    );
}

#[test]
fn an_unanswered_question_without_a_call_does_not_stop_the_clock() {
    let mut t = Table::with(
        Config {
            timeout: Some(Duration::from_secs(60)),
            ..Config::default()
        },
        vec![],
    );
    t.back(r#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#);
    t.front(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#);
    t.sent(Side::Front);
    for _ in 0..40 {
        t.now += Duration::from_secs(61);
        t.core.on_time(t.now);
    }
    let f = t.sent(Side::Front);
    assert!(
        f.iter().any(|m| m.contains("timeout")),
        "40 minutes with --timeout 60: {f:?}"
    );
}
