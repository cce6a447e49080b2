//! MCP servers of the chain, and the peers that join the chain to reach them.

use super::*;

#[test]
fn a_server_of_the_chain_is_reachable_until_its_session_ends() {
    let (mut stage, notes) = bridged("{}");
    stage.say(FIRST, NEW);
    let told = stage.one(SECOND);
    assert!(
        told.contains(r#""mcpServers":[{"name":"s","command":"/l"}]"#),
        "{told}"
    );
    assert_eq!(notes.take(), ["offer 1 Some(Current)"]);
    let hop = hop_of(&told);
    stage.say(
        SECOND,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{"sessionId":"S"}}}}"#),
    );
    assert_eq!(notes.take(), ["began 1 S"]);
    stage.say(FIRST, r#"{"jsonrpc":"2.0","id":"x","method":"proxy/successor","params":{"method":"session/close","params":{"sessionId":"S"}}}"#);
    let hop = hop_of(&stage.one(SECOND));
    assert!(notes.take().is_empty());
    stage.say(
        SECOND,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{}}}}"#),
    );
    assert_eq!(notes.take(), ["revoke 1"]);
}

#[test]
fn a_session_that_fails_or_is_reloaded_revokes_its_declarations() {
    let (mut stage, notes) = bridged("{}");
    stage.say(FIRST, NEW);
    let hop = hop_of(&stage.one(SECOND));
    stage.say(
        SECOND,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"error":{{"code":1,"message":"no"}}}}"#),
    );
    assert_eq!(notes.take(), ["offer 1 Some(Current)", "revoke 1"]);
    for ticket in [2, 3] {
        let load = NEW
            .replace("session/new", "session/load")
            .replace(r#""cwd""#, r#""sessionId":"S","cwd""#);
        stage.say(FIRST, &load);
        let hop = hop_of(&stage.one(SECOND));
        stage.say(
            SECOND,
            &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":null}}"#),
        );
        let noted = notes.take();
        assert_eq!(noted[1], format!("began {ticket} S"));
        assert_eq!(noted.len(), if ticket == 2 { 2 } else { 3 });
    }
    stage.dies(1);
    assert_eq!(notes.take(), ["revoke 3"]);
}

