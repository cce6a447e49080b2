//! Clients of both eras on stdio in front of servers of both eras and three transports.

use linkspan_testkit::{Bridge, Children, Message, Server, child, wait_for};
use serde_json::{Value, json};

use crate::setup::{LATEST, Setting, ask_modern, content, list, names, send_modern, until_listed};

struct Servers {
    setting: Setting,
    children: [Children; 2],
    _remote: [Server; 2],
}

/// A legacy and a modern process, a server over Streamable HTTP and one over HTTP+SSE.
fn four() -> Servers {
    let mut setting = Setting::new();
    let children = [
        setting.child("old", &[]),
        setting.child("new", &["--modern"]),
    ];
    let remote = [Server::modern().start(), Server::sse().start()];
    setting.url("web", &remote[0]);
    setting.url("sse", &remote[1]);
    Servers {
        setting,
        children,
        _remote: remote,
    }
}

/// A client of one era.
enum Client {
    Legacy(Bridge),
    Modern(Bridge),
}

impl Client {
    fn both(setting: &Setting) -> [Self; 2] {
        let legacy = setting.start(&[]);
        legacy.initialize(LATEST);
        [Self::Legacy(legacy), Self::Modern(setting.start(&[]))]
    }

    fn bridge(&self) -> &Bridge {
        match self {
            Self::Legacy(bridge) | Self::Modern(bridge) => bridge,
        }
    }

    fn ask(&self, id: &str, method: &str, params: Value) -> Message {
        match self {
            Self::Legacy(bridge) => {
                bridge.request(id, method, &params);
                bridge.answer(id)
            }
            Self::Modern(bridge) => ask_modern(bridge, id, method, params),
        }
    }

    fn call(&self, id: &str, tool: &str, arguments: Value) -> Message {
        let params = json!({"name": tool, "arguments": arguments});
        self.ask(id, "tools/call", params)
    }
}

#[test]
fn tools_of_all_servers_are_listed_and_called() {
    let servers = four();
    for client in Client::both(&servers.setting) {
        for server in ["old", "new", "web", "sse"] {
            let name = format!("{server}__echo");
            wait_for(&name, || {
                let listed = client.ask("1", "tools/list", json!({}));
                names(&listed, "tools").contains(&name)
            });
            let answer = client.call("\"2\"", &name, json!({"n": 12_345_678_901_234_567_890u64}));
            assert_eq!(
                content(&answer),
                r#"{"n":12345678901234567890}"#,
                "{server}"
            );
        }
    }
}

#[test]
fn results_and_errors_keep_their_bytes() {
    let servers = four();
    for client in Client::both(&servers.setting) {
        let answer = client.call("1", "old__fidelity", json!({}));
        // A modern client gets the name of the server as well.
        let (members, _) = child::FIDELITY
            .split_once(r#","_meta""#)
            .expect("it has one");
        assert!(answer.text.contains(members), "{}", answer.text);
        for server in ["old", "new"] {
            let failed = client.call("2", &format!("{server}__fail"), json!({}));
            assert_eq!(failed.error.as_deref(), Some(child::FAILURE));
        }
    }
    for children in &servers.children {
        assert_eq!(children.violations(), [""; 0]);
    }
}

#[test]
fn prompts_resources_and_completions_reach_their_servers() {
    let servers = four();
    for client in Client::both(&servers.setting) {
        wait_for("the prompts", || {
            let listed = client.ask("1", "prompts/list", json!({}));
            names(&listed, "prompts").contains(&"old__plain".to_owned())
        });
        let got = client.ask("2", "prompts/get", json!({"name": "old__plain"}));
        assert!(got.at(&["result", "messages"]).is_some(), "{}", got.text);
        for uri in [r#""uri":"old+quay://1""#, r#""uri":"new+quay://1""#] {
            wait_for(uri, || {
                let listed = client.ask("3", "resources/list", json!({}));
                listed.text.contains(uri)
            });
        }
        for uri in ["old+quay://1", "new+quay://1"] {
            let read = client.ask("4", "resources/read", json!({"uri": uri}));
            let contents = read.at(&["result", "contents"]).unwrap_or_default();
            assert_eq!(
                contents, r#"[{"uri":"quay://1","text":"contents"}]"#,
                "{uri}"
            );
        }
        let params = json!({"ref": {"type": "ref/prompt", "name": "new__ask"}, "argument": {"name": "a", "value": ""}});
        let completed = client.ask("5", "completion/complete", params);
        assert!(completed.text.contains(r#"["quay"]"#), "{}", completed.text);
    }
}

#[test]
fn questions_of_servers_of_both_eras_reach_clients_of_both_eras() {
    let servers = four();
    let [Client::Legacy(legacy), Client::Modern(modern)] = Client::both(&servers.setting) else {
        panic!("one client of each era");
    };
    for (id, tool) in [("1", "old__ask"), ("2", "new__ask")] {
        legacy.call(id, tool, &json!({}));
        let question = legacy.heard("elicitation/create");
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"action":"accept","content":{{"a":1.0}}}}}}"#,
            question.id.as_deref().expect("a question has an id")
        );
        legacy.send(&answer);
        let content = content(&legacy.answer(id));
        assert_eq!(
            content, r#"{"action":"accept","content":{"a":1.0}}"#,
            "{tool}"
        );
        let params = json!({"name": tool, "arguments": {}});
        let asked = ask_modern(&modern, id, "tools/call", params.clone()).json()["result"].clone();
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let requests = asked["inputRequests"].as_object().expect("questions");
        let key = requests.keys().next().expect("one question");
        let mut again = params;
        again["inputResponses"] = json!({key.as_str(): {"action": "decline"}});
        if asked["requestState"].is_string() {
            again["requestState"] = asked["requestState"].clone();
        }
        let done = ask_modern(&modern, "\"again\"", "tools/call", again);
        assert!(done.text.contains(r#""action":"decline""#), "{}", done.text);
    }
}

