//! What servers tell about their lists and resources.

use std::time::Duration;

use linkspan_wire::Message;
use tokio::time::Instant;

use crate::testing::{Peer, Stage, at, config, config_of, server, settle};

const TOOLS: &str = r#"{"toolsListChanged":true}"#;

fn resources(uris: &str) -> String {
    format!(r#"{{"resourceSubscriptions":[{uris}]}}"#)
}

fn uri(update: &Message) -> String {
    assert_eq!(update.method(), "notifications/resources/updated");
    at(update, &["uri"])
}

#[tokio::test(start_paused = true)]
async fn updates_have_the_uri_that_the_client_knows() {
    for era in ["modern", "legacy"] {
        let peer = |name| match era {
            "modern" => Peer::modern(name, &[]),
            _ => Peer::legacy(name, &[]),
        };
        let (a, b) = (peer("a"), peer("b"));
        a.set_resources(&["x://both", "x://a"]);
        b.set_resources(&["x://both"]);
        let client = Stage::of("", &[&a, &b]).client("");
        assert_eq!(
            client.resources().await,
            ["a+x://both", "x://a", "b+x://both"]
        );
        let wanted = r#""x://a","b+x://both""#;
        let mut listening = client.listen(&resources(wanted)).await;
        a.updated("x://both");
        b.updated("x://both");
        assert_eq!(uri(&listening.next().await), r#""b+x://both""#, "{era}");
        a.updated("x://a");
        assert_eq!(uri(&listening.next().await), r#""x://a""#, "{era}");
        assert_eq!(listening.so_far().await, [""; 0], "{era}");
    }
}

#[tokio::test(start_paused = true)]
async fn two_subscriptions_get_their_own_updates_only() {
    let peer = Peer::modern("s", &[]);
    peer.set_resources(&["x://1", "x://2"]);
    let stage = Stage::of("", &[&peer]);
    let mut first = stage.client("ada").listen(&resources(r#""x://1""#)).await;
    let mut second = stage.client("bob").listen(&resources(r#""x://2""#)).await;
    peer.updated("x://1");
    peer.updated("x://2");
    assert_eq!(uri(&first.next().await), r#""x://1""#);
    assert_eq!(uri(&second.next().await), r#""x://2""#);
    assert_eq!(first.so_far().await, [""; 0]);
    assert_eq!(second.so_far().await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_hangs_up_is_unsubscribed() {
    for peer in [Peer::modern("s", &[]), Peer::legacy("s", &[])] {
        peer.set_resources(&["x://1"]);
        let client = Stage::of("", &[&peer]).client("");
        client.resources().await;
        settle().await;
        let before = peer.subscriptions();
        let listening = client.listen(&resources(r#""x://1""#)).await;
        assert_eq!(peer.subscriptions(), before + 1);
        drop(listening);
        settle().await;
        assert_eq!(peer.subscriptions(), before);
    }
}

#[tokio::test(start_paused = true)]
async fn the_acknowledgement_names_what_is_subscribed() {
    let (a, b) = (Peer::modern("a", &[]), Peer::modern("b", &[]));
    a.set_resources(&["x://1"]);
    let client = Stage::of("", &[&a, &b]).client("");
    let filter = r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["x://1","y://unknown"]}"#;
    let mut begun = client.begin("subscriptions/listen", filter).await.unwrap();
    let acknowledged = begun.recv().await.unwrap().msg;
    assert_eq!(
        at(&acknowledged, &["notifications"]),
        r#"{"toolsListChanged":true,"resourceSubscriptions":["x://1"]}"#
    );
    assert_eq!(
        at(
            &acknowledged,
            &["_meta", "io.modelcontextprotocol/subscriptionId"]
        ),
        "1"
    );
}

#[tokio::test(start_paused = true)]
async fn a_subscription_to_a_hung_server_does_not_hold_up_the_others() {
    let (hung, alive) = (Peer::modern("hung", &[]), Peer::modern("alive", &[]));
    alive.set_resources(&["x://1"]);
    hung.hold("*");
    let client = Stage::of("", &[&hung, &alive]).client("");
    client.resources().await;
    let mut listening = client.listen(&resources(r#""hung+y://1","x://1""#)).await;
    alive.updated("x://1");
    assert_eq!(uri(&listening.next().await), r#""x://1""#);
}

#[tokio::test(start_paused = true)]
async fn updates_go_on_when_the_server_has_started_again() {
    for peer in [Peer::modern("s", &[]), Peer::legacy("s", &[])] {
        let other = Peer::modern("o", &[]);
        peer.set_resources(&["x://1"]);
        let client = Stage::of("", &[&peer, &other]).client("");
        let mut listening = client.listen(&resources(r#""x://1""#)).await;
        peer.end_connections();
        peer.ended(1).await;
        // It may have changed meanwhile.
        assert_eq!(uri(&listening.next().await), r#""x://1""#);
        assert!(peer.opened() > 1);
        listening.so_far().await;
        peer.updated("x://1");
        assert_eq!(uri(&listening.next().await), r#""x://1""#);
    }
}

#[tokio::test(start_paused = true)]
async fn updates_go_on_when_the_server_is_opened_anew_after_a_reload() {
    let (peer, other) = (Peer::modern("s", &[]), Peer::modern("o", &[]));
    peer.set_resources(&["x://1"]);
    let stage = Stage::of("", &[&peer, &other]);
    let client = stage.client("");
    let mut listening = client.listen(&resources(r#""x://1""#)).await;
    let entries = [server("s", r#""concurrency":9"#), server("o", "")];
    stage.apply(&config_of("", &entries));
    tokio::time::sleep(Duration::from_secs(100)).await;
    peer.ended(1).await;
    listening.so_far().await;
    peer.updated("x://1");
    assert_eq!(uri(&listening.next().await), r#""x://1""#);
    assert_eq!(listening.so_far().await, [""; 0], "it is told once");
}

#[tokio::test(start_paused = true)]
async fn lists_of_one_client_that_change_are_not_told_to_another() {
    let peer = Peer::modern("s", &["t"]);
    let stage = Stage::of("", &[&peer]);
    let (ada, bob) = (stage.client("ada"), stage.client("bob"));
    let mut of_ada = ada.listen(TOOLS).await;
    let mut of_bob = bob.listen(TOOLS).await;
    // Only the server of ada runs.
    ada.tools().await;
    settle().await;
    peer.set_tools(&["t", "u"]);
    assert_eq!(
        of_ada.next().await.method(),
        "notifications/tools/list_changed"
    );
    assert_eq!(of_bob.so_far().await, [""; 0]);
    assert_eq!(ada.tools().await, ["s__t", "s__u"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_was_added_to_a_view_tells_its_subscribers() {
    let (a, b) = (Peer::modern("a", &["t"]), Peer::modern("b", &["t"]));
    let with = |servers: &str| {
        let view = format!(r#""views":{{"v":{{"servers":[{servers}]}}}}"#);
        config(&view, &[&a, &b])
    };
    let stage = Stage::new(&with(r#""a""#), &[&a, &b]);
    let client = stage.client("").in_view("v");
    let mut listening = client.listen(TOOLS).await;
    assert_eq!(client.tools().await, ["a__t"]);
    stage.apply(&with(r#""a","b""#));
    assert_eq!(
        listening.next().await.method(),
        "notifications/tools/list_changed"
    );
    assert_eq!(client.tools().await, ["a__t", "b__t"]);
    settle().await;
    listening.so_far().await;
    b.set_tools(&["t", "u"]);
    assert_eq!(
        listening.next().await.method(),
        "notifications/tools/list_changed"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_floods_its_subscriptions_does_not_stop_the_others() {
    let (flood, calm) = (Peer::modern("flood", &["t"]), Peer::modern("calm", &["t"]));
    flood.set_resources(&["x://1"]);
    let client = Stage::of("", &[&flood, &calm]).client("");
    let listening = client.listen(&resources(r#""x://1""#)).await;
    client.tools().await;
    for _ in 0..10_000 {
        flood.updated("x://1");
        flood.set_tools(&["t"]);
        tokio::task::yield_now().await;
    }
    assert_eq!(client.tools().await, ["flood__t", "calm__t"]);
    client.call("calm__t", "{}").await;
    client.call("flood__t", "{}").await;
    drop(listening);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_a_subscription_delays_nothing() {
    let (refusing, alive) = (Peer::modern("refusing", &[]), Peer::modern("alive", &[]));
    refusing.refuse("subscriptions/listen");
    refusing.set_resources(&["y://1"]);
    alive.set_resources(&["x://1"]);
    let client = Stage::of("", &[&refusing, &alive]).client("");
    client.resources().await;
    let began = Instant::now();
    let mut listening = client.listen(&resources(r#""y://1","x://1""#)).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    alive.updated("x://1");
    assert_eq!(uri(&listening.next().await), r#""x://1""#);
    let asked = refusing.heard("subscriptions/listen").len();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(refusing.heard("subscriptions/listen").len(), asked);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_takes_no_slot_of_a_server() {
    let peer = Peer::modern("s", &["t"]);
    peer.set_resources(&["x://1"]);
    let entry = server("s", r#""concurrency":1"#);
    let client = Stage::new(&config_of("", &[entry]), &[&peer]).client("");
    let _listening = client.listen(&resources(r#""x://1""#)).await;
    let began = Instant::now();
    client.call("s__t", "{}").await;
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_to_many_unknown_resources_is_acknowledged_in_time() {
    let (hung, alive) = (Peer::modern("hung", &[]), Peer::modern("alive", &[]));
    hung.hold("*");
    let client = Stage::of("", &[&hung, &alive]).client("");
    let unknown: Vec<String> = (0..500).map(|n| format!(r#""y://{n}""#)).collect();
    let began = Instant::now();
    client.listen(&resources(&unknown.join(","))).await;
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn lists_that_differ_after_a_restart_are_told() {
    let peer = Peer::modern("s", &["t"]);
    let other = Peer::modern("o", &["t"]);
    let client = Stage::of("", &[&peer, &other]).client("");
    let mut listening = client.listen(TOOLS).await;
    assert_eq!(client.tools().await, ["s__t", "o__t"]);
    settle().await;
    peer.end_connections();
    peer.ended(1).await;
    peer.set_tools(&["t", "u"]);
    listening.so_far().await;
    client.call("s__t", "{}").await;
    assert_eq!(
        listening.next().await.method(),
        "notifications/tools/list_changed"
    );
    assert_eq!(client.tools().await, ["s__t", "s__u", "o__t"]);
}

#[tokio::test(start_paused = true)]
async fn many_servers_that_start_at_once_are_told_in_few_notifications() {
    let peers: Vec<Peer> = (0..20)
        .map(|n| Peer::modern(&format!("s{n}"), &["t"]))
        .collect();
    peers.iter().for_each(|peer| peer.hold("*"));
    let all: Vec<&Peer> = peers.iter().collect();
    let client = Stage::of("", &all).client("");
    let mut listening = client.listen(TOOLS).await;
    client.tools().await;
    peers.iter().for_each(|peer| peer.open("*"));
    assert_eq!(
        listening.so_far().await,
        ["notifications/tools/list_changed"]
    );
    assert_eq!(client.tools().await.len(), 20);
}
