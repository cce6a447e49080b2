//! Servers that fail or are busy: what is counted, and what waits.

use std::time::Duration;

use linkspan_wire::Message;
use tokio::time::Instant;

use crate::testing::{Peer, Stage, answer_of, at, call, config_of, server, settle};

/// The reason that the bridge gives for an error.
fn kind(answer: &Message) -> String {
    at(answer, &["data", "kind"])
}

#[tokio::test(start_paused = true)]
async fn calls_pause_after_failures_of_the_transport_and_one_of_them_tries_again() {
    let (dead, alive) = (Peer::modern("dead", &["t"]), Peer::modern("alive", &["t"]));
    dead.set_broken(true);
    let client = Stage::of("", &[&dead, &alive]).client("");
    let mut failures = 0;
    while kind(&client.call("dead__t", "{}").await) != r#""paused""# {
        failures += 1;
        assert!(failures <= 5, "a fifth failure opens the breaker");
    }
    let opened = dead.opened();
    let began = Instant::now();
    for _ in 0..90 {
        assert_eq!(
            kind(&client.call("dead__t", "{}").await),
            r#""paused""#,
            "a model that repeats the call does not reach the server"
        );
    }
    assert_eq!((dead.opened(), began.elapsed()), (opened, Duration::ZERO));
    assert_eq!(kind(&client.call("alive__t", "{}").await), "");
    dead.set_broken(false);
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(kind(&client.call("dead__t", "{}").await), "");
    assert_eq!(kind(&client.call("dead__t", "{}").await), "");
}

#[tokio::test(start_paused = true)]
async fn errors_of_tools_and_of_the_server_never_pause_calls() {
    let peer = Peer::modern("s", &["t"]);
    let client = Stage::of("", &[&peer]).client("");
    for _ in 0..50 {
        client.call("s__fail", "{}").await;
        client.call("s__refuse", "{}").await;
    }
    assert_eq!(peer.called().len(), 100);
    let called = client.call("s__t", "{}").await;
    assert_eq!(at(&called, &["structuredContent", "tool"]), r#""t""#);
}

#[tokio::test(start_paused = true)]
async fn cancelled_calls_never_pause_calls() {
    let peer = Peer::modern("s", &["gate"]);
    peer.hold("never");
    let client = Stage::of("", &[&peer]).client("");
    for n in 1..50 {
        let params = call("s__gate", r#"{"name":"never"}"#);
        let begun = client.begin("tools/call", &params).await.unwrap();
        peer.hears("tools/call", n).await;
        drop(begun);
        peer.hears("notifications/cancelled", n).await;
    }
    let called = client.call("s__t", "{}").await;
    assert_eq!(at(&called, &["structuredContent", "tool"]), r#""t""#);
}

#[tokio::test(start_paused = true)]
async fn calls_that_run_out_of_time_pause_calls() {
    let peer = Peer::modern("s", &["gate"]);
    peer.hold("never");
    let entry = server("s", r#""timeout":2"#);
    let client = Stage::new(&config_of("", &[entry]), &[&peer]).client("");
    for _ in 0..5 {
        let failed = client.call("s__gate", r#"{"name":"never"}"#).await;
        assert_eq!(kind(&failed), r#""timeout""#);
    }
    let paused = client.call("s__gate", r#"{"name":"never"}"#).await;
    assert_eq!(kind(&paused), r#""paused""#);
    assert!(
        paused.text().contains("retryAfterSeconds"),
        "{}",
        paused.text()
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_gets_as_many_calls_at_once_as_it_is_configured_for() {
    let (peer, other) = (Peer::modern("s", &["gate"]), Peer::modern("o", &["t"]));
    peer.hold("go");
    let entries = [server("s", r#""concurrency":2"#), server("o", "")];
    let stage = Stage::new(&config_of("", &entries), &[&peer, &other]);
    let begin = |n: usize| {
        let client = stage.client(&format!("client {n}"));
        tokio::spawn(async move { client.call("s__gate", r#"{"name":"go"}"#).await })
    };
    let begun: Vec<_> = (0..5).map(begin).collect();
    settle().await;
    assert_eq!(peer.called().len(), 2);
    let client = stage.client("");
    assert_eq!(client.tools().await.len(), 2, "lists need no slot");
    client.call("o__t", "{}").await;
    begun[0].abort();
    peer.hears("tools/call", 3).await;
    assert_eq!(
        peer.called().len(),
        3,
        "a cancelled call gives its slot back"
    );
    peer.open("go");
    for call in begun.into_iter().skip(1) {
        assert_eq!(kind(&call.await.unwrap()), "");
    }
    assert_eq!(peer.called().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_a_slot_for_a_limited_time_and_in_a_limited_queue() {
    let peer = Peer::modern("s", &["gate"]);
    peer.hold("go");
    let entry = server("s", r#""concurrency":1,"timeout":3000"#);
    let stage = Stage::new(&config_of("", &[entry]), &[&peer]);
    let client = stage.client("");
    let first = client
        .begin("tools/call", &call("s__gate", r#"{"name":"go"}"#))
        .await
        .unwrap();
    peer.hears("tools/call", 1).await;
    let waiting: Vec<_> = (0..300)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.call("s__gate", r#"{"name":"go"}"#).await })
        })
        .collect();
    let began = Instant::now();
    let mut at_once = 0;
    for call in waiting {
        assert_eq!(kind(&call.await.unwrap()), r#""overloaded""#);
        at_once += usize::from(began.elapsed() < Duration::from_secs(1));
    }
    assert_eq!(began.elapsed(), Duration::from_secs(60));
    assert_eq!(at_once, 0, "the first ones wait longest");
    peer.open("go");
    assert_eq!(kind(&answer_of(first).await), "");
    assert_eq!(kind(&client.call("s__gate", "{}").await), "");
    assert_eq!(peer.called().len(), 2);
}
