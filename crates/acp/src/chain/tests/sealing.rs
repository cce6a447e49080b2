//! Messages to an MCP server are sealed for proxies that provide other servers.

use super::*;

/// A chain of two providers and an agent; the first one declares `one`, the second one `two`.
fn providers() -> Stage {
    let mut stage = Stage::of(plan(3, false), Some(Box::new(Notes::default()))).begun("{}");
    stage.say(FIRST, NEW);
    let told = stage.one(SECOND);
    let servers = r#"[{"type":"acp","name":"s","serverId":"one"},{"type":"acp","name":"t","serverId":"two"}]"#;
    assert!(told.contains(r#""serverId":"one""#), "{told}");
    stage.say(
        SECOND,
        &format!(
            r#"{{"jsonrpc":"2.0","id":"m","method":"proxy/successor","params":{{"method":"session/new","params":{{"cwd":"/","mcpServers":{servers}}}}}}}"#
        ),
    );
    stage.one(THIRD);
    stage
}

/// The message in an envelope.
fn inside(text: &str) -> (String, String) {
    let msg = Message::parse(text.to_owned().into()).unwrap();
    let params = msg.params().unwrap();
    let method = params.get("method").unwrap().as_str().unwrap();
    let inner = params.get("params").unwrap().text();
    (method.into_owned(), inner.to_owned())
}

/// The peer forwards the message from its successor to its predecessor.
fn pass_up(stage: &mut Stage, node: Node) -> String {
    let told = stage.one(node);
    let (method, params) = inside(&told);
    let msg = Message::parse(told.into()).unwrap();
    let id = msg
        .id()
        .map_or(String::new(), |id| format!(r#""id":{id},"#));
    stage.say(
        node,
        &format!(r#"{{"jsonrpc":"2.0",{id}"method":"{method}","params":{params}}}"#),
    );
    method
}

/// The first provider answers the request that the second one has forwarded.
fn answer_down(stage: &mut Stage, result: &str) -> String {
    let asked = stage.one(FIRST);
    let hop = hop_of(&asked);
    let answer = |hop| format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{result}}}"#);
    stage.say(FIRST, &answer(hop));
    let hop = hop_of(&stage.one(SECOND));
    stage.say(SECOND, &answer(hop));
    inside(&asked).0
}

#[test]
fn messages_to_a_connection_pass_a_provider_of_another_dialect() {
    let mut stage = providers();
    let joined = stage.chain.join(DeclarationId(1));
    let connect = r#"{"jsonrpc":"2.0","id":1,"method":"mcp/connect","params":{"serverId":"one"}}"#;
    stage.say(joined, connect);
    pass_up(&mut stage, SECOND);
    let method = answer_down(&mut stage, r#"{"connectionId":"c-1"}"#);
    assert_eq!(method, "mcp/connect");
    assert!(stage.one(joined).contains("c-1"));

    let ask = r#"{"jsonrpc":"2.0","id":2,"method":"mcp/message","params":{"connectionId":"c-1","method":"x"}}"#;
    stage.say(joined, ask);
    assert_eq!(pass_up(&mut stage, SECOND), "_linkspan/mcp/message");
    assert_eq!(answer_down(&mut stage, "1.10"), "mcp/message");
    assert_eq!(
        stage.one(joined),
        r#"{"jsonrpc":"2.0","id":2,"result":1.10}"#
    );

    // The route is still known after the client that sent the message has left.
    let bye =
        r#"{"jsonrpc":"2.0","id":3,"method":"mcp/disconnect","params":{"connectionId":"c-1"}}"#;
    stage.say(joined, bye);
    let gone = Inbound::Closed(Fault::Closing);
    stage.chain.receive(joined, gone, stage.now);
    assert_eq!(pass_up(&mut stage, SECOND), "_linkspan/mcp/disconnect");
    assert_eq!(inside(&stage.one(FIRST)).0, "mcp/disconnect");
}

#[test]
fn the_owner_and_providers_of_its_dialect_get_the_unsealed_message() {
    let mut stage = providers();
    let joined = stage.chain.join(DeclarationId(1));
    stage.say(
        joined,
        r#"{"jsonrpc":"2.0","id":1,"method":"mcp/connect","params":{"serverId":"two"}}"#,
    );
    assert_eq!(inside(&stage.one(SECOND)).0, "mcp/connect");
    stage.say(joined, r#"{"jsonrpc":"2.0","id":2,"method":"mcp/message","params":{"serverId":"one","requestId":"r","method":"x"}}"#);
    assert_eq!(inside(&stage.one(SECOND)).0, "mcp/message");
}

#[test]
fn messages_for_a_newer_provider_are_sealed_for_an_older_one() {
    let mut stage = providers();
    stage.say(
        SECOND,
        r#"{"jsonrpc":"2.0","method":"_proxy/successor","params":{"method":"_n"}}"#,
    );
    stage.one(THIRD);
    let joined = stage.chain.join(DeclarationId(1));
    stage.say(joined, r#"{"jsonrpc":"2.0","id":2,"method":"mcp/message","params":{"serverId":"one","requestId":"r","method":"x"}}"#);
    assert_eq!(pass_up(&mut stage, SECOND), "_linkspan/mcp/message");
    assert_eq!(inside(&stage.one(FIRST)).0, "mcp/message");
}