#[test]
fn an_agent_that_supports_servers_of_the_chain_gets_them_unchanged() {
    let (mut stage, notes) = bridged(r#"{"mcpCapabilities":{"acp":true}}"#);
    stage.say(FIRST, NEW);
    assert!(
        stage
            .one(SECOND)
            .contains(r#"{"type":"acp","name":"s","serverId":"one"}"#)
    );
    assert!(notes.take().is_empty());
}

#[test]
fn a_failed_offer_fails_only_its_session() {
    let (mut stage, notes) = bridged("{}");
    let two = NEW.replace(
        r#"{"type":"acp","name":"s","serverId":"one"}"#,
        r#"{"type":"acp","name":"s","serverId":"one"},{"type":"acp","name":"t","serverId":"bad"}"#,
    );
    stage.say(FIRST, &two);
    assert!(
        stage
            .one(FIRST)
            .contains(r#""id":"n","error":{"code":-32602"#)
    );
    assert!(stage.heard(SECOND).is_empty());
    assert_eq!(notes.take().last().unwrap(), "revoke 1");
}

#[test]
fn a_joined_peer_sends_requests_in_the_agents_position() {
    let (mut stage, _) = bridged("{}");
    stage.say(FIRST, NEW);
    stage.heard(SECOND);
    let joined = stage.chain.join(DeclarationId(1));
    stage.say(joined, r#"{"jsonrpc":"2.0","id":1,"method":"mcp/message","params":{"serverId":"one","requestId":"r","method":"tools/list"}}"#);
    let asked = stage.one(FIRST);
    assert!(
        asked.contains(r#""method":"proxy/successor","params":{"method":"mcp/message""#),
        "{asked}"
    );
    let progress = r#"{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"mcp/message","params":{"serverId":"one","requestId":"r","method":"notifications/progress"}}}"#;
    stage.say(FIRST, progress);
    assert!(stage.one(joined).contains("notifications/progress"));
    let hop = hop_of(&asked);
    stage.say(
        FIRST,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{"result":{{}}}}}}"#),
    );
    assert_eq!(
        stage.one(joined),
        r#"{"jsonrpc":"2.0","id":1,"result":{"result":{}}}"#
    );
    stage.say(FIRST, progress);
    assert!(
        stage.heard(joined).is_empty() && stage.heard(SECOND).is_empty(),
        "it is over"
    );
}

#[test]
fn a_connection_of_a_joined_peer_is_routed_by_its_id() {
    let (mut stage, _) = bridged("{}");
    let joined = connected(&mut stage);
    stage.one(joined);
    stage.say(FIRST, r#"{"jsonrpc":"2.0","id":"q","method":"proxy/successor","params":{"method":"_mcp/message","params":{"connectionId":"c-1","method":"sampling/createMessage"}}}"#);
    let asked = stage.one(joined);
    let hop = hop_of(&asked);
    stage.say(
        joined,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{"x":1}}}}"#),
    );
    assert_eq!(
        stage.one(FIRST),
        r#"{"jsonrpc":"2.0","id":"q","result":{"x":1}}"#
    );
    stage.say(FIRST, r#"{"jsonrpc":"2.0","id":"z","method":"proxy/successor","params":{"method":"_mcp/message","params":{"connectionId":"?","method":"x"}}}"#);
    assert!(stage.one(FIRST).contains("no such MCP connection"));
}

#[test]
fn requests_of_a_joined_peer_are_cancelled_when_it_closes() {
    let (mut stage, _) = bridged("{}");
    let joined = stage.chain.join(DeclarationId(1));
    stage.say(joined, r#"{"jsonrpc":"2.0","id":1,"method":"mcp/message","params":{"serverId":"one","requestId":"r","method":"tools/call"}}"#);
    let hop = hop_of(&stage.one(FIRST));
    stage
        .chain
        .receive(joined, Inbound::Closed(Fault::Closing), stage.now);
    assert_eq!(
        stage.one(FIRST),
        format!(
            r#"{{"jsonrpc":"2.0","method":"$/cancel_request","params":{{"requestId":{hop}}}}}"#
        )
    );
    stage.say(
        FIRST,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{}}}}"#),
    );
}

#[test]
fn a_disconnect_request_is_not_cancelled_when_its_connection_closes() {
    let (mut stage, _) = bridged("{}");
    let joined = stage.chain.join(DeclarationId(1));
    stage.say(
        joined,
        r#"{"jsonrpc":"2.0","id":1,"method":"mcp/disconnect","params":{"connectionId":"c"}}"#,
    );
    let hop = hop_of(&stage.one(FIRST));
    stage
        .chain
        .receive(joined, Inbound::Closed(Fault::Closing), stage.now);
    assert_eq!(stage.heard(FIRST), Vec::<String>::new());
    stage.say(
        FIRST,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{}}}}"#),
    );
    assert_eq!(stage.heard(FIRST), Vec::<String>::new());
}

#[test]
fn a_question_about_a_server_that_is_not_the_editors_does_not_reach_it() {
    let (mut stage, _) = bridged("{}");
    stage.say(FIRST, r#"{"jsonrpc":"2.0","id":1,"method":"mcp/message","params":{"serverId":"?","requestId":"r","method":"tools/list"}}"#);
    assert!(stage.one(FIRST).contains("-33001"));
    assert!(stage.heard(EDITOR).is_empty());
}

#[test]
fn a_request_over_the_limit_does_not_ask_the_editor_to_log_in() {
    let mut stage = Stage::with(1).begun("{}");
    for id in 0..super::super::MOST_QUESTIONS {
        stage.say(
            EDITOR,
            &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"_x"}}"#),
        );
    }
    assert_eq!(stage.heard(EDITOR), Vec::<String>::new());
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","id":"more","method":"_x"}"#);
    let refusal = stage.one(EDITOR);
    assert!(
        refusal.contains(r#""id":"more","error":{"code":-32603,"#),
        "{refusal}"
    );
    assert!(refusal.contains(r#""kind":"overloaded""#), "{refusal}");
}
