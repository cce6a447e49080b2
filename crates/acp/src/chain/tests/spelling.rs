//! The declaration of a server of the chain for proxies of different dialects.

use super::*;

/// A chain with an old proxy in the middle.
fn aged(bridge: Option<Box<dyn McpBridge>>) -> Stage {
    let mut stage = Stage::of(plan(3, false), bridge).begun("{}");
    stage.say(
        SECOND,
        r#"{"jsonrpc":"2.0","method":"_proxy/successor","params":{"method":"_n"}}"#,
    );
    stage.one(THIRD);
    stage
}

fn params(text: &str) -> String {
    let msg = Message::parse(text.to_owned().into()).unwrap();
    msg.params().unwrap().text().to_owned()
}

#[test]
fn an_old_proxy_reads_the_old_spelling_and_other_components_read_the_original() {
    let notes = Notes::default();
    let mut stage = aged(Some(Box::new(notes.clone())));
    stage.say(FIRST, NEW);
    let told = params(&stage.one(SECOND));
    assert_eq!(
        told,
        r#"{"cwd":"/","mcpServers":[{"type":"http","name":"s","url":"acp:linkspan:one","headers":[]}]}"#
    );
    stage.say(
        SECOND,
        &format!(
            r#"{{"jsonrpc":"2.0","id":"m","method":"_proxy/successor","params":{{"method":"session/new","params":{told}}}}}"#
        ),
    );
    assert_eq!(
        params(&stage.one(THIRD)),
        r#"{"cwd":"/","mcpServers":[{"name":"s","command":"/l"}]}"#
    );
    assert_eq!(
        notes.take(),
        ["offer 1 Some(Current)"],
        "it is still the first one's"
    );
}

#[test]
fn an_agent_that_supports_servers_of_the_chain_gets_the_declared_spelling() {
    let mut stage = aged(Some(Box::new(Notes::default())));
    stage.chain.tail.introduced(&Message::result(
        &linkspan_wire::Id::number(0),
        r#"{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"acp":true}}}"#,
    ));
    stage.say(FIRST, NEW);
    let told = params(&stage.one(SECOND));
    stage.say(
        SECOND,
        &format!(
            r#"{{"jsonrpc":"2.0","id":"m","method":"_proxy/successor","params":{{"method":"session/new","params":{told}}}}}"#
        ),
    );
    let told = params(&stage.one(THIRD));
    assert_eq!(
        told,
        r#"{"cwd":"/","mcpServers":[{"type":"acp","name":"s","serverId":"one"}]}"#
    );
}

#[test]
fn without_a_bridge_the_agent_gets_the_declared_spelling() {
    let mut stage = aged(None);
    stage.say(FIRST, NEW);
    let told = params(&stage.one(SECOND));
    assert_eq!(
        told,
        r#"{"cwd":"/","mcpServers":[{"type":"acp","name":"s","serverId":"one"}]}"#
    );
}