#[test]
fn progress_logs_and_changes_reach_the_client() {
    let servers = four();
    for client in Client::both(&servers.setting) {
        client.ask("0", "tools/list", json!({}));
        let meta = json!({"progressToken": "p", "io.modelcontextprotocol/logLevel": "info"});
        let bridge = client.bridge();
        let with_token = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments, "_meta": meta});
        if let Client::Modern(bridge) = &client {
            let filter = json!({"notifications": {"toolsListChanged": true}});
            send_modern(bridge, "\"listen\"", "subscriptions/listen", filter);
            bridge.heard("notifications/subscriptions/acknowledged");
        } else {
            client.ask("1", "logging/setLevel", json!({"level": "info"}));
        }
        for server in ["old", "new"] {
            let params = with_token(&format!("{server}__progress"), json!({"n": 2}));
            client.ask("2", "tools/call", params);
            for step in ["1", "2"] {
                let note = bridge.heard("notifications/progress");
                assert_eq!(note.at(&["params", "progress"]).as_deref(), Some(step));
                assert_eq!(
                    note.string_at(&["params", "progressToken"]).as_deref(),
                    Some("p")
                );
            }
            let params = with_token(&format!("{server}__log"), json!({}));
            client.ask("3", "tools/call", params);
            let note = bridge.heard("notifications/message");
            assert_eq!(
                note.string_at(&["params", "data"]).as_deref(),
                Some("all is well")
            );
            client.call("4", &format!("{server}__change"), json!({}));
            bridge.heard("notifications/tools/list_changed");
        }
    }
}

#[test]
fn a_cancelled_call_is_cancelled_at_its_server_only() {
    let mut setting = Setting::new();
    let (one, other) = (setting.child("one", &[]), setting.child("other", &[]));
    let gateway = setting.start(&[]);
    gateway.initialize(LATEST);
    gateway.call("1", "one__gate", &json!({"name": "never"}));
    gateway.call("2", "other__gate", &json!({"name": "go"}));
    one.wait_for_tool("gate");
    other.wait_for_tool("gate");
    gateway.notify("notifications/cancelled", &json!({"requestId": 1}));
    one.wait_for_method("notifications/cancelled");
    other.open("go");
    assert_eq!(content(&gateway.answer("2")), r#"{"name":"go"}"#);
    let cancelled = other.seen(|seen| seen.method() == Some("notifications/cancelled"));
    assert_eq!(cancelled.len(), 0);
}

#[test]
fn the_end_of_the_client_ends_the_gateway_and_its_servers() {
    let mut setting = Setting::new();
    let children = [setting.child("a", &[]), setting.child("b", &["--modern"])];
    let mut gateway = setting.start(&[]);
    gateway.initialize(LATEST);
    gateway.ask("1", "a__echo", &json!({}));
    gateway.ask("2", "b__echo", &json!({}));
    gateway.close_stdin();
    assert_eq!(gateway.exit_code(), Some(0));
    for one in &children {
        one.wait_until_none();
        assert_eq!(one.violations(), [""; 0]);
    }
}

#[test]
fn a_view_is_chosen_by_an_option() {
    let mut setting = Setting::new();
    let _children = [setting.child("a", &[]), setting.child("b", &[])];
    setting.set(json!({"views": {"dev": {"servers": ["b"], "deny": ["b__routed"]}}}));
    let gateway = setting.start(&["--view", "dev"]);
    gateway.initialize(LATEST);
    until_listed(&["b__echo"], || list(&gateway));
    for hidden in ["a__echo", "b__routed"] {
        let refused = gateway.ask("2", hidden, &json!({}));
        assert_eq!(refused.code(), Some(-32602), "{}", refused.text);
    }
}
