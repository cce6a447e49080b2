//! An agent that only supports ordinary MCP servers uses a server of the chain.

use serde_json::{Value, json};

use crate::bridged::{
    Bridged, HTTP, LATEST, NATIVE, PLAIN, bridged, connect, content, modern, reply, start, tools,
};
use crate::setup::pass;

/// The dialects of providers.
const DIALECTS: [&str; 4] = ["D1", "D2", "D3", "D5"];

fn with(dialect: &str) -> Bridged {
    bridged(&[], &[tools(dialect, "sparkle")], PLAIN)
}

#[test]
fn a_declaration_becomes_a_stdio_server_and_keeps_its_other_members() {
    for dialect in DIALECTS {
        let chain = with(dialect);
        let servers = chain.session("s");
        let [server] = servers.as_slice() else {
            panic!("{servers:?}");
        };
        assert_eq!(server["name"], "sparkle", "{dialect}");
        assert_eq!(server["args"][0], "mcp", "{dialect}");
        let names: Vec<&String> = server.as_object().unwrap().keys().collect();
        assert!(
            !names
                .iter()
                .any(|name| ["type", "url", "serverId"].contains(&name.as_str()))
        );
        if ["D3", "D5"].contains(&dialect) {
            assert_eq!(server["_meta"]["kept"], 1.1);
        }
        let secret = server["env"][0]["value"].as_str().unwrap();
        assert!(secret.len() >= 32, "a secret must be long");
        assert!(!server["args"].to_string().contains(secret));
    }
}

