//! MCP servers of a proxy that speaks the draft.

use super::*;

/// A session with a server in the draft's spelling, and a joined connection that has called it.
fn called() -> (Stage, Node) {
    let (mut stage, notes) = bridged("{}");
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":"n","method":"proxy/successor","params":{"method":"session/new","params":{"tools":{"mcpServers":{"sparkle":{"transport":"http","url":"acp:5","headers":{}}}}}}}"#,
    );
    stage.heard(SECOND);
    assert_eq!(
        notes.take(),
        ["offer 1 Some(Draft)"],
        "whatever the envelope of the proxy"
    );
    let joined = stage.chain.join(DeclarationId(1));
    stage.say(
        joined,
        r#"{"jsonrpc":"2.0","id":1,"method":"_mcp/client_to_server/request","params":{"url":"acp:5","message":{"jsonrpc":"2.0","id":"c","method":"tools/call"}}}"#,
    );
    stage.one(FIRST);
    (stage, joined)
}

#[test]
fn a_server_sends_requests_to_its_client_without_a_successor_envelope() {
    let (mut stage, joined) = called();
    let note = r#"{"jsonrpc":"2.0","method":"_mcp/server_to_client/notification","params":{"url":"acp:5","message":{"jsonrpc":"2.0","method":"notifications/progress"}}}"#;
    stage.say(FIRST, note);
    assert_eq!(stage.one(joined), note);
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":"S1","method":"_mcp/server_to_client/request","params":{"url":"acp:5","message":{"jsonrpc":"2.0","id":"mcp-456","method":"sampling/createMessage"}}}"#,
    );
    let hop = hop_of(&stage.one(joined));
    let result = r#"{"message":{"jsonrpc":"2.0","id":"mcp-456","result":{}}}"#;
    stage.say(
        joined,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{result}}}"#),
    );
    assert_eq!(
        stage.one(FIRST),
        format!(r#"{{"jsonrpc":"2.0","id":"S1","result":{result}}}"#)
    );
    assert!(stage.heard(EDITOR).is_empty());
}

#[test]
fn a_request_to_the_client_passes_the_proxies_before_the_agent() {
    let mut stage = Stage::with(3).begun("{}");
    let note = r#"{"jsonrpc":"2.0","method":"_mcp/server_to_client/notification","params":{"url":"acp:5","message":{}}}"#;
    stage.say(FIRST, note);
    assert_eq!(stage.one(SECOND), note);
    assert!(stage.heard(EDITOR).is_empty());
}

#[test]
fn an_agent_has_no_client_below_it() {
    let (mut stage, joined) = called();
    stage.say(
        SECOND,
        r#"{"jsonrpc":"2.0","id":1,"method":"_mcp/server_to_client/request","params":{"url":"acp:5","message":{}}}"#,
    );
    let passed = stage.one(FIRST);
    assert!(
        passed.contains("proxy/successor"),
        "up, as anything else of an agent: {passed}"
    );
    assert!(stage.heard(joined).is_empty());
}
