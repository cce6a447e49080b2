//! Rules and views: what they hide cannot be used either.

use std::sync::Arc;
use std::time::Duration;

use linkspan_auth::resource::{API_KEYS, Identity};
use linkspan_gateway::ListKind;
use linkspan_ports::Principal;

use crate::gateway::GatewayFiles;
use crate::set::Clients;
use crate::testing::{Client, Peer, Stage, answer_of, at, call, config, tool};

fn key(stage: &Stage, name: &str, views: &[&str]) -> Client {
    let principal = Principal::identified(Arc::new(Identity {
        issuer: API_KEYS.to_owned(),
        subject: name.to_owned(),
        client_id: None,
        scopes: Vec::new(),
        name: None,
        views: views.iter().map(ToString::to_string).collect(),
    }));
    Client::new(stage.gateway.clone(), principal)
}

fn full(name: &str) -> Peer {
    let peer = Peer::modern(name, &["read", "write"]);
    peer.set(
        ListKind::Tools,
        vec![
            tool("read", r#","annotations":{"readOnlyHint":true}"#),
            tool("write", ""),
        ],
    );
    peer.set_resources(&[&format!("{name}://1"), &format!("{name}://2")]);
    peer.set(ListKind::Prompts, vec![r#"{"name":"p"}"#.to_owned()]);
    let template = format!(r#"{{"uriTemplate":"{name}t://{{id}}","name":"n"}}"#);
    peer.set(ListKind::Templates, vec![template]);
    peer
}

#[tokio::test(start_paused = true)]
async fn a_view_filters_lists_and_requests_alike() {
    let (a, b) = (full("a"), full("b"));
    let views = r#""views":{
        "only-a": {"servers": ["a"]},
        "read": {"readOnly": true},
        "some": {"allow": ["a__write", "b__b://1"]},
        "less": {"deny": ["*__write", "*__b://*"]},
        "none": {"allow": []}
    }"#;
    let stage = Stage::of(views, &[&a, &b]);
    let all = ["a__read", "a__write", "b__read", "b__write"];
    let cases: [(&str, &[&str], &[&str]); 5] = [
        ("only-a", &all[..2], &["a://1", "a://2"]),
        (
            "read",
            &[all[0], all[2]],
            &["a://1", "a://2", "b://1", "b://2"],
        ),
        ("some", &all[1..2], &["b://1"]),
        ("less", &[all[0], all[2]], &["a://1", "a://2"]),
        ("none", &[], &[]),
    ];
    for (view, tools, resources) in cases {
        let client = stage.client("").in_view(view);
        assert_eq!(client.tools().await, tools, "{view}");
        assert_eq!(client.resources().await, resources, "{view}");
        for tool in all {
            let called = client.call(tool, "{}").await;
            let is_sent = !at(&called, &["structuredContent", "tool"]).is_empty();
            assert_eq!(is_sent, tools.contains(&tool), "{view} {tool}");
        }
        for (uri, named) in ["a://1", "a://2", "b://1", "b://2"].map(|uri| (uri, &uri[..1])) {
            for uri_of_client in [uri.to_owned(), format!("{named}+{uri}")] {
                let params = format!(r#""uri":"{uri_of_client}""#);
                let read = client.ask("resources/read", &params).await;
                let is_read = read.text().contains(&format!(r#""text":"{named}""#));
                assert_eq!(is_read, resources.contains(&uri), "{view} {uri_of_client}");
            }
        }
        let unlisted = client.call("b__unlisted", "{}").await;
        let is_sent = !at(&unlisted, &["structuredContent"]).is_empty();
        assert_eq!(is_sent, view == "less");
    }
    let everything = stage.client("");
    assert_eq!(everything.tools().await, all);
}

#[tokio::test(start_paused = true)]
async fn what_a_view_hides_cannot_be_subscribed_to_or_completed() {
    let (a, b) = (full("a"), full("b"));
    let views = r#""views":{"v":{"deny":["b__*"]}}"#;
    let client = Stage::of(views, &[&a, &b]).client("").in_view("v");
    client.resources().await;
    let filter = r#"{"resourceSubscriptions":["a://1","b://1","b+b://1"]}"#;
    let _listening = client.listen(filter).await;
    let heard = b.heard("subscriptions/listen");
    assert!(heard.iter().all(|(_, msg)| !msg.text().contains("b://1")));
    let of = |name: &str| {
        format!(
            r#""ref":{{"type":"ref/prompt","name":"{name}"}},"argument":{{"name":"a","value":"b"}}"#
        )
    };
    let refused = client.ask("completion/complete", &of("b__p")).await;
    assert_eq!(at(&refused, &["code"]), "-32602");
    let completed = client.ask("completion/complete", &of("a__p")).await;
    assert_eq!(at(&completed, &["server"]), r#""a""#);
}

#[tokio::test(start_paused = true)]
async fn a_view_is_chosen_by_address_key_or_option() {
    let (a, b) = (full("a"), full("b"));
    let views = r#""views":{
        "open": {"servers": ["a"]},
        "dev": {"servers": ["b"], "keys": ["dev-*"]},
        "ops": {"servers": ["a", "b"], "keys": ["ops"]}
    }"#;
    let stage = Stage::of(views, &[&a, &b]);
    let servers = async |client: Client| {
        let tools = client.tools().await;
        let names = tools.iter().map(|tool| tool[..1].to_owned());
        let mut names: Vec<String> = names.collect();
        names.dedup();
        names.concat()
    };
    assert_eq!(servers(key(&stage, "dev-1", &[])).await, "b");
    assert_eq!(servers(key(&stage, "ops", &[])).await, "ab");
    assert_eq!(servers(key(&stage, "other", &["open"])).await, "a");
    assert_eq!(servers(stage.client("").in_view("open")).await, "a");
    for refused in [
        stage.client(""),
        stage.client("").in_view("dev"),
        key(&stage, "dev-1", &[]).in_view("ops"),
        key(&stage, "dev-1", &[]).in_view("open"),
        key(&stage, "other", &["gone"]),
    ] {
        let answer = refused.ask("tools/list", "").await;
        assert_eq!(at(&answer, &["data", "kind"]), r#""no_view""#);
        let answer = refused.call("b__read", "{}").await;
        assert_eq!(at(&answer, &["data", "kind"]), r#""no_view""#);
    }
    assert_eq!(b.called(), [""; 0]);
    let local = Stage::with(
        &config(views, &[&a, &b]),
        &[&a, &b],
        GatewayFiles::default(),
        |options| {
            options.clients = Clients::Local;
            options.view = Some("dev".to_owned());
        },
    );
    assert_eq!(servers(local.client("")).await, "b");
}

#[tokio::test(start_paused = true)]
async fn a_denied_tool_is_not_listed_and_the_reason_is_given() {
    let peer = full("s");
    let rules = r#""rules":[
        {"tool":"s__read","when":{"arguments":{"path":"/etc/*"}},"then":{"deny":"not there"}},
        {"tool":"s__write","then":{"deny":"not today"}}
    ]"#;
    let client = Stage::of(rules, &[&peer]).client("");
    assert_eq!(client.tools().await, ["s__read"]);
    let refused = client.call("s__write", "{}").await;
    assert_eq!(at(&refused, &["message"]), r#""not today""#);
    assert_eq!(at(&refused, &["data", "kind"]), r#""denied""#);
    let refused = client.call("s__read", r#"{"path":"/etc/passwd"}"#).await;
    assert_eq!(at(&refused, &["message"]), r#""not there""#);
    client.call("s__read", r#"{"path":"/srv"}"#).await;
    assert_eq!(peer.called(), ["read"]);
}

#[tokio::test(start_paused = true)]
async fn a_rule_about_annotations_treats_an_unknown_tool_as_the_worst() {
    let peer = full("s");
    peer.hold("tools/list");
    let rules = r#""rules":[{"when":{"readOnly":false},"then":"deny"}]"#;
    let client = Stage::of(rules, &[&peer]).client("");
    let refused = client.call("s__read", "{}").await;
    assert_eq!(at(&refused, &["data", "kind"]), r#""denied""#);
    peer.open("tools/list");
    assert_eq!(client.tools().await, ["s__read"]);
    client.call("s__read", "{}").await;
    assert_eq!(peer.called(), ["read"]);
}

#[tokio::test(start_paused = true)]
async fn a_limit_counts_the_calls_of_each_sender() {
    let peer = full("s");
    let rules = r#""rules":[{"tool":"s__*","then":{"limit":{"perMinute":60,"burst":2}}}]"#;
    let stage = Stage::of(rules, &[&peer]);
    let (ada, bob) = (key(&stage, "ada", &[]), key(&stage, "bob", &[]));
    for client in [&ada, &bob] {
        client.call("s__read", "{}").await;
        client.call("s__write", "{}").await;
        let refused = client.call("s__read", "{}").await;
        assert_eq!(at(&refused, &["data", "kind"]), r#""limited""#);
        assert_eq!(at(&refused, &["data", "retryAfterSeconds"]), "1");
    }
    assert_eq!(peer.called().len(), 4);
    tokio::time::sleep(Duration::from_secs(1)).await;
    ada.call("s__read", "{}").await;
    assert_eq!(peer.called().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn the_answers_of_a_user_are_part_of_one_call() {
    let peer = Peer::modern("s", &["ask"]);
    let rules = r#""rules":[{"then":{"limit":{"perHour":1}}}]"#;
    let client = Stage::of(rules, &[&peer]).client("").asking();
    let asked = client.call("s__ask", "{}").await;
    let state = at(&asked, &["requestState"]);
    let answer = format!(
        r#"{},"inputResponses":{{"q":{{"action":"accept"}}}},"requestState":{state}"#,
        call("s__ask", "{}")
    );
    let done = client.ask("tools/call", &answer).await;
    let action = ["structuredContent", "answer", "action"];
    assert_eq!(at(&done, &action), r#""accept""#, "{}", done.text());
    let refused = client.call("s__ask", "{}").await;
    assert_eq!(at(&refused, &["data", "kind"]), r#""limited""#);
}

#[tokio::test(start_paused = true)]
async fn completions_do_not_count_as_requests_for_prompts() {
    let peer = full("s");
    let rules = r#""rules":[{"then":{"limit":{"perHour":1}}}]"#;
    let client = Stage::of(rules, &[&peer]).client("");
    let params = r#""ref":{"type":"ref/prompt","name":"s__p"},"argument":{"name":"a","value":"b"}"#;
    for _ in 0..5 {
        let completed = client.ask("completion/complete", params).await;
        assert_eq!(
            at(&completed, &["server"]),
            r#""s""#,
            "{}",
            completed.text()
        );
    }
    let got = client.ask("prompts/get", r#""name":"s__p""#).await;
    assert_eq!(at(&got, &["server"]), r#""s""#);
}

#[tokio::test(start_paused = true)]
async fn a_reload_changes_views_and_rules_for_running_clients() {
    let peer = full("s");
    let stage = Stage::of("", &[&peer]);
    let client = stage.client("");
    assert_eq!(client.tools().await.len(), 2);
    peer.hold("go");
    let begun = client
        .begin("tools/call", &call("s__gate", r#"{"name":"go"}"#))
        .await
        .unwrap();
    peer.hears("tools/call", 1).await;
    let mut listening = client.listen(r#"{"toolsListChanged":true}"#).await;
    stage.apply(&config(
        r#""rules":[{"tool":"s__write","then":"deny"}]"#,
        &[&peer],
    ));
    assert_eq!(
        listening.next().await.method(),
        "notifications/tools/list_changed"
    );
    assert_eq!(client.tools().await, ["s__read"]);
    peer.open("go");
    let done = answer_of(begun).await;
    assert_eq!(at(&done, &["structuredContent", "tool"]), r#""gate""#);
    assert_eq!(peer.opened(), 1);
}