#[test]
fn tools_are_listed_and_called_and_arguments_keep_their_bytes() {
    for dialect in DIALECTS {
        let chain = with(dialect);
        let client = connect(&chain.session("s")[0]);
        client.request("1", "tools/list", &json!({}));
        let list = client.answer("1");
        assert!(
            list.text.contains(r#""name":"echo""#),
            "{dialect}: {}",
            list.text
        );
        let odd = r#"{"n":1.10,"big":18446744073709551616,"s":"\ud800","d":1,"d":2}"#;
        client.send(&format!(
            r#"{{"jsonrpc":"2.0","id":"\u0062","method":"tools/call","params":{{"name":"echo","arguments":{odd}}}}}"#
        ));
        let echo = client.answer(r#""\u0062""#);
        let echoed = echo.at(&["result", "structuredContent"]);
        assert_eq!(echoed.as_deref(), Some(odd), "{dialect}: {}", echo.text);
    }
}

#[test]
fn an_error_of_a_tool_keeps_its_code_and_its_data() {
    for dialect in DIALECTS {
        let chain = with(dialect);
        let client = connect(&chain.session("s")[0]);
        let failed = client.ask("1", "fail", &json!({}));
        assert_eq!(failed.code(), Some(-31999), "{dialect}: {}", failed.text);
        let data = failed.at(&["error", "data"]).unwrap();
        assert!(data.contains("1.10"), "{dialect}: {data}");
        client.request("2", "vendor/unknown", &json!({}));
        assert_eq!(client.answer("2").code(), Some(-32601), "{dialect}");
    }
}

#[test]
fn progress_arrives_while_a_call_runs_and_cancelling_it_reaches_the_provider() {
    for dialect in DIALECTS {
        let chain = with(dialect);
        let client = connect(&chain.session("s")[0]);
        client.request(
            "5",
            "tools/call",
            &json!({"name": "slow", "arguments": {}, "_meta": {"progressToken": "t\u{e9}"}}),
        );
        for step in 1..=3 {
            let progress = client.heard("notifications/progress");
            let token = progress.string_at(&["params", "progressToken"]);
            assert_eq!(token.as_deref(), Some("t\u{e9}"), "{dialect}");
            let at = progress.at(&["params", "progress"]);
            assert_eq!(at, Some(step.to_string()), "{dialect}");
        }
        chain.saw("slow");
        client.notify("notifications/cancelled", &json!({"requestId": 5}));
        chain.saw("cancelled");
        // The connection stays usable.
        assert_eq!(
            content(&client, "6", "echo", &json!({"a": 1})),
            r#"{"a":1}"#
        );
    }
}

#[test]
fn a_provider_can_send_sampling_requests() {
    for dialect in DIALECTS {
        let chain = with(dialect);
        let client = connect(&chain.session("s")[0]);
        client.call("1", "ask", &json!({}));
        let asked = client.heard("sampling/createMessage");
        assert_eq!(asked.at(&["params", "maxTokens"]).as_deref(), Some("7"));
        reply(
            &client,
            &asked,
            r#"{"role":"assistant","model":"m","content":{"type":"text","text":"4\u0032"}}"#,
        );
        let answer = client.answer("1");
        let heard = answer
            .at(&["result", "structuredContent"])
            .unwrap_or_default();
        assert!(heard.contains(r#"4\u0032"#), "{dialect}: {}", answer.text);
    }
}

#[test]
fn a_stateless_client_reaches_providers_of_both_eras() {
    for dialect in DIALECTS {
        let chain = with(dialect);
        let client = start(&chain.session("s")[0]);
        client.send(&modern("1", "server/discover", &json!({})));
        let discovered = client.answer("1");
        assert!(
            discovered.text.contains("2026-07-28"),
            "{dialect}: {}",
            discovered.text
        );
        client.send(&modern("2", "tools/list", &json!({})));
        assert!(client.answer("2").text.contains("\"echo\""), "{dialect}");
        let echo = json!({"name": "echo", "arguments": {"x": [1]}});
        client.send(&modern("3", "tools/call", &echo));
        let echoed = client.answer("3");
        let content = echoed.at(&["result", "structuredContent"]);
        assert_eq!(
            content.as_deref(),
            Some(r#"{"x":[1]}"#),
            "{dialect}: {}",
            echoed.text
        );
    }
}

#[test]
fn old_clients_of_every_revision_shake_hands_with_providers_of_both_eras() {
    for dialect in ["D2", "D5"] {
        let chain = with(dialect);
        let server = &chain.session("s")[0];
        for version in ["2024-11-05", "2025-03-26", "2025-06-18", LATEST] {
            let client = start(server);
            let welcome = client.initialize(version);
            let agreed = welcome.string_at(&["result", "protocolVersion"]);
            assert_eq!(agreed.as_deref(), Some(version), "{dialect}");
            let name = welcome.string_at(&["result", "serverInfo", "name"]);
            assert_eq!(name.as_deref(), Some("sparkle"), "{dialect}");
            client.request("9", "ping", &json!({}));
            assert!(client.answer("9").result.is_some());
        }
    }
}

#[test]
fn servers_are_reached_through_proxies_after_the_provider() {
    for dialect in DIALECTS {
        let proxies = [
            pass("D5"),
            tools(dialect, "sparkle"),
            pass("D2"),
            pass("D1"),
        ];
        let chain = bridged(&[], &proxies, PLAIN);
        let client = connect(&chain.session("s")[0]);
        assert_eq!(
            content(&client, "1", "echo", &json!({"a": 1})),
            r#"{"a":1}"#
        );
        client.call("2", "ask", &json!({}));
        reply(
            &client,
            &client.heard("sampling/createMessage"),
            r#"{"x":1}"#,
        );
        assert!(client.answer("2").result.is_some(), "{dialect}");
    }
}

#[test]
fn two_sessions_with_three_servers_each_work_at_once() {
    let names = ["one", "two", "three"];
    let proxies = [tools("D1", "one"), tools("D3", "two"), tools("D5", "three")];
    let chain = bridged(&[], &proxies, PLAIN);
    let sessions = [chain.session("a"), chain.session("b")];
    let mut clients = Vec::new();
    let mut secrets = std::collections::HashSet::new();
    for (session, servers) in ["a", "b"].iter().zip(&sessions) {
        assert_eq!(servers.len(), 3);
        for server in servers {
            assert!(names.contains(&server["name"].as_str().unwrap()));
            assert!(
                secrets.insert(server["env"].to_string()),
                "each has its own secret"
            );
            clients.push((*session, server["name"].clone(), connect(server)));
        }
    }
    for (session, name, client) in &clients {
        client.call("1", "echo", &json!({"from": session, "to": name}));
        client.call("2", "where", &json!({}));
        client.call("3", "ask", &json!({}));
    }
    for (session, name, client) in &clients {
        let asked = client.heard("sampling/createMessage");
        reply(
            client,
            &asked,
            &format!(r#"{{"for":{name},"in":"{session}"}}"#),
        );
    }
    for (session, name, client) in &clients {
        let value = |id: &str| -> Value {
            let answer = client.answer(id);
            let content = answer.at(&["result", "structuredContent"]);
            let content = content.unwrap_or_else(|| panic!("{}", answer.text));
            serde_json::from_str(&content).unwrap()
        };
        assert_eq!(value("1"), json!({"from": session, "to": name}));
        // The provider knows the session of a call.
        assert_eq!(value("2"), json!({"session": session}));
        let heard = value("3").to_string();
        assert!(heard.contains(&format!(r#""in":"{session}""#)), "{heard}");
        assert!(heard.contains(&format!(r#""for":{name}"#)), "{heard}");
    }
}

#[test]
fn an_agent_may_use_a_server_before_it_has_answered_session_new() {
    for dialect in DIALECTS {
        let chain = with(dialect);
        let asked = chain.ask_for_session("session/new", None);
        let server = &crate::bridged::servers(&asked)[0];
        let client = connect(server);
        assert_eq!(
            content(&client, "1", "echo", &json!({"a": 1})),
            r#"{"a":1}"#
        );
        chain.give_session(&asked, "late");
        // Once the session has an id, the provider gets it.
        let place = content(&client, "2", "where", &json!({}));
        assert_eq!(place, r#"{"session":"late"}"#, "{dialect}");
    }
}

#[test]
fn an_agent_that_supports_servers_of_the_chain_gets_the_declarations_unchanged() {
    for how in ["auto", "off"] {
        let chain = bridged(&["--mcp-bridge", how], &[tools("D5", "sparkle")], NATIVE);
        let asked = chain.ask_for_session("session/new", None);
        assert_eq!(
            asked.at(&["params", "mcpServers"]).as_deref(),
            Some(
                r#"[{"type":"acp","name":"sparkle","serverId":"server:sparkle","_meta":{"kept":1.10}}]"#
            ),
            "{how}"
        );
        chain.give_session(&asked, "s");
        chain.agent.say(r#"{"jsonrpc":"2.0","id":"m","method":"mcp/message","params":{"serverId":"server:sparkle","requestId":"r-1","method":"tools/call","params":{"name":"echo","arguments":{"n":1.10}}}}"#);
        let answer = chain.agent.answer("\"m\"");
        let content = answer.at(&["result", "result", "structuredContent"]);
        assert_eq!(content.as_deref(), Some(r#"{"n":1.10}"#), "{}", answer.text);
    }
}

#[test]
fn without_the_bridge_declarations_pass_unchanged() {
    let chain = bridged(&["--mcp-bridge", "off"], &[tools("D2", "sparkle")], PLAIN);
    let asked = chain.ask_for_session("session/new", None);
    assert_eq!(
        asked.at(&["params", "mcpServers"]).as_deref(),
        Some(r#"[{"type":"http","name":"sparkle","url":"acp:sparkle","headers":[]}]"#)
    );
}

#[test]
fn http_is_refused_with_a_hint_for_an_agent_without_http() {
    let chain = bridged(&["--mcp-bridge", "http"], &[tools("D5", "sparkle")], PLAIN);
    chain.editor.send(
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}"#,
    );
    let refused = chain.editor.answer("1");
    assert_eq!(refused.code(), Some(-32602), "{}", refused.text);
    assert!(refused.hint().is_some(), "{}", refused.text);
    let chain = bridged(&["--mcp-bridge", "http"], &[tools("D5", "sparkle")], HTTP);
    let server = &chain.session("s")[0];
    assert_eq!(server["type"], "http");
    let url = server["url"].as_str().unwrap();
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    assert_eq!(server["headers"][0]["name"], "Authorization");
}

#[test]
fn a_message_for_an_unknown_server_does_not_reach_the_editor() {
    let chain = with("D5");
    chain.agent.say(r#"{"jsonrpc":"2.0","id":"m","method":"mcp/message","params":{"serverId":"unknown","requestId":"r","method":"tools/list"}}"#);
    let refused = chain.agent.answer("\"m\"");
    assert_eq!(refused.code(), Some(-33001), "{}", refused.text);
}
