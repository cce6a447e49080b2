//! `--http`: many clients, views by address, and keys.

use linkspan_auth::resource::digest;
use linkspan_testkit::{Client, Message};
use serde_json::{Value, json};

use crate::setup::{LATEST, Setting, content, names, pid, until_listed};

const BOTH: [&str; 4] = ["a__echo", "a__routed", "b__echo", "b__routed"];

fn list(client: &Client) -> Message {
    let mut listed = client.modern().request("1", "tools/list", &json!({}));
    listed.answer()
}

fn at(client: &Client, path: &str) -> Client {
    Client {
        path: path.to_owned(),
        ..client.clone()
    }
}

fn refusal(mut call: linkspan_testkit::Call) -> (u16, Option<Message>) {
    let status = call.status();
    (status, Message::parse(&call.body()))
}

#[test]
fn clients_of_both_eras_use_all_servers() {
    let mut setting = Setting::new();
    let children = [
        setting.child("old", &[]),
        setting.child("new", &["--modern"]),
    ];
    let (_gateway, client) = setting.http(&[]);
    let session = client.session(LATEST);
    let modern = client.modern();
    for server in ["old", "new"] {
        let tool = format!("{server}__echo");
        let answers = [
            session.tool("7", &tool, &json!({"a": [1]})),
            modern.tool("\"x\"", &tool, &json!({"a": [1]})),
        ];
        for answer in answers {
            assert_eq!(content(&answer), r#"{"a":[1]}"#);
        }
    }
    let mut call = session.call("8", "old__ask", &json!({}));
    let question = call.heard("elicitation/create");
    session.respond(&question, r#"{"action":"accept"}"#);
    assert_eq!(content(&call.answer()), r#"{"action":"accept"}"#);
    for one in &children {
        assert_eq!(one.violations(), [""; 0]);
    }
}

#[test]
fn a_view_is_at_a_path_of_its_own() {
    let mut setting = Setting::new();
    let _children = [setting.child("a", &[]), setting.child("b", &[])];
    setting.set(json!({"views": {"only-b": {"servers": ["b"]}}}));
    let (_gateway, client) = setting.http(&[]);
    until_listed(&BOTH, || list(&client));
    let view = at(&client, "/mcp/only-b");
    until_listed(&BOTH[2..], || list(&view));
    let session = view.session(LATEST);
    let refused = session.tool("1", "a__echo", &json!({}));
    assert_eq!(refused.code(), Some(-32602), "{}", refused.text);
    session.tool("2", "b__echo", &json!({}));
    let unknown = at(&client, "/mcp/none").modern();
    let (status, _) = refusal(unknown.request("1", "tools/list", &json!({})));
    assert_eq!(status, 404);
    // A session belongs to its view.
    let elsewhere = linkspan_testkit::Session {
        client: client.clone(),
        ..session
    };
    let mut call = elsewhere.call("3", "a__echo", &json!({}));
    assert_eq!(call.status(), 404, "{}", call.body());
}

#[test]
fn a_key_decides_which_view_a_client_has() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut setting = Setting::new();
    let _children = [setting.child("a", &[]), setting.child("b", &[])];
    setting.set(json!({
        "views": {"dev": {"servers": ["b"], "keys": ["dev-*"]}, "all": {"keys": "ops"}},
        "rules": [{"who": {"keys": "ops"}, "tool": "a__fail", "then": "deny"}]
    }));
    let key = |name: &str| format!("a-long-random-key-of-{name}");
    let hash = |name: &str| {
        let hash = digest(key(name).as_bytes());
        json!({"hash": data_encoding::HEXLOWER.encode(&hash)})
    };
    let keys = setting.file("keys.json");
    let text = json!({"dev-1": hash("dev-1"), "ops": hash("ops"), "guest": hash("guest")});
    std::fs::write(&keys, text.to_string()).unwrap();
    std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(0o600)).unwrap();
    let (_gateway, client) = setting.http(&["--keys", keys.to_str().unwrap()]);
    let with = |name: &str| {
        let key = format!("Bearer {}", key(name));
        client.clone().with("Authorization", &key)
    };
    until_listed(&BOTH[2..], || list(&with("dev-1")));
    until_listed(&BOTH, || list(&with("ops")));
    let denied = with("ops").modern().tool("1", "a__fail", &json!({}));
    assert_eq!(denied.kind().as_deref(), Some("denied"));
    let guest = with("guest").modern().tool("1", "b__echo", &json!({}));
    assert_eq!(guest.kind().as_deref(), Some("no_view"));
    let (status, _) = refusal(client.modern().request("1", "tools/list", &json!({})));
    assert_eq!(status, 401);
    let other_view = at(&with("dev-1"), "/mcp/all").modern();
    let refused = other_view.tool("1", "a__echo", &json!({}));
    assert_eq!(refused.kind().as_deref(), Some("no_view"));
    // Each has a process of its own.
    let who = |name: &str| pid(&with(name).modern().tool("1", "b__whoami", &json!({})));
    assert_ne!(who("dev-1"), who("ops"));
    assert_eq!(who("dev-1"), who("dev-1"));
}

#[test]
fn two_clients_with_equal_ids_and_tokens_get_their_own_messages() {
    let mut setting = Setting::new();
    let children = setting.child("s", &[]);
    setting.put("s", {
        let mut entry = crate::setup::child(&children, &[]);
        entry["linkspan"] = json!({"share": true});
        entry
    });
    let (_gateway, client) = setting.http(&[]);
    let sessions = [client.session(LATEST), client.session(LATEST)];
    let mut calls = [0usize, 1].map(|n| {
        let arguments = json!({"n": n + 2});
        sessions[n].call_with_token("1", &json!("same"), "s__progress", &arguments)
    });
    for (n, call) in calls.iter_mut().enumerate() {
        call.answer();
        assert_eq!(call.rest().len(), n + 2);
    }
    assert_eq!(children.started(), 1, "the process is shared");
}

#[test]
fn a_hundred_clients_at_once_get_the_same_list_and_their_own_answers() {
    let mut setting = Setting::new();
    let _children = [setting.child("a", &[]), setting.child("b", &["--modern"])];
    let (_gateway, client) = setting.http(&[]);
    until_listed(&BOTH, || list(&client));
    let threads: Vec<_> = (0..100)
        .map(|n| {
            let client = client.clone();
            std::thread::spawn(move || {
                let session = client.session(LATEST);
                let list = session.request("2", "tools/list", &json!({}));
                let tool = ["a__echo", "b__echo"][n % 2];
                let answer = session.tool("1", tool, &json!({"n": n}));
                session.end();
                (names(&{ list }.answer(), "tools"), content(&answer))
            })
        })
        .collect();
    for (n, thread) in threads.into_iter().enumerate() {
        let (list, content) = thread.join().unwrap();
        assert_eq!(list, BOTH);
        let content: Value = serde_json::from_str(&content).unwrap();
        assert_eq!(content["n"], n);
    }
}
