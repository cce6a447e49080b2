//! The positions of a server's provider, other declarations beside it, and messages about it.

use linkspan_testkit::{Message, Player};
use serde_json::json;

use crate::bridged::{
    Bridged, LATEST, NATIVE, PLAIN, bridged, connect, content, modern, reply as reply_to, servers,
    start, tools,
};
use crate::setup::{answer, conduct, id, nested, pass};

#[test]
fn a_nested_chain_may_provide_a_server() {
    for dialect in ["D1", "D2", "D3", "D5"] {
        for proxies in [
            vec![nested(&[tools(dialect, "sparkle")])],
            vec![
                nested(&[pass("D5"), tools(dialect, "sparkle"), pass("D2")]),
                pass("D5"),
            ],
            vec![tools(dialect, "sparkle"), nested(&[pass("D2")])],
        ] {
            let chain = bridged(&[], &proxies, PLAIN);
            let client = connect(&chain.session("s")[0]);
            let heard = content(&client, "1", "echo", &json!({"a": 1}));
            assert_eq!(heard, r#"{"a":1}"#, "{dialect}");
        }
    }
}

#[test]
fn the_editor_may_provide_a_server() {
    let chain = bridged(&[], &[pass("D5")], PLAIN);
    chain.editor.send(r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[{"type":"acp","name":"own","serverId":"e-1"}]}}"#);
    let asked = chain.agent.heard("session/new");
    answer(&chain.agent, &asked, r#"{"sessionId":"s"}"#);
    chain.editor.answer("1");
    let client = start(&servers(&asked)[0]);
    client.send(&modern("7", "server/discover", &json!({})));
    let heard = chain.editor.heard("mcp/message");
    assert_eq!(
        heard.string_at(&["params", "serverId"]).as_deref(),
        Some("e-1")
    );
    let method = heard.string_at(&["params", "method"]);
    assert_eq!(method.as_deref(), Some("server/discover"));
    chain.editor.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"result":{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{{}},"ttlMs":0,"cacheScope":"private"}}}}}}"#,
        id(&heard)
    ));
    let discovered = client.answer("7");
    assert!(discovered.result.is_some(), "{}", discovered.text);
}

