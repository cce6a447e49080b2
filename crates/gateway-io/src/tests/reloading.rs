//! Another configuration: what did not change goes on.

use std::time::Duration;

use tokio::time::Instant;

use crate::testing::{Peer, Stage, answer_of, at, call, config, config_of, server, settle};

#[tokio::test(start_paused = true)]
async fn a_server_that_did_not_change_keeps_its_connection_and_its_calls() {
    let (kept, gone, new) = (
        Peer::modern("kept", &["t"]),
        Peer::legacy("gone", &["t"]),
        Peer::modern("new", &["t"]),
    );
    let entries = [server("kept", ""), server("gone", "")];
    let stage = Stage::new(&config_of("", &entries), &[&kept, &gone, &new]);
    let client = stage.client("");
    assert_eq!(client.tools().await, ["kept__t", "gone__t"]);
    kept.hold("go");
    let begun = client
        .begin("tools/call", &call("kept__gate", r#"{"name":"go"}"#))
        .await
        .unwrap();
    kept.hears("tools/call", 1).await;
    stage.apply(&config("", &[&new, &kept]));
    gone.ended(1).await;
    assert_eq!(client.tools().await, ["new__t", "kept__t"]);
    let refused = client.call("gone__t", "{}").await;
    assert_eq!(at(&refused, &["code"]), "-32602");
    kept.open("go");
    let done = answer_of(begun).await;
    assert_eq!(at(&done, &["structuredContent", "connection"]), "1");
    assert_eq!((kept.opened(), gone.opened()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_call_at_a_server_that_changed_ends_at_the_old_one_and_new_calls_use_the_new_one() {
    let peer = Peer::modern("s", &["t"]);
    let stage = Stage::of("", &[&peer]);
    let client = stage.client("");
    peer.hold("go");
    let begun = client
        .begin("tools/call", &call("s__gate", r#"{"name":"go"}"#))
        .await
        .unwrap();
    peer.hears("tools/call", 1).await;
    stage.apply(&config_of("", &[server("s", r#""concurrency":3"#)]));
    let called = client.call("s__t", "{}").await;
    assert_eq!(at(&called, &["structuredContent", "connection"]), "2");
    tokio::time::sleep(Duration::from_secs(30)).await;
    peer.open("go");
    let done = answer_of(begun).await;
    assert_eq!(at(&done, &["structuredContent", "connection"]), "1");
    peer.ended(1).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_end_is_answered_when_its_server_is_closed() {
    let peer = Peer::modern("s", &["t"]);
    let stage = Stage::of("", &[&peer]);
    let client = stage.client("");
    peer.hold("never");
    let begun = client
        .begin("tools/call", &call("s__gate", r#"{"name":"never"}"#))
        .await
        .unwrap();
    stage.apply(&config_of("", &[]));
    let failed = answer_of(begun).await;
    assert!(failed.text().contains(r#""error""#), "{}", failed.text());
    peer.ended(1).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_comes_back_is_opened_again() {
    let peer = Peer::modern("s", &["t"]);
    let stage = Stage::of("", &[&peer]);
    let client = stage.client("");
    client.tools().await;
    stage.apply(&config_of("", &[]));
    assert_eq!(client.tools().await, [""; 0]);
    stage.apply(&config("", &[&peer]));
    assert_eq!(client.tools().await, ["s__t"]);
    peer.ended(1).await;
    assert_eq!(peer.opened(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_formatted_file_changes_nothing() {
    let peer = Peer::modern("s", &["t"]);
    let stage = Stage::of("", &[&peer]);
    let client = stage.client("");
    let mut first = client.ask("tools/list", "").await;
    for spaced in ["\n\n{", "{ // comment\n"] {
        let text = config("", &[&peer]).replacen('{', spaced, 1);
        stage.apply(&text);
        let again = client.ask("tools/list", "").await;
        assert_eq!(again.text(), first.text());
        first = again;
    }
    assert_eq!(peer.opened(), 1);
}

#[tokio::test(start_paused = true)]
async fn many_reloads_leave_nothing_behind() {
    let (peer, kept) = (Peer::modern("s", &["t"]), Peer::modern("kept", &["t"]));
    let stage = Stage::of("", &[&peer, &kept]);
    let client = stage.client("");
    let mut listening = client.listen(r#"{"toolsListChanged":true}"#).await;
    for n in 1..100 {
        client.tools().await;
        let entry = server("s", &format!(r#""concurrency":{n}"#));
        stage.apply(&config_of("", &[entry, server("kept", "")]));
        settle().await;
        listening.so_far().await;
    }
    peer.ended(98).await;
    assert_eq!(kept.opened(), 1);
    assert_eq!(kept.subscriptions(), 1, "one watch of its lists");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_gateway_ends_every_server() {
    let (a, b) = (Peer::modern("a", &["t"]), Peer::legacy("b", &["t"]));
    let stage = Stage::of("", &[&a, &b]);
    stage.client("ada").tools().await;
    stage.client("bob").tools().await;
    let began = Instant::now();
    stage.gateway.backend().close().await;
    assert!(began.elapsed() < Duration::from_secs(1));
    a.ended(2).await;
    b.ended(2).await;
    assert_eq!(stage.client("").tools().await, [""; 0]);
}
