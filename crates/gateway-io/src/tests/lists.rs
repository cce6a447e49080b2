//! Lists of several servers, some of which are slow, fail or change.

use std::time::Duration;

use tokio::time::Instant;

use crate::testing::{Peer, Stage, at, saved, server, settle, texts};

const WAIT: Duration = Duration::from_millis(1500);
const ALL: &str = r#"{"toolsListChanged":true}"#;

#[tokio::test(start_paused = true)]
async fn a_list_has_the_tools_of_all_servers_in_the_order_of_the_file() {
    let (b, a) = (Peer::modern("b", &["z", "y"]), Peer::legacy("a", &["x"]));
    let client = Stage::of("", &[&b, &a]).client("");
    assert_eq!(client.tools().await, ["b__z", "b__y", "a__x"]);
    let called = client.call("a__x", r#"{"n":1.0}"#).await;
    assert_eq!(at(&called, &["structuredContent", "tool"]), r#""x""#);
    assert_eq!(
        at(&called, &["structuredContent", "arguments"]),
        r#"{"n":1.0}"#
    );
}

#[tokio::test(start_paused = true)]
async fn a_list_is_answered_in_time_without_the_server_that_is_slow_and_its_tools_are_told_later() {
    for slow_method in ["*", "tools/list"] {
        let (quick, slow) = (Peer::modern("quick", &["t"]), Peer::modern("slow", &["t"]));
        slow.hold(slow_method);
        let client = Stage::of("", &[&quick, &slow]).client("");
        let mut listening = client.listen(ALL).await;
        let began = Instant::now();
        let first = client.ask("tools/list", "").await;
        assert_eq!(began.elapsed(), WAIT, "{slow_method}");
        assert_eq!(texts(&first, "tools", "name"), ["quick__t"]);
        assert_eq!(at(&first, &["_meta", "linkspan/missing"]), r#"["slow"]"#);
        assert_eq!(at(&first, &["ttlMs"]), "0");
        assert_eq!(listening.so_far().await, [""; 0], "{slow_method}");
        slow.open(slow_method);
        let told = listening.next().await;
        assert_eq!(told.method(), "notifications/tools/list_changed");
        assert_eq!(client.tools().await, ["quick__t", "slow__t"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_hangs_delays_lists_in_its_first_seconds_only() {
    let (quick, hung) = (Peer::modern("quick", &["t"]), Peer::modern("hung", &["t"]));
    hung.hold("*");
    let client = Stage::of("", &[&quick, &hung]).client("");
    let mut waited = Duration::ZERO;
    for _ in 0..1000 {
        let began = Instant::now();
        assert_eq!(client.tools().await, ["quick__t"]);
        client.ask("prompts/list", "").await;
        client.ask("server/discover", "").await;
        waited += began.elapsed();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert!(waited <= Duration::from_secs(20), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_quick_server_does_not_wait_for_a_slow_one() {
    let (quick, slow) = (Peer::modern("quick", &["t"]), Peer::modern("slow", &["t"]));
    slow.hold("*");
    let client = Stage::of("", &[&quick, &slow]).client("");
    let waiting = client.begin("tools/call", r#""name":"slow__t""#).await;
    let began = Instant::now();
    client.call("quick__t", "{}").await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    drop(waiting);
}

#[tokio::test(start_paused = true)]
async fn a_dead_server_costs_its_own_tools_only_and_keeps_its_last_list() {
    let (alive, dying) = (Peer::modern("alive", &["t"]), Peer::modern("dying", &["t"]));
    let client = Stage::of("", &[&alive, &dying]).client("");
    assert_eq!(client.tools().await, ["alive__t", "dying__t"]);
    dying.set_broken(true);
    dying.end_connections();
    dying.ended(1).await;
    assert_eq!(client.tools().await, ["alive__t", "dying__t"]);
    let failed = client.call("dying__t", "{}").await;
    assert!(failed.text().contains(r#""error""#), "{}", failed.text());
    let called = client.call("alive__t", "{}").await;
    assert_eq!(at(&called, &["structuredContent", "server"]), r#""alive""#);
    dying.set_broken(false);
    tokio::time::sleep(Duration::from_secs(120)).await;
    let called = client.call("dying__t", "{}").await;
    assert_eq!(at(&called, &["structuredContent", "server"]), r#""dying""#);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_has_never_started_is_missing_and_its_tools_come_with_it() {
    let (alive, dead) = (Peer::modern("alive", &["t"]), Peer::legacy("dead", &["t"]));
    dead.set_broken(true);
    let client = Stage::of("", &[&alive, &dead]).client("");
    assert_eq!(client.tools().await, ["alive__t"]);
    let failed = client.call("dead__t", "{}").await;
    assert!(failed.text().contains(r#""error""#), "{}", failed.text());
    dead.set_broken(false);
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert_eq!(client.tools().await, ["alive__t", "dead__t"]);
}

#[tokio::test(start_paused = true)]
async fn a_change_of_a_list_is_told_and_seen() {
    for peer in [Peer::modern("s", &["one"]), Peer::legacy("s", &["one"])] {
        let other = Peer::modern("o", &[]);
        let client = Stage::of("", &[&peer, &other]).client("");
        let mut listening = client.listen(ALL).await;
        assert_eq!(client.tools().await, ["s__one"]);
        settle().await;
        peer.set_tools(&["one", "two"]);
        let told = listening.next().await;
        assert_eq!(told.method(), "notifications/tools/list_changed");
        assert_eq!(client.tools().await, ["s__one", "s__two"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_watched_is_fetched_once() {
    let peer = Peer::modern("s", &["one"]);
    let client = Stage::of("", &[&peer]).client("");
    for _ in 0..10 {
        assert_eq!(client.tools().await, ["s__one"]);
        settle().await;
    }
    // The first one may be fetched before the watch is acknowledged.
    assert!(peer.heard("tools/list").len() <= 2);
}

#[tokio::test(start_paused = true)]
async fn all_pages_are_read_and_a_cursor_is_refused() {
    let peer = Peer::modern("s", &["a", "b", "c", "d", "e"]);
    peer.set_page(2);
    let client = Stage::of("", &[&peer]).client("");
    assert_eq!(client.tools().await.len(), 5);
    let refused = client.ask("tools/list", r#""cursor":"2""#).await;
    assert_eq!(at(&refused, &["code"]), "-32602");
}

#[tokio::test(start_paused = true)]
async fn a_list_has_the_same_bytes_for_every_client_and_in_every_run() {
    let peers = || {
        let (a, b) = (Peer::modern("a", &["t", "u"]), Peer::legacy("b", &["t"]));
        b.set_resources(&["x://1"]);
        Stage::of("", &[&a, &b])
    };
    let first = peers().client("").ask("tools/list", "").await;
    for _ in 0..20 {
        let stage = peers();
        for credentials in ["", "ada", "bob"] {
            let again = stage.client(credentials).ask("tools/list", "").await;
            assert_eq!(again.text(), first.text());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_name_is_called_under_its_short_form() {
    let long = format!("{}_end", "x".repeat(80));
    let peer = Peer::modern("s", &[&long]);
    let client = Stage::of("", &[&peer]).client("");
    let [name] = &client.tools().await[..] else {
        panic!("it has one tool");
    };
    assert_eq!(name.len(), 64);
    client.call(name, "{}").await;
    assert_eq!(peer.called(), [long]);
}

#[tokio::test(start_paused = true)]
async fn without_prefixes_a_name_of_two_servers_is_neither_listed_nor_called() {
    let (a, b) = (
        Peer::modern("a", &["t", "u"]),
        Peer::modern("b", &["t", "v"]),
    );
    let client = Stage::of(r#""prefix":"never""#, &[&a, &b]).client("");
    assert_eq!(client.tools().await, ["u", "v"]);
    let refused = client.call("t", "{}").await;
    assert_eq!(at(&refused, &["code"]), "-32602");
    client.call("v", "{}").await;
    assert_eq!((a.called(), b.called()), (vec![], vec!["v".to_owned()]));
}

#[tokio::test(start_paused = true)]
async fn a_lazy_server_is_listed_from_the_last_run_without_being_started() {
    let folder = tempfile::tempdir().unwrap();
    let lists = folder.path().to_owned();
    let run = |peer: &Peer, settings: &str| {
        let config = crate::testing::config_of("", &[server("s", settings)]);
        let files = crate::gateway::GatewayFiles::default();
        Stage::with(&config, &[peer], files, |options| {
            options.lists = Some(lists.clone());
        })
    };
    let first = Peer::modern("s", &["t"]);
    assert_eq!(run(&first, "").client("").tools().await, ["s__t"]);
    saved(&lists, "\"t\"").await;
    let second = Peer::modern("s", &["t", "u"]);
    let stage = run(&second, "");
    let client = stage.client("");
    let mut listening = client.listen(ALL).await;
    assert_eq!(client.tools().await, ["s__t"]);
    assert_eq!(second.opened(), 0);
    client.call("s__t", "{}").await;
    let told = listening.next().await;
    assert_eq!(told.method(), "notifications/tools/list_changed");
    assert_eq!(client.tools().await, ["s__t", "s__u"]);
    let eager = Peer::modern("s", &["t", "u"]);
    run(&eager, r#""start":"eager""#).client("").tools().await;
    assert_eq!(eager.opened(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_cannot_be_watched_is_fetched_again_when_its_time_is_over() {
    for (ttl, fetches) in [(0, 4), (5000, 2)] {
        let peer = Peer::modern("s", &["t"]);
        peer.refuse("subscriptions/listen");
        peer.set_ttl(ttl);
        let client = Stage::of("", &[&peer]).client("");
        client.tools().await;
        settle().await;
        client.tools().await;
        tokio::time::sleep(Duration::from_secs(6)).await;
        client.tools().await;
        settle().await;
        client.tools().await;
        assert_eq!(peer.heard("tools/list").len(), fetches, "{ttl} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn the_gateway_describes_itself_and_gives_the_instructions_of_its_servers() {
    let (a, b) = (Peer::modern("a", &[]), Peer::legacy("b", &[]));
    a.set_instructions("Ask first.");
    b.set_instructions("Be quick.");
    let client = Stage::of("", &[&a, &b]).client("");
    let described = client.ask("server/discover", "").await;
    assert_eq!(
        at(&described, &["instructions"]),
        r##""# a\n\nAsk first.\n\n# b\n\nBe quick.""##
    );
    assert_eq!(
        at(&described, &["_meta", "linkspan/servers"]),
        r#"["a","b"]"#
    );
    assert_eq!(
        at(&described, &["capabilities", "resources", "subscribe"]),
        "true"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_works_later_is_told_without_another_request() {
    let (alive, dead) = (Peer::modern("alive", &["t"]), Peer::modern("dead", &["t"]));
    dead.set_broken(true);
    let client = Stage::of("", &[&alive, &dead]).client("");
    let mut listening = client.listen(ALL).await;
    assert_eq!(client.tools().await, ["alive__t"]);
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(listening.so_far().await, [""; 0]);
    let opened = dead.opened();
    assert!(opened < 500, "{opened}");
    dead.set_broken(false);
    let told = listening.next().await;
    assert_eq!(told.method(), "notifications/tools/list_changed");
    assert_eq!(client.tools().await, ["alive__t", "dead__t"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_fails_is_left_alone_when_no_client_wants_to_know() {
    let dead = Peer::modern("dead", &["t"]);
    dead.set_broken(true);
    let client = Stage::of("", &[&dead]).client("");
    client.tools().await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    let opened = dead.opened();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(dead.opened(), opened);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_its_list_is_not_asked_again_and_again() {
    let (refusing, other) = (Peer::modern("refusing", &[]), Peer::modern("other", &["t"]));
    // Such as a server that requires a sign-in.
    refusing.refuse_with("tools/list", -32000);
    let client = Stage::of("", &[&refusing, &other]).client("");
    let _listening = client.listen(ALL).await;
    client.tools().await;
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(refusing.heard("tools/list").len(), 1);
}