#[test]
fn declarations_of_other_servers_are_unchanged() {
    let chain = bridged(&[], &[tools("D5", "sparkle")], PLAIN);
    let others = r#"{"name":"fs","command":"/fs","args":[],"env":[{"name":"K","value":"V"}],"x":1.10},{"type":"http","name":"api","url":"https://h/","headers":[]},{"type":"from-the-future","name":"f"}"#;
    chain.editor.send(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"session/new","params":{{"n":1E5,"mcpServers":[{others}],"cwd":"/w"}}}}"#
    ));
    let asked = chain.agent.heard("session/new");
    let params = asked.params.as_deref().unwrap();
    assert!(
        params.starts_with(r#"{"n":1E5,"mcpServers":[{"#),
        "{params}"
    );
    assert!(
        params.ends_with(&format!(r#",{others}],"cwd":"/w"}}"#)),
        "{params}"
    );
    assert_eq!(servers(&asked)[0]["name"], "sparkle");
}

#[test]
fn two_servers_with_one_name_are_refused() {
    let chain = bridged(
        &[],
        &[tools("D5", "sparkle"), tools("D2", "sparkle")],
        PLAIN,
    );
    chain.editor.send(
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}"#,
    );
    let refused = chain.editor.answer("1");
    assert_eq!(refused.code(), Some(-32602), "{}", refused.text);
    assert!(refused.text.contains("`sparkle`"), "{}", refused.text);
}

#[test]
fn the_editor_gets_the_capability_for_servers_of_the_chain() {
    for (flags, welcome, acp) in [
        (&[][..], PLAIN, true),
        (&["--mcp-bridge", "stdio"], PLAIN, true),
        (&["--mcp-bridge", "off"], PLAIN, false),
        (&["--mcp-bridge", "off"], NATIVE, true),
    ] {
        let stage = linkspan_testkit::Stage::new();
        let editor = conduct(flags, &[pass("D5"), stage.played("agent")]);
        editor.send(crate::setup::INITIALIZE);
        let agent = stage.player("agent");
        answer(&agent, &agent.heard("initialize"), welcome);
        let told = editor.answer("\"begin\"");
        let said = told.at(&["result", "agentCapabilities", "mcpCapabilities", "acp"]);
        assert_eq!(
            said.as_deref() == Some("true"),
            acp,
            "{flags:?}: {}",
            told.text
        );
    }
}

#[test]
fn servers_are_declared_in_the_spelling_of_version_2() {
    let stage = linkspan_testkit::Stage::new();
    let components = [tools("D5", "sparkle"), stage.played("agent")];
    let editor = conduct(&[], &components);
    editor.send(r#"{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":2,"info":{"name":"e","version":"1"},"capabilities":{}}}"#);
    let agent = stage.player("agent");
    answer(
        &agent,
        &agent.heard("initialize"),
        r#"{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{"mcp":{"stdio":{}}}}}"#,
    );
    let told = editor.answer("\"begin\"");
    assert_eq!(
        told.at(&["result", "capabilities", "session", "mcp"])
            .as_deref(),
        Some(r#"{"stdio":{},"acp":{}}"#)
    );
    let chain = Bridged { editor, agent };
    let server = chain.session("s").remove(0);
    assert_eq!(server["type"], "stdio");
    let client = connect(&server);
    assert_eq!(
        content(&client, "1", "echo", &json!({"a": 1})),
        r#"{"a":1}"#
    );
}

#[test]
fn bridged_messages_are_in_the_trace_with_their_session() {
    let dir = tempfile::TempDir::new().unwrap();
    let file = dir.path().join("t.jsons");
    let flags = ["--trace", file.to_str().unwrap()];
    let mut chain = bridged(&flags, &[tools("D5", "sparkle")], PLAIN);
    let client = connect(&chain.session("s-7")[0]);
    content(&client, "1", "echo", &json!({"a": 1}));
    chain.editor.close_stdin();
    assert_eq!(chain.editor.exit_code(), Some(0));
    let text = std::fs::read_to_string(file).unwrap();
    let events = text
        .lines()
        .map(|line| -> serde_json::Value { serde_json::from_str(line).unwrap() });
    let call = events
        .filter(|event| event["protocol"] == "mcp")
        .find(|event| event["method"] == "tools/call");
    let call = call.unwrap_or_else(|| panic!("no call of a tool in {text}"));
    assert_eq!(call["session"], "s-7");
    assert_eq!(call["params"]["arguments"], json!({"a": 1}));
}

#[test]
fn a_shim_without_a_secret_or_a_conductor_reports_it() {
    let chain = bridged(&[], &[tools("D5", "sparkle")], PLAIN);
    let mut server = chain.session("s").remove(0);
    server["env"] = json!([]);
    let mut client = start(&server);
    assert_eq!(client.exit_code(), Some(2), "{}", client.stderr());
    assert!(client.stderr().contains("LINKSPAN_MCP_TOKEN"));
    // With a wrong secret the conductor sends no reason, and `linkspan mcp` reports a closed connection.
    server["env"] = json!([{"name": "LINKSPAN_MCP_TOKEN", "value": "0".repeat(64)}]);
    let mut client = start(&server);
    client.request("1", "initialize", &json!({"protocolVersion": LATEST}));
    client.exit_code();
    assert!(client.unread().is_empty(), "{:?}", client.unread());
    assert!(!client.stderr().is_empty());
}

/// A message that the draft's proxy gets from its successor: the outer id, and the message inside.
fn draft_heard(proxy: &Player) -> (String, Message) {
    let heard = proxy.find("something of its successor", |message| {
        let method = message.method.as_deref().unwrap_or_default();
        method.starts_with("_proxy/successor/receive/")
    });
    let inside = heard.at(&["params", "message"]).expect("a whole message");
    let inside = Message::parse(&inside).expect("it is one");
    (heard.id.unwrap_or_default(), inside)
}

#[test]
fn a_provider_of_the_draft_gets_whole_messages() {
    let stage = linkspan_testkit::Stage::new();
    let words = stage.played("proxy");
    let words: Vec<&str> = words.split('\'').map(str::trim).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let component = json!({"command": words[0], "args": words[1..], "dialect": "draft"});
    let editor = conduct(&[], &[component.to_string(), stage.played("agent")]);
    editor.send(crate::setup::INITIALIZE);
    let (proxy, agent) = (stage.player("proxy"), stage.player("agent"));
    let begin = proxy.heard("initialize");
    proxy.say(r#"{"jsonrpc":"2.0","id":1,"method":"_proxy/successor/send/request","params":{"message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}}}"#);
    answer(&agent, &agent.heard("initialize"), PLAIN);
    let told = proxy.answer("1");
    assert!(
        told.text.contains(r#""mcp_acp_transport":true"#),
        "{}",
        told.text
    );
    answer(&proxy, &begin, PLAIN);
    editor.answer("\"begin\"");
    proxy.say(r#"{"jsonrpc":"2.0","id":2,"method":"_proxy/successor/send/request","params":{"message":{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[{"type":"http","name":"sparkle","url":"acp:77","headers":[]}]}}}}"#);
    let asked = agent.heard("session/new");
    answer(&agent, &asked, r#"{"sessionId":"s"}"#);
    proxy.answer("2");
    let client = start(&servers(&asked)[0]);
    client.request("\"i\"", "initialize", &json!({"protocolVersion": LATEST, "capabilities": {"sampling": {}}, "clientInfo": {"name": "c", "version": "1"}}));
    let (outer, carrier) = draft_heard(&proxy);
    assert_eq!(
        carrier.method.as_deref(),
        Some("_mcp/client_to_server/request")
    );
    assert_eq!(
        carrier.string_at(&["params", "url"]).as_deref(),
        Some("acp:77")
    );
    let mcp = carrier.at(&["params", "message"]).unwrap();
    let mcp = Message::parse(&mcp).unwrap();
    assert_eq!(mcp.method.as_deref(), Some("initialize"));
    let reply = |outer: &str, carrier: &Message, inside: &str| {
        let inner = id(carrier);
        proxy.say(&format!(
            r#"{{"jsonrpc":"2.0","id":{outer},"result":{{"message":{{"jsonrpc":"2.0","id":{inner},"result":{{"message":{inside}}}}}}}}}"#
        ));
    };
    let inside = format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"protocolVersion":"{LATEST}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"draft","version":"0"}}}}}}"#,
        id(&mcp)
    );
    reply(&outer, &carrier, &inside);
    assert!(client.answer("\"i\"").text.contains("\"draft\""));
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let (_, note) = draft_heard(&proxy);
    let method = note.method.as_deref();
    assert_eq!(method, Some("_mcp/client_to_server/notification"));
    // A request of the server to its client needs no envelope for the successor.
    proxy.say(r#"{"jsonrpc":"2.0","id":"S1","method":"_mcp/server_to_client/request","params":{"url":"acp:77","message":{"jsonrpc":"2.0","id":"mcp-456","method":"sampling/createMessage","params":{"n":1.10}}}}"#);
    let asked = client.heard("sampling/createMessage");
    assert_eq!(asked.params.as_deref(), Some(r#"{"n":1.10}"#));
    reply_to(&client, &asked, r#"{"role":"assistant"}"#);
    let answer = proxy.answer("\"S1\"");
    assert_eq!(
        answer.at(&["result", "message", "id"]).as_deref(),
        Some("\"mcp-456\""),
        "{}",
        answer.text
    );
    // The draft carries an error of the server inside; the client gets it as an error.
    client.call("5", "echo", &json!({"n": 1}));
    let (outer, carrier) = draft_heard(&proxy);
    let mcp = Message::parse(&carrier.at(&["params", "message"]).unwrap()).unwrap();
    assert_eq!(mcp.tool().as_deref(), Some("echo"));
    let inside = format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-31999,"message":"stuck","data":1.10}}}}"#,
        id(&mcp)
    );
    reply(&outer, &carrier, &inside);
    let failed = client.answer("5");
    assert_eq!(failed.code(), Some(-31999), "{}", failed.text);
}

#[test]
fn the_bridge_mode_also_applies_to_an_agent_that_supports_servers_of_the_chain() {
    let able =
        r#"{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"acp":true,"http":true}}}"#;
    for dialect in ["D2", "D5"] {
        let provider = [tools(dialect, "sparkle")];
        let chain = bridged(&["--mcp-bridge", "stdio"], &provider, able);
        let client = connect(&chain.session("s")[0]);
        let heard = content(&client, "1", "echo", &json!({"a": 1}));
        assert_eq!(heard, r#"{"a":1}"#);
        let chain = bridged(&["--mcp-bridge", "http"], &provider, able);
        let server = chain.session("s").remove(0);
        assert!(
            server["url"]
                .as_str()
                .is_some_and(|url| url.starts_with("http://127."))
        );
    }
}

#[test]
fn an_agent_may_declare_servers_by_url_in_three_positions() {
    for said in [
        r#"{"protocolVersion":1,"_meta":{"mcp_acp_transport":true}}"#,
        r#"{"protocolVersion":1,"agentCapabilities":{"_meta":{"mcp_acp_transport":true}}}"#,
        r#"{"protocolVersion":1,"agentCapabilities":{"_meta":{"symposium":{"mcp_acp_transport":true}}}}"#,
    ] {
        let chain = bridged(&[], &[tools("D2", "sparkle")], said);
        let server = chain.session("s").remove(0);
        let url = server["url"].as_str().unwrap_or_default();
        assert!(url.starts_with("acp:"), "{said}: {server}");
    }
}
